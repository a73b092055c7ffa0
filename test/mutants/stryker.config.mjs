import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default {
	testRunner: 'vitest',
	vitest: { configFile: 'test/mutants/vitest.config.mjs', related: false },
	mutate: [`server/${process.env.ROOM}/**/*.ts`],
	// Decisions alone.
	mutator: {
		excludedMutations: [
			...['StringLiteral', 'Regex', 'ObjectLiteral', 'ArrowFunction', 'ArithmeticOperator', 'UpdateOperator'],
			...['AssignmentOperator', 'UnaryOperator', 'OptionalChaining'],
		],
	},
	ignoreStatic: true,
	concurrency: 2,
	timeoutMS: 30_000,
	reporters: ['clear-text', 'progress-append-only'],
	tempDirName: join(tmpdir(), 'context-broker-mutants'),
};
