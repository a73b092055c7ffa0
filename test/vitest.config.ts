import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, DefaultReporter, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import { waysReporter } from './claude/ways/reporter.ts';
import { givenErrorsReporter } from './support/given-errors.ts';

// Whoever runs them: tests write files with modes that they name. Workers inherit it.
process.umask(0o022);

/** Says at the end what could not be tried here, and why. */
const tellSkipped: Reporter = {
	onTestRunEnd(modules) {
		for (const test of modules.flatMap(({ children }) => [...children.allTests('skipped')])) {
			const { note } = test.result() as { note?: string };
			if (note !== undefined) process.stdout.write(`Skipped, since ${note}: ${test.fullName}\n`);
		}
	},
};

/** Says what took how long: seconds of each project's files together, and of the longest ones. */
const tellDurations: Reporter = {
	onTestRunEnd(modules) {
		const seconds = (some: readonly TestModule[]) =>
			Math.round(some.reduce((sum, module) => sum + module.diagnostic().duration, 0) / 1_000);
		const line = (name: string, some: readonly TestModule[]) => `${String(seconds(some)).padStart(6)} s  ${name}\n`;
		const names = [...new Set(modules.map(({ project }) => project.name))];
		const byLength = modules.toSorted((a, b) => b.diagnostic().duration - a.diagnostic().duration);
		process.stdout.write(
			[
				'\nWhat took how long (several run at once):\n',
				...names.map((name) =>
					line(
						`${name}, all together`,
						modules.filter(({ project }) => project.name === name),
					),
				),
				...byLength.slice(0, 15).map((module) => line(module.relativeModuleId, [module])),
			].join(''),
		);
	},
};

/** The runner's own, which says at the end once more what failed: of a long log, the end is what people are shown. */
class ClosingReporter extends DefaultReporter {
	#failed: readonly string[] = [];

	override onTestRunEnd(...args: Parameters<DefaultReporter['onTestRunEnd']>): void {
		const failed = args[0].flatMap(({ children }) => [...children.allTests('failed')]);
		this.#failed = failed.map((test) => {
			const [reason = ''] = test.result().errors?.map(({ message }) => message.split('\n', 1)[0]) ?? [];
			return `Failed: ${test.module.relativeModuleId} > ${test.fullName}: ${reason.slice(0, 200)}\n`;
		});
		super.onTestRunEnd(...args);
	}

	override reportTestSummary(...args: Parameters<DefaultReporter['reportTestSummary']>): void {
		process.stdout.write(this.#failed.slice(0, 5).join(''));
		super.reportTestSummary(...args);
	}
}

/** Files that take long, most of it waiting, come first: at the end, nothing is left to run beside them. */
const LONGEST = [
	'claude/hanging',
	'stdio/servers/patience.long',
	'server/cli/properties',
	'claude/first-session',
	'stdio/shell/limits.long',
	'claude/stranger',
	'claude/marketplace',
	'stdio/servers/faults.long',
	'claude/traces',
	'server/redaction/hostile-files.long',
];

class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification) => {
			const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
			return found < 0 ? LONGEST.length : found;
		};
		return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
	}
}

/** Files that take long, and those with a property, of which `npm test` makes a tenth of the runs. */
function longFilesIn(folder: string): string[] {
	const files = readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => {
			const hasProperty = () =>
				readFileSync(new URL(`${folder}/${file}`, import.meta.url), 'utf8').includes('support/runs.ts');
			return file.endsWith('.long.test.ts') || (file.endsWith('.test.ts') && hasProperty());
		})
		.map((file) => `${folder}/${file.replaceAll(sep, '/')}`);
}

/** How many runs of a property, as a share of those that CI makes. */
const RUNS: Readonly<Record<string, string>> = { long: '1', torture: '10' };

/** With `--mode long`, what `npm test` leaves to the full run; with `--mode torture` ten times as much of it. */
export default defineConfig(({ mode }) => {
	const isLong = mode in RUNS;
	const filesOf = (...folders: readonly string[]) =>
		isLong
			? { include: folders.flatMap(longFilesIn) }
			: {
					include: folders.map((folder) => `${folder}/**/*.test.ts`),
					exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
				};
	const env = { PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? RUNS[mode] ?? '0.1' };
	// On Linux and macOS, tests skip themselves.
	const setupFiles = process.platform === 'win32' ? ['windows/skip.ts'] : [];
	const times = Math.max(1, Number(env.PROPERTY_RUNS));
	/** They catch a hang, in milliseconds: no test measures time, and a busy machine takes ten times as long as another one. */
	const limits = { expect: { poll: { timeout: 180_000 } }, testTimeout: 600_000 * times, hookTimeout: 300_000 };
	return {
		test: {
			// The runner's own summary comes last.
			reporters: [tellDurations, tellSkipped, waysReporter, givenErrorsReporter, new ClosingReporter()],
			// Most tests wait for processes that they start.
			maxWorkers: 5,
			sequence: { sequencer: LongestFirst },
			projects: [
				{
					test: {
						name: 'unit',
						...limits,
						...filesOf('server', 'plugin', 'results'),
						env,
						setupFiles,
						// Loading the sources for each file by itself took a third of the time.
						isolate: false,
					},
				},
				{
					test: {
						name: 'stdio',
						...limits,
						...filesOf('stdio'),
						env,
						setupFiles,
						globalSetup: ['support/prepared.ts'],
					},
				},
				{
					// The stdio tests that depend on the system: processes, signals, the network.
					test: {
						name: 'darwin',
						...limits,
						include: [
							...['cancel', 'commands', 'ending', 'limits.long'].map((name) => `stdio/shell/${name}.test.ts`),
							...['servers/faults.long', 'lifetime', 'private-session.long'].map((name) => `stdio/${name}.test.ts`),
						],
						env: { ...env, TESTED_SYSTEM: 'darwin' },
						globalSetup: ['support/prepared.ts', 'support/system.ts'],
					},
				},
				{
					// By themselves, after all others: first starts have the time limits that users have.
					test: {
						name: 'bootstrap',
						...limits,
						include: ['bootstrap/**/*.test.ts'],
						env,
						globalSetup: ['support/prepared.ts', 'support/tiny-plugin.ts'],
						sequence: { groupOrder: 1 },
					},
				},
				{
					test: {
						name: 'bench',
						include: [],
						benchmark: { include: ['bench/**/*.bench.ts'] },
					},
				},
				{
					test: {
						name: 'claude',
						...limits,
						include: ['claude/**/*.test.ts'],
						setupFiles,
						globalSetup: ['support/prepared.ts'],
					},
				},
				{
					test: {
						name: 'clients',
						...limits,
						include: ['clients/**/*.test.ts'],
						globalSetup: ['support/prepared.ts'],
					},
				},
			],
		},
	};
});
