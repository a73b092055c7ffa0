import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Row } from '../row.ts';
import { type Conversation, codeOf, textOf } from '../support/conversation.ts';
import {
	CATALOG,
	copyPlugin,
	Installation,
	KEY,
	oneLine,
	type Prepared,
	unlessSilent,
} from '../support/installation.ts';
import { tryAll } from '../support/pool.ts';
import { ROOT } from '../support/root.ts';
import { inScene, type Scene } from '../support/scene.ts';
import { changeOf, snapshotOf } from '../support/snapshot.ts';

/** @returns what does not hold, in a line */
type Fault = (installation: Installation, scene: Scene) => Promise<string | undefined>;

const isRoot = process.getuid?.() === 0;

const SCANNER = 'context-broker:privacy-scanner';
const TOOL = 'mcp__plugin_context-broker_broker__load_context';

/** How the machine fails, by what it is called where it does not hold. Mounting takes root. */
const FAULTS: Readonly<Record<string, Fault>> = {
	...(isRoot && {
		'disk full': async (installation, scene) => {
			scene.mountSmall(installation.data, '64k');
			return await isTold(installation, /^The disk is full\. Free about 100 MB/);
		},
		'data folder read-only': async (installation, scene) => {
			scene.makeReadOnly(installation.data);
			return await isTold(installation, /^The data folder .* can't be written \(EROFS\)\. Make it/);
		},
		'home read-only': async (installation, scene) => {
			scene.makeReadOnly(installation.home);
			return unlessSilent(await installation.prepare()) ?? (await installation.loadFault());
		},
	}),
	'no npm': async (installation, scene) => {
		const bin = scene.path('only-node');
		mkdirSync(bin);
		symlinkSync(process.execPath, join(bin, 'node'));
		const fresh = withoutPackages(installation, scene);
		return await isTold(fresh, /^npm was not found.* Install npm/, { PATH: bin });
	},
	'no network': async (installation, scene) => {
		const env = { npm_config_cache: scene.path('empty-cache'), npm_config_registry: await closedPort() };
		return await isTold(withoutPackages(installation, scene), /can't reach its registry \(ECONNREFUSED\)/, env);
	},
	'clock moved back': clockMovedBack,
	'data folder deleted under a running broker': dataFolderDeleted,
	'two versions of the plugin at once': twoVersions,
};

const NAMES = Object.keys(FAULTS);

/** What a machine can do to the broker. */
export const faults: Row = {
	name: 'faults',
	holds: 'it works, or says what to do; no file of the user is touched',
	full: 3 * NAMES.length,
	short: NAMES.length,
	seconds: [45, 15],
	run: (run) =>
		tryAll(run, 2, (index) =>
			inScene(async (scene) => {
				const name = NAMES[index % NAMES.length] ?? '';
				const data = scene.path('data');
				mkdirSync(join(data, 'notes'), { recursive: true });
				writeFileSync(join(data, 'notes', 'of-the-user.txt'), 'mine\n');
				const installation = new Installation(scene, ROOT, data);
				const before = [installation.home, data].map((folder) => snapshotOf(folder));
				const fault = await FAULTS[name]?.(installation, scene);
				const after = [installation.home, data].map((folder) => snapshotOf(folder, isOurs));
				const change = before.map((snapshot, at) => changeOf(snapshot, after[at] ?? new Map())).find(Boolean);
				// A full disk hides the folder that it is mounted on; a folder that the try removes itself is not touched.
				const isHidden = name === 'disk full' || name.startsWith('data folder deleted');
				const touched = isHidden ? changeOf(before[0] ?? new Map(), after[0] ?? new Map()) : change;
				return (fault ?? touched) && `${name}: ${fault ?? touched}`;
			}),
		),
};

/** What npm and the build have in the data folder: many files. */
const isOurs = (path: string) => /^(node_modules|builds)\//.test(path);

/** Both the hook and a server say what is wrong and what to do. */
async function isTold(
	installation: Installation,
	message: RegExp,
	env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
	const server = installation.serve(env);
	const [hook, hello] = await Promise.all([installation.prepare(env), server.initialize()]);
	// The client gets a server without tools, and is left.
	const listed = await server.ask('tools/list', {});
	await server.finish();
	if (hello === undefined || listed?.result?.tools?.length !== 0) return 'the client was not left in order';
	return notTold(hook, message) ?? notTold({ code: 0, stdout: '', stderr: server.errors }, message);
}

function notTold({ code, stdout, stderr }: Prepared, message: RegExp): string | undefined {
	const [, told = ''] = /^Context Broker is not ready\. ([^\n]+\.)\n$/.exec(stderr) ?? [];
	const isShown = stdout === '' || (JSON.parse(stdout) as { systemMessage: string }).systemMessage.includes(told);
	return code === 0 && message.test(told) && isShown
		? undefined
		: `was told: ${oneLine(stderr || `exit code ${code}`)}`;
}

/** The same user, with a plugin whose packages are not installed. */
function withoutPackages({ data }: Installation, scene: Scene): Installation {
	return new Installation(scene, copyPlugin(scene.path('plugin'), false), data);
}

async function closedPort(): Promise<string> {
	const server = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	return `http://127.0.0.1:${port}/`;
}

/** A broker that Claude Code speaks to, and how an agent loads. */
async function inClaudeCode(installation: Installation, env: Readonly<Record<string, string>> = {}) {
	const client = installation.serve({ CONTEXT_BROKER_ENABLED_TOOLS: 'all', ...env });
	await client.initialize('claude-code', '2.1.332');
	let uses = 0;
	return {
		client,
		approve: async () => {
			uses += 1;
			const use = `toolu_${uses}`;
			const input = { tool_use_id: use, tool_name: TOOL, tool_input: JSON.stringify({ key: KEY }) };
			await ask(client, { ...input, agent_id: 'a1', agent_type: SCANNER });
			return use;
		},
		load: async (use: string) => {
			const answer = await client.call('load_context', { key: KEY }, use);
			return textOf(answer) === CATALOG ? 'delivered' : codeOf(answer);
		},
		/** The main agent wants to read the private file. @returns what the hook's answer decides */
		readByMain: async () => {
			const file_path = join(installation.home, '.config', 'context-broker', 'catalog.md');
			const answer = await ask(client, {
				tool_use_id: 'toolu_read',
				tool_name: 'Read',
				tool_input: JSON.stringify({ file_path }),
			});
			return /"permissionDecision":"(\w+)"/.exec(textOf(answer) ?? '')?.[1] ?? 'no decision';
		},
	};
}

async function ask(client: Conversation, fields: object) {
	const event = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: '/', ...fields };
	return await client.call('guard', event);
}

/** A day back between the hook's question and the load, and on from there. */
async function clockMovedBack(installation: Installation, scene: Scene): Promise<string | undefined> {
	const [shift, flag] = [scene.path('shift.cjs'), scene.path('moved-back')];
	writeFileSync(
		shift,
		`const { existsSync } = require('node:fs');
const now = Date.now;
const shifted = () => now() - (existsSync(${JSON.stringify(flag)}) ? 86_400_000 : 0);
globalThis.Date = class extends Date {
	constructor(...parts) { if (parts.length === 0) super(shifted()); else super(...parts); }
	static now() { return shifted(); }
};
`,
	);
	const silent = unlessSilent(await installation.prepare());
	if (silent !== undefined) return silent;
	const { client, approve, load, readByMain } = await inClaudeCode(installation, {
		NODE_OPTIONS: `--require=${shift}`,
	});
	const use = await approve();
	writeFileSync(flag, '');
	const map = join(installation.home, '.config', 'context-broker', 'context-map.toml');
	const seen = [await load(use), await load(await approve()), await readByMain()];
	// The map is changed on a clock that went back.
	const yesterday = new Date(statSync(map).mtimeMs - 86_400_000);
	writeFileSync(map, '[keys]\n');
	utimesSync(map, yesterday, yesterday);
	seen.push(await load(await approve()));
	writeFileSync(map, MAP);
	utimesSync(map, yesterday, yesterday);
	seen.push(await load(await approve()));
	const code = await client.finish();
	// For a key that is gone the hook gives no approval.
	const wanted = 'delivered, delivered, deny, caller_unverified, delivered';
	if (seen.join(', ') !== wanted) return `${seen.join(', ')}, not ${wanted}`;
	return code === 0 && !client.errors.includes('internal_error')
		? undefined
		: `exit code ${code}: ${oneLine(client.errors)}`;
}

const MAP = `[keys]\n${KEY} = "catalog.md"\n`;

/** Removes a folder in which a broker may write at the same moment: Node empties it once only. */
function removeWhole(folder: string): void {
	for (let attempt = 0; existsSync(folder); attempt++) {
		try {
			rmSync(folder, { recursive: true, force: true });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || attempt === 100) throw error;
		}
	}
}

async function dataFolderDeleted(installation: Installation): Promise<string | undefined> {
	const silent = unlessSilent(await installation.prepare());
	if (silent !== undefined) return silent;
	const { client, approve, load, readByMain } = await inClaudeCode(installation);
	const before = await load(await approve());
	removeWhole(installation.data);
	const after = [before, await load(await approve()), await readByMain()].join(', ');
	const shell = await client.call('run_shell_command', { command: 'echo works' }, 'toolu_shell');
	const code = await client.finish();
	if (!/^delivered, (delivered|state_unwritable), deny$/.test(after)) return `load and hook gave: ${after}`;
	const output = shell?.result?.structuredContent?.output;
	const isRight = output === 'works\n' || codeOf(shell) === 'network_isolation_unavailable';
	if (!isRight) return `the shell gave ${codeOf(shell)}: ${oneLine(textOf(shell) ?? '')}`;
	if (code !== 0) return `the broker ended with ${code}`;
	// And the next session makes all anew.
	return unlessSilent(await installation.prepare()) ?? (await installation.loadFault());
}

/** Each removes the other's build as an old one, also while the other starts. */
async function twoVersions(installation: Installation, scene: Scene): Promise<string | undefined> {
	const versions = ['old', 'new'].map((name) => {
		const root = copyPlugin(scene.path(name), false);
		// The packages of the checkout, without a copy of them.
		symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
		writeFileSync(join(root, 'server', 'version.json'), name);
		return new Installation(scene, root, installation.data, 'user');
	});
	for (let turn = 0; turn < 3; turn++) {
		const results = await Promise.all(
			versions.flatMap((version) => [
				version.prepare().then(unlessSilent),
				version.loadFault(),
				version.loadFault({ CLAUDE_CODE_SESSION_ID: `s${turn}` }),
			]),
		);
		const fault = results.find((result) => result !== undefined);
		if (fault !== undefined) return `together, turn ${turn}: ${fault}`;
		for (const version of versions) {
			const alone = unlessSilent(await version.prepare()) ?? (await version.loadFault());
			if (alone !== undefined) return `in turns, turn ${turn}: ${alone}`;
		}
	}
	const left = readdirSync(installation.data).filter((name) => name.startsWith('.'));
	return left.length === 0 ? undefined : `left in the data folder: ${left.join(', ')}`;
}
