import { defineConfig } from 'vitest/config';

/** Limits catch a hang; no test measures time. */
export default defineConfig({
	test: {
		// Most tests wait for processes that they start.
		maxWorkers: 4,
		projects: [
			{
				test: {
					name: 'unit',
					include: ['server/**/*.test.ts', 'plugin/**/*.test.ts'],
					testTimeout: 30_000,
				},
			},
			{
				test: {
					name: 'stdio',
					include: ['stdio/**/*.test.ts'],
					globalSetup: ['support/prepared.ts'],
					testTimeout: 120_000,
				},
			},
			{
				// By themselves: real installs have the time limits that users have.
				test: {
					name: 'bootstrap',
					include: ['bootstrap/**/*.test.ts'],
					globalSetup: ['support/prepared.ts'],
					testTimeout: 120_000,
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
					include: ['claude/**/*.test.ts'],
					testTimeout: 300_000,
					hookTimeout: 300_000,
				},
			},
		],
	},
});
