import { defineConfig } from 'vitest/config';

/** Of what is waited for, in milliseconds; the default of a second is not enough where other tests run beside. */
const waiting = { expect: { poll: { timeout: 15_000 } } };

/** Limits catch a hang; no test measures time. */
export default defineConfig({
	test: {
		// Most tests wait for processes that they start.
		maxWorkers: 4,
		projects: [
			{
				test: {
					name: 'unit',
					...waiting,
					include: ['server/**/*.test.ts', 'plugin/**/*.test.ts'],
					testTimeout: 30_000,
				},
			},
			{
				test: {
					name: 'stdio',
					...waiting,
					include: ['stdio/**/*.test.ts'],
					globalSetup: ['support/prepared.ts'],
					testTimeout: 120_000,
				},
			},
			{
				// By themselves: real installs have the time limits that users have.
				test: {
					name: 'bootstrap',
					...waiting,
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
					...waiting,
					include: ['claude/**/*.test.ts'],
					testTimeout: 300_000,
					hookTimeout: 300_000,
				},
			},
			{
				test: {
					name: 'clients',
					...waiting,
					include: ['clients/**/*.test.ts'],
					globalSetup: ['support/prepared.ts'],
					testTimeout: 120_000,
				},
			},
		],
	},
});
