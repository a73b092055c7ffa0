import { bench, describe } from 'vitest';
import { prepareRuns, repeatedFile } from '../../server/redaction/file-runs.ts';

/** A result of 30,000 characters is compared with a file of the maximum size. */
describe('the look at results', () => {
	const entry = (n: number) => `Customer ${(n * 7919) % 99_991} Example, mail${n}@corp.example, +49 228 ${n}`;
	let text = '';
	for (let n = 0; text.length < 490_000; n++) text += `- ${entry(n)}\n`;
	const file = { path: 'catalog', text };
	bench('prepare a file of 490,000 characters', () => {
		prepareRuns([file]);
	});

	const runs = prepareRuns([file]);
	const written = (write: (n: number) => string) => {
		let result = '';
		for (let n = 0; result.length < 30_000; n++) result += `${write(n)}\n`;
		return result.slice(0, 30_000);
	};
	const results = {
		code: written((n) => `\tif (isEmpty(list[${n}])) return undefined; // nothing is left of it`),
		'code with the same names': written((n) => `const x${n} = "${entry((n * 13) % 8000)}";`),
		'its beginnings, over and over': written((n) => `Customer ${((n * 31 * 7919) % 99_991) + 1} Example, mail`),
		'path-like text': written(
			(n) => `- Customer ${(n * 7919) % 99_991} Example, mail${n}@corp.example, a/b/c${'.d'.repeat(60)}`,
		),
	};
	for (const [kind, result] of Object.entries(results)) {
		bench(`compare ${kind}`, () => {
			repeatedFile(result, runs);
		});
	}
});
