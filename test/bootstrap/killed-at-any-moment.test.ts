import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import program from '../../server/bootstrap/program.cjs';
import { loaded, TEXT, withContext } from '../support/first-start.ts';
import {
	createInstallation,
	givePackages,
	HINDERED,
	type Installation,
	outcome,
	READY,
	SILENT,
	wasHindered,
} from '../support/installation.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { killAll, processesNaming } from '../support/processes.ts';
import { random } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { digest, type Snapshot, snapshotOf } from '../support/snapshot.ts';
import { failuresOf } from '../support/tries.ts';

/** Who is killed: npm is there only if packages have to be installed. And how long a first start takes, at most. */
const KINDS = {
	installing: { victims: ['npm', 'the hook', 'the server', 'npm', 'the build'], longest: 4_500 },
	building: { victims: ['the hook', 'the server', 'the build'], longest: 900 },
} as const;

/** One in so many installs its packages first, which takes ten times as long. */
const INSTALLING = 10;

interface Kill {
	readonly kind: keyof typeof KINDS;
	readonly victim: (typeof KINDS)[keyof typeof KINDS]['victims'][number];
	/** Milliseconds: after the start, or after npm or the build is there. */
	readonly after: number;
	/** The data folder. */
	readonly name: string;
}

/** The same plugin and user, with another data folder. */
function elsewhere(installation: Installation, name: string): Installation {
	const data = join(dirname(installation.data), name);
	const env = { ...installation.env, CLAUDE_PLUGIN_DATA: data };
	const start: Installation['start'] = (args, more) => installation.start(args, { ...env, ...more });
	const run: Installation['run'] = async (args, more) => await outcome(start(args, more));
	return { ...installation, data, env, start, run, contents: async () => readdirSync(data).sort() };
}

/** Starts the hook and the server, as Claude Code does, and kills one. */
async function killOne(installation: Installation, { kind, victim, after }: Kill): Promise<void> {
	const [hook, server] = [installation.start(['prepare']), installation.start([])];
	const [told, served] = [outcome(hook), outcome(server)];
	if (victim === 'the hook' || victim === 'the server') {
		await delay(after);
		(victim === 'the hook' ? hook : server).kill('SIGKILL');
	} else {
		const pattern = victim === 'npm' ? /npm ci\b/ : /esbuild.* --service/;
		const victims = () => processesNaming(installation.data, pattern);
		if (await appears(victims, hook, KINDS[kind].longest)) {
			await delay(after);
			killAll(victims());
		}
	}
	if (victim !== 'the hook') {
		const { code, stderr } = await told;
		expect(code).toBe(0);
		// Either it worked, or it says what to do.
		if (stderr !== '')
			expect(stderr).toMatch(/^Context Broker is not ready\. .*(start a new session|report this message)/i);
	}
	// The session is over.
	server.stdin?.end();
	await served;
	hook.kill('SIGKILL');
}

/** Once the hook is done, there is nothing to kill any more. */
async function appears(victims: () => number[], hook: ChildProcess, longest: number): Promise<boolean> {
	for (const end = performance.now() + longest; hook.exitCode === null && performance.now() < end; ) {
		if (victims().length > 0) return true;
		await delay(20);
	}
	return false;
}

/** The next start works, with whole files, and leaves no work behind. */
async function expectNextStart(installation: Installation, packages: Snapshot, build: Snapshot | undefined) {
	expect(await installation.run(['prepare'])).toEqual(SILENT);
	expect(await loaded(installation)).toBe(TEXT);
	await expect.poll(() => processesNaming(installation.data), { interval: 100 }).toEqual([]);
	expect(await installation.contents()).toEqual(build === undefined ? READY : ['builds']);
	expect(packagesOf(installation)).toEqual(packages);
	const made = buildOf(installation);
	if (build !== undefined) return void expect(made).toEqual(build);
	// The folder of the packages counts in the names of a build: it is made again in the same place.
	rmSync(join(installation.data, 'builds'), { recursive: true });
	expect(await installation.run(['prepare'])).toEqual(SILENT);
	expect(buildOf(installation)).toMatchObject(made);
}

/** npm's packages by their files. */
function packagesOf({ data }: Installation): Snapshot {
	const folder = join(data, 'node_modules');
	return existsSync(folder) ? snapshotOf(folder) : {};
}

/** The build by its programs. What V8 makes of those is not the same twice. */
function buildOf({ data }: Installation): Snapshot {
	return Object.fromEntries(
		readdirSync(join(data, 'builds')).map((name) => {
			const content = readFileSync(join(data, 'builds', name));
			if (name.endsWith('.later')) return [name, sourcesIn(content)];
			if (name.endsWith('.code')) return [name, isTwice(content.subarray(0, -1)) ? 'whole' : 'damaged'];
			return [name, digest(content)];
		}),
	);
}

/** As pack.mjs writes it: an index of where each piece lies, and the code that V8 made of it twice. */
function sourcesIn(later: Buffer): string {
	const index: Record<string, [number, number, number]> = JSON.parse(later.toString('latin1', 0, program.INDEX_LENGTH));
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

test.skipIf(process.platform !== 'linux')(
	'kill -9 at any moment of a first start: the next one works, with whole files, and leaves no work behind',
	async ({ skip }) => {
		const next = random(1);
		const kills = Array.from({ length: runs(6) }, (_, n): Kill => {
			const kind = n % INSTALLING === 0 ? 'installing' : 'building';
			const { victims, longest } = KINDS[kind];
			const victim = victims[Math.floor(next() * victims.length)] ?? 'the hook';
			const most = { npm: 3_000, 'the build': 300, 'the hook': longest, 'the server': longest }[victim];
			return { kind, victim, after: Math.floor(next() * most), name: `try-${n}` };
		});
		const plugins = {
			installing: await withContext(await createInstallation({ isReal: true })),
			building: await withContext(await createInstallation({ isReal: true })),
		};
		await givePackages(plugins.building.root, PLUGIN_ROOT);
		const clean = {
			installing: elsewhere(plugins.installing, 'clean'),
			building: elsewhere(plugins.building, 'clean'),
		};
		const installed = await clean.installing.run(['prepare']);
		skip(wasHindered(installed), HINDERED);
		expect([installed, await clean.building.run(['prepare'])]).toEqual([SILENT, SILENT]);
		const builds = { installing: undefined, building: buildOf(clean.building) };
		const failures = await failuresOf(kills, 3, async (kill) => {
			const installation = elsewhere(plugins[kill.kind], kill.name);
			await killOne(installation, kill);
			await expectNextStart(installation, packagesOf(clean[kill.kind]), builds[kill.kind]);
		});
		expect(failures).toEqual([]);
	},
);
