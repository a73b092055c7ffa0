import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node';
import { waysReporter } from './claude/ways/reporter.ts';

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

/** Else a file that is short and takes minutes comes last, when nothing is left to run beside it. */
class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith('/claude/hanging.test.ts');
		return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
	}
}

/** How many runs of a property, as a share of those that CI makes. */
const RUNS: Readonly<Record<string, string>> = { full: '1', torture: '10' };

/** With `--mode full`, as CI runs them, also what takes long: files that are named so, and all runs of a property. */
export default defineConfig(({ mode }) => {
	const exclude = mode in RUNS ? configDefaults.exclude : [...configDefaults.exclude, '**/*.long.test.ts'];
	const env = { PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? RUNS[mode] ?? '0.1' };
	const times = Math.max(1, Number(env.PROPERTY_RUNS));
	/** They catch a hang, in milliseconds: no test measures time, and a busy machine takes ten times as long as another one. */
	const limits = { expect: { poll: { timeout: 60_000 } }, testTimeout: 300_000 * times, hookTimeout: 300_000 };
	return {
		test: {
			reporters: ['default', tellSkipped, waysReporter],
			// Most tests wait for processes that they start.
			maxWorkers: 4,
			sequence: { sequencer: LongestFirst },
			projects: [
				{
					test: {
						name: 'unit',
						...limits,
						include: ['server/**/*.test.ts', 'plugin/**/*.test.ts', 'results/**/*.test.ts'],
						...{ exclude, env },
						// Loading the sources for each file by itself took a third of the time.
						isolate: false,
						// Less than what takes time that grows with the square of a text.
						testTimeout: 120_000 * times,
					},
				},
				{
					test: {
						name: 'stdio',
						...limits,
						include: ['stdio/**/*.test.ts'],
						...{ exclude, env },
						globalSetup: ['support/prepared.ts'],
					},
				},
				{
					// By themselves: real installs have the time limits that users have.
					test: {
						name: 'bootstrap',
						...limits,
						include: ['bootstrap/**/*.test.ts'],
						env,
						globalSetup: ['support/prepared.ts'],
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
