export default {
	test: {
		include: [`test/server/${process.env.ROOM}/**/*.test.ts`],
		exclude: ['**/*.long.test.ts'],
		env: { PROPERTY_RUNS: '0.1' },
		isolate: false,
		// As in vitest.config.ts: the first run takes several times as long, since it measures coverage.
		testTimeout: 120_000,
	},
};
