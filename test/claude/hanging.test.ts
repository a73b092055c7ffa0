import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { BOOTSTRAP } from '../support/paths.ts';
import { brokerSession, userWithKey } from './broker-session.ts';
import { clientVersions } from './harness/installed-clients.ts';
import { toolResults } from './harness/request.ts';

/** Stops the processes of the broker that a user's session has started. @returns which; none as long as it starts */
function stopBrokers(home: string): number[] {
	const read = (path: string) => {
		try {
			return readFileSync(path, 'utf8').split('\0');
		} catch {
			return []; // It has ended, or is somebody else's.
		}
	};
	const brokers = readdirSync('/proc').filter(
		(pid) => read(`/proc/${pid}/cmdline`)[1] === BOOTSTRAP && read(`/proc/${pid}/environ`).includes(`HOME=${home}`),
	);
	for (const pid of brokers) process.kill(Number(pid), 'SIGSTOP');
	return brokers.map(Number);
}

test.skipIf(process.platform !== 'linux').each(clientVersions())(
	'a broker that hangs holds up a call in Claude Code %s for half a minute, and not for ten',
	async (version) => {
		const user = await userWithKey();
		let stopped: number[] = [];
		onTestFinished(() => {
			// 2.1.332 has ended it by then.
			for (const pid of stopped.filter((pid) => existsSync(`/proc/${pid}`))) process.kill(pid, 'SIGKILL');
		});
		const { model, session } = await brokerSession({ version, ...user }, (request) => {
			if (toolResults(request).at(-1)?.text === 'On.') return { text: 'Done.' };
			if (stopped.length === 0) stopped = stopBrokers(user.home);
			return { tool: 'Bash', input: { command: stopped.length === 0 ? 'echo Waiting.' : 'echo On.' } };
		});
		expect(stopped).not.toEqual([]);
		const last = model.requests.findLast(({ agent }) => agent === 'main');
		expect(last && toolResults(last).at(-1)?.text).toBe('On.');
		expect(session.result).toBe('Done.');
	},
);
