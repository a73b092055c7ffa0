import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Row } from '../row.ts';
import { copyPlugin, Installation, oneLine, outcomeOf, READY, unlessSilent } from '../support/installation.ts';
import { tryAll } from '../support/pool.ts';
import { commandLine, processesNaming, survivors, until } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';
import { inScene, type Scene, tryToKill } from '../support/scene.ts';
import { changeOf, type Snapshot, snapshotOf } from '../support/snapshot.ts';

/** Who is killed. npm is there only where packages have to be installed. */
type Victim = 'the hook' | 'the server' | 'npm' | 'the build';

/** One in so many installs its packages first, which takes ten times as long. */
const INSTALLING = 10;

/** Milliseconds that a first start takes, at most: with packages to install, and without. */
const LONGEST = { installing: 4_500, building: 900 };

/** Milliseconds until what a killed process has left behind has ended by itself. */
const PATIENCE = 30_000;

/** `kill -9` at any moment of a first start. */
export const killedFirstStarts: Row = {
	name: 'killed first starts',
	holds: 'the next start works, with whole files, and leaves no work behind',
	full: 100,
	short: 6,
	seconds: [130, 20],
	unavailable: () => (process.platform === 'linux' ? undefined : 'processes are looked for in /proc'),
	run: (run) =>
		inScene(async (scene) => {
			const plugins = {
				installing: copyPlugin(scene.path('bare'), false),
				building: copyPlugin(scene.path('complete'), true),
			};
			const clean: Record<keyof typeof plugins, Clean> = {
				installing: { ...(await cleanStart(scene, plugins.installing, 'clean-bare')), build: undefined },
				building: await cleanStart(scene, plugins.building, 'clean-complete'),
			};
			await tryAll(run, 3, async (index, random) => {
				const kind = index % INSTALLING === 0 ? 'installing' : 'building';
				const name = `try-${index}`;
				const installation = new Installation(scene, plugins[kind], scene.path(name, 'data'), name);
				const victims: readonly Victim[] =
					kind === 'installing'
						? ['npm', 'the hook', 'the server', 'npm', 'the build']
						: ['the hook', 'the server', 'the build'];
				const victim = random.pick(victims);
				const fault =
					(await killOne(installation, victim, LONGEST[kind], random)) ?? (await nextStart(installation, clean[kind]));
				return fault && `${victim}, ${kind}: ${fault}`;
			});
		}),
};

/** Starts the hook and the server, as Claude Code does, and kills one. @returns what else went wrong */
async function killOne(
	installation: Installation,
	victim: Victim,
	longest: number,
	random: Random,
): Promise<string | undefined> {
	const hook = installation.start(['prepare']);
	const server = installation.start([]);
	const told = outcomeOf(hook);
	const served = outcomeOf(server);
	if (victim === 'the hook' || victim === 'the server') {
		await delay(random.below(longest));
		(victim === 'the hook' ? hook : server).kill('SIGKILL');
	} else {
		const pattern = victim === 'npm' ? /npm ci\b/ : /esbuild.* --service/;
		// Where it was missed, there is nothing to kill any more.
		const isOver = () => hook.exitCode !== null;
		const found = await until(() => isOver() || processesIn(installation, pattern), longest, 20);
		if (Array.isArray(found)) {
			await delay(random.below(victim === 'npm' ? 3_000 : 300));
			for (const pid of processesIn(installation, pattern) ?? []) tryToKill(pid);
		}
	}
	if (victim !== 'the hook') {
		const { code, stderr } = await told;
		// Either it worked, or it says what to do.
		const isClear =
			stderr === '' || /^Context Broker is not ready\. .*(start a new session|report this message)/i.test(stderr);
		if (code !== 0 || !isClear) return `the hook ended with ${code}: ${oneLine(stderr)}`;
	}
	// The session is over.
	server.stdin?.end();
	await served;
	hook.kill('SIGKILL');
	return undefined;
}

/** The processes of an installation by their command lines. */
function processesIn({ data }: Installation, pattern: RegExp): number[] | undefined {
	const found = processesNaming(data).filter((pid) => pattern.test(commandLine(pid)));
	return found.length === 0 ? undefined : found;
}

async function nextStart(installation: Installation, clean: Clean): Promise<string | undefined> {
	const fault = unlessSilent(await installation.prepare()) ?? (await installation.loadFault());
	if (fault !== undefined) return `then ${fault}`;
	const left = await survivors([installation.data], PATIENCE);
	if (left.length > 0) return `${left.length} processes are left`;
	const contents = installation.contents().join();
	if (contents !== (clean.packages.size > 0 ? READY.join() : 'builds')) return `the data folder holds ${contents}`;
	const changed = changeOf(clean.packages, packagesOf(installation));
	if (changed !== undefined) return changed;
	const made = buildOf(installation);
	if (clean.build !== undefined) return changeOf(clean.build, made);
	rmSync(join(installation.data, 'builds'), { recursive: true });
	return unlessSilent(await installation.prepare()) ?? changeOf(buildOf(installation), made);
}

/** What a start makes that nobody disturbs. */
interface Clean {
	readonly packages: Snapshot;
	/** Undefined where it is to be made in the same place: the folder of the packages counts in the names in it. */
	readonly build: Snapshot | undefined;
}

async function cleanStart(scene: Scene, root: string, name: string): Promise<Clean> {
	const installation = new Installation(scene, root, scene.path(name, 'data'), name);
	const fault = unlessSilent(await installation.prepare());
	if (fault !== undefined) throw new Error(fault);
	return { packages: packagesOf(installation), build: buildOf(installation) };
}

/** npm's packages by their files. */
function packagesOf({ data }: Installation): Snapshot {
	const folder = join(data, 'node_modules');
	return existsSync(folder) ? snapshotOf(folder) : new Map();
}

/** The build by its programs. What V8 makes of those is not the same twice. */
function buildOf({ data }: Installation): Snapshot {
	const files = new Map<string, string>();
	for (const name of readdirSync(join(data, 'builds'))) {
		const content = readFileSync(join(data, 'builds', name));
		if (name.endsWith('.later')) files.set(name, sourcesIn(content));
		else if (name.endsWith('.code')) files.set(name, isTwice(content.subarray(0, -1)) ? 'whole' : 'damaged');
		else files.set(name, digest(content));
	}
	return files;
}

/** @returns the bytes that the index of a file of later pieces takes */
function indexSize(): number {
	const program = createRequire(import.meta.url)(join(ROOT, 'server', 'bootstrap', 'program.cjs'));
	return (program as typeof import('../../../server/bootstrap/program.cjs')).INDEX_LENGTH;
}

/** As pack.mjs writes it: an index of where each piece lies, and the code that V8 made of it twice. */
function sourcesIn(later: Buffer): string {
	const index = JSON.parse(later.toString('latin1', 0, indexSize())) as Record<
		string,
		readonly [number, number, number]
	>;
	return Object.entries(index)
		.map(([name, [position, source, code]]) => {
			const text = later.subarray(position, position + source);
			const made = later.subarray(position + source, position + source + code);
			return `${name} ${digest(text)} ${made.length === code && isTwice(made) ? 'whole' : 'damaged'}`;
		})
		.join();
}

function isTwice(code: Buffer): boolean {
	return code.length > 0 && code.subarray(0, code.length / 2).equals(code.subarray(code.length / 2));
}

function digest(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
