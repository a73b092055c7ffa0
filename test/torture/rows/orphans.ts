import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import type { Row } from '../row.ts';
import { Conversation } from '../support/conversation.ts';
import { tryAll } from '../support/pool.ts';
import { processesNaming, survivors, until } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';
import { inScene, type Scene, tryToKill } from '../support/scene.ts';

/** Milliseconds in which all of a broker has to be gone. */
const LIMIT = 5_000;

/** Milliseconds that a broker, a command or a server gets to be there. */
const PATIENCE = 20_000;

/**
 * How the client is lost:
 *
 * - `killed`: with -9, while it speaks
 * - `wrapper`: the same, and a shell holds the broker's input open that is still there
 * - `fork`: the broker's parent was gone at its start, and then the client is killed
 * - `lost`: the parent was gone at its start, nobody speaks, and a shell holds the input open
 */
const WAYS = ['killed', 'wrapper', 'fork', 'lost'] as const;

const CLIENT = join(ROOT, 'test', 'torture', 'support', 'lost-client.mjs');
const BOOTSTRAP = join(ROOT, 'server', 'bootstrap.cjs');
const SERVER = join(ROOT, 'test', 'support', 'recording-server.mjs');

/** Every way in which a client goes, while the broker does nothing or much. */
export const orphans: Row = {
	name: 'orphans',
	holds: 'no process of the broker is left 5 s after its client',
	full: 100,
	short: 10,
	seconds: [40, 15],
	unavailable: () => (process.platform === 'linux' ? undefined : 'processes are looked for in /proc'),
	run: (run) =>
		inScene(async (scene) => {
			const data = scene.path('data');
			const env = { PATH: process.env.PATH, HOME: scene.folder, CLAUDE_PLUGIN_DATA: data };
			execFileSync(process.execPath, [BOOTSTRAP, 'prepare'], { env });
			await tryAll(run, 6, (index, random) => lose(scene, data, index, random));
		}),
};

async function lose(scene: Scene, data: string, index: number, random: Random): Promise<string | undefined> {
	const way = WAYS[index % WAYS.length] ?? 'killed';
	const hasCommand = way !== 'lost' && (index >> 2) % 2 === 1;
	const hasServer = (index >> 3) % 2 === 1;
	// Each process of this try names it: in its environment, or in its command line.
	const token = `try-${index}-${random.below(1e9)}`;
	const fifo = scene.path(`fifo-${index}`);
	execFileSync('mkfifo', [fifo]);
	const hold = ['-c', 'exec 3<>"$1"; sleep 60; exit', 'sh', fifo];
	const holds = way === 'wrapper' || way === 'lost';
	const bare = { env: { PATH: process.env.PATH }, stdio: 'ignore' } as const;
	const holder = holds ? scene.start('sh', hold, bare) : undefined;
	const parent = { killed: 'pipe', wrapper: `fifo:${fifo}`, fork: `fork:${fifo}`, lost: `fork:${fifo}` }[way];

	const client = scene.start(process.execPath, [CLIENT, parent, process.execPath, BOOTSTRAP], {
		env: {
			PATH: process.env.PATH,
			HOME: homeOf(scene, token, hasServer),
			CLAUDE_PLUGIN_DATA: data,
			CONTEXT_BROKER_ENABLED_TOOLS: 'all',
		},
	});
	try {
		const fault = way === 'lost' ? undefined : await makeBusy(new Conversation(client), token, hasCommand, hasServer);
		if (fault !== undefined) return `${way}: ${fault}`;
		// The client, the shell that waits, or the broker.
		if (way === 'lost') await until(() => processesNaming(token).length > 1, PATIENCE);
		// Somewhere in what it does, also while it starts.
		await new Promise((resolve) => setTimeout(resolve, random.below(way === 'lost' ? 400 : 200)));
		client.kill('SIGKILL');
		const left = await survivors([token], LIMIT);
		const what = `${way}${hasCommand ? ', a command' : ''}${hasServer ? ', a server' : ''}`;
		return left.length === 0 ? undefined : `${what}: ${left.length} left after 5 s`;
	} finally {
		client.kill('SIGKILL');
		holder?.kill('SIGKILL');
		for (const pid of processesNaming(token)) tryToKill(pid);
	}
}

/** A home with a map. */
function homeOf(scene: Scene, token: string, hasServer: boolean): string {
	const home = scene.path(token);
	const config = join(home, '.config', 'context-broker');
	mkdirSync(config, { recursive: true });
	const args = JSON.stringify([SERVER, join(home, 'calls.log')]);
	const server = `[mcp_servers.up]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
	writeFileSync(join(config, 'context-map.toml'), `[keys]\n${hasServer ? server : ''}`);
	return home;
}

/** @returns what did not come about, if anything */
async function makeBusy(
	client: Conversation,
	token: string,
	hasCommand: boolean,
	hasServer: boolean,
): Promise<string | undefined> {
	if ((await client.initialize()) === undefined) return 'the broker did not start';
	if (hasServer) {
		const end = performance.now() + PATIENCE;
		for (;;) {
			const tools = (await client.ask('tools/list', {}))?.result?.tools ?? [];
			if (tools.some(({ name }) => name.startsWith('up__'))) break;
			if (performance.now() > end) return 'the server behind it did not start';
		}
	}
	if (!hasCommand) return undefined;
	// One in the background, one in a session of its own, and one that does not want to end.
	const mark = `: ${token}`;
	const sleep = `sh -c '${mark}; trap "" TERM; sleep 50; sleep 50; :'`;
	void client.call('run_shell_command', { command: `${sleep} & setsid ${sleep} >/dev/null 2>&1 & ${sleep}` });
	const running = () => processesNaming(`-c ${mark}`, `-c\0${mark}`).length >= 3;
	return (await until(running, PATIENCE)) ? undefined : 'the command did not start';
}
