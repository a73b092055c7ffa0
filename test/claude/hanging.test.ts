import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BOOTSTRAP } from '../support/paths.ts';
import { brokerSession, userWithKey } from './broker-session.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';

/** The process of the broker that a user's session has started. */
async function brokerOf(home: string): Promise<number> {
	const found = await Promise.all(
		(await readdir('/proc')).map(async (pid) => {
			const read = async (name: string) => await readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
			const isBroker = (await read('cmdline')).split('\0')[1] === BOOTSTRAP;
			return isBroker && (await read('environ')).split('\0').includes(`HOME=${home}`) ? [Number(pid)] : [];
		}),
	);
	const [pid, ...others] = found.flat();
	if (pid === undefined || others.length > 0) throw new Error(`Not one broker but ${found.flat().length}`);
	return pid;
}

test.skipIf(process.platform !== 'linux').each(clientVersions())(
	'a broker that hangs holds up a call in Claude Code %s for half a minute, and not for ten',
	async (version) => {
		const user = await userWithKey();
		let stopped: Promise<void> | undefined;
		const stop = async () => {
			const pid = await brokerOf(user.home);
			process.kill(pid, 'SIGSTOP');
			onTestFinished(() => {
				// 2.1.332 has ended it by then.
				if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
			});
		};
		const { model, session } = await brokerSession({ version, ...user }, (request) => {
			stopped ??= stop();
			return toolResults(request).length > 0 ? { text: 'Done.' } : { tool: 'Bash', input: { command: 'echo On.' } };
		});
		await stopped;
		const last = model.requests.findLast(({ agent }) => agent === 'main');
		expect(last && toolResults(last)).toMatchObject([{ text: 'On.' }]);
		expect(session.result).toBe('Done.');
	},
);
