// Loaded before a program, which then takes this Linux for macOS. Its sandbox-exec takes the network away.
const childProcess = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const WITHOUT_NETWORK = ['--user', '--map-current-user', '--net', '--'];

Object.defineProperty(process, 'platform', { value: 'darwin' });
childProcess.spawn = new Proxy(childProcess.spawn, {
	apply: (spawn, self, [program, args, ...rest]) => {
		// sandbox-exec -p PROFILE PROGRAM …
		const real =
			program === '/usr/bin/sandbox-exec'
				? ['/usr/bin/unshare', [...WITHOUT_NETWORK, ...args.slice(2)]]
				: [program, args];
		return Reflect.apply(spawn, self, [...real, ...rest]);
	},
});
syncBuiltinESMExports();
