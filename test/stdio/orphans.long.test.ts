import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { conversation, INITIALIZE, startBroker } from '../support/broker.ts';
import { BOOTSTRAP } from '../support/paths.ts';
import { killAll, processesNaming, processesWith } from '../support/processes.ts';
import { random } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { createRecording, stdio } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { failuresOf } from '../support/tries.ts';
import { createUser } from '../support/user.ts';

/**
 * How the client is lost:
 *
 * - `killed`: with -9, while it speaks
 * - `wrapper`: the same, and a shell holds the broker's input open that is still there
 * - `fork`: the broker's parent was gone at its start, and then the client is killed
 * - `lost`: the parent was gone at its start, nobody speaks, and a shell holds the input open
 */
const WAYS = ['killed', 'wrapper', 'fork', 'lost'] as const;

const CLIENT = fileURLToPath(new URL('../support/lost-client.mjs', import.meta.url));

interface Loss {
	readonly way: (typeof WAYS)[number];
	readonly hasCommand: boolean;
	readonly hasServer: boolean;
	/** Milliseconds, somewhere in what the broker does, also while it starts. */
	readonly after: number;
}

async function lose({ way, hasCommand, hasServer, after }: Loss): Promise<void> {
	const user = await createUser();
	const fifo = join(await temporaryFolder(), 'fifo');
	execFileSync('mkfifo', [fifo]);
	if (way === 'wrapper' || way === 'lost') {
		const holder = spawn('sh', ['-c', 'exec 3<>"$1"; sleep 300; exit', 'sh', fifo], { stdio: 'ignore' });
		onTestFinished(() => void holder.kill('SIGKILL'));
	}
	await user.writeMap(`[keys]\n${hasServer ? `[mcp_servers.up]\n${stdio(await createRecording())}` : ''}`);
	// Each process names the user's home: in its environment, or in its command line.
	onTestFinished(() => killAll(processesNaming(user.home)));
	const parent = { killed: 'pipe', wrapper: `fifo:${fifo}`, fork: `fork:${fifo}`, lost: `fork:${fifo}` }[way];
	const broker = startBroker(user.home, { CONTEXT_BROKER_ENABLED_TOOLS: 'all' }, [
		...([process.execPath, CLIENT, parent] as const),
		...[process.execPath, BOOTSTRAP],
	]);
	if (way !== 'lost') {
		const { ask } = conversation(broker);
		await ask('initialize', INITIALIZE.params);
		if (hasServer)
			await expect.poll(async () => JSON.stringify((await ask('tools/list', {})).result)).toContain('"up__');
		if (hasCommand) {
			// One in the background, one in a session of its own, and one that does not want to end.
			const sleep = `sh -c ': ${user.home}; trap "" TERM; sleep 50; sleep 50; :'`;
			const command = `${sleep} & setsid ${sleep} >/dev/null 2>&1 & ${sleep}`;
			void ask('tools/call', { name: 'run_shell_command', arguments: { command } });
			await expect.poll(() => processesWith(`-c : ${user.home}`).length, { interval: 100 }).toBeGreaterThanOrEqual(3);
		}
	} else await expect.poll(() => processesNaming(user.home).length, { interval: 20 }).toBeGreaterThan(1);
	await delay(after);
	broker.process.kill('SIGKILL');
	await expect.poll(() => processesNaming(user.home), { interval: 100 }).toEqual([]);
}

test.skipIf(process.platform !== 'linux')(
	'however its client is lost, and whatever it does, nothing of a broker is left',
	async () => {
		const next = random(1);
		const losses = Array.from({ length: runs(10) }, (_, n): Loss => {
			const way = WAYS[n % WAYS.length] ?? 'killed';
			const hasCommand = way !== 'lost' && (n >> 2) % 2 === 1;
			return {
				way,
				hasCommand,
				hasServer: (n >> 3) % 2 === 1,
				after: Math.floor(next() * (way === 'lost' ? 400 : 200)),
			};
		});
		expect(await failuresOf(losses, 6, lose)).toEqual([]);
	},
);
