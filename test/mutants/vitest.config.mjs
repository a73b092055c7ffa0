export default {
	test: {
		include: [`test/server/${process.env.ROOM}/**/*.test.ts`],
		exclude: ['**/*.long.test.ts'],
		env: { PROPERTY_RUNS: '0.1' },
		isolate: false,
	},
};
