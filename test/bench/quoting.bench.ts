import { bench, describe } from 'vitest';
import { prepareFile } from '../../server/redaction/passages.ts';
import { redact } from '../../server/redaction/redact.ts';

/** An answer is compared with files of the maximum size. */
describe('quoting', () => {
	let entries = '# Entries\n\n';
	for (let n = 0; entries.length < 480_000; n++) {
		entries += `- Zuri Quell${n} (sales), zuri.quell${n}@mail.example, +1 555 ${1_000_000 + n}\n`;
	}
	let prose = '';
	for (let n = 0; prose.length < 480_000; n++) {
		prose += `Contract ${n} was signed by the second owner of the house, who wants to sell it before the winter.\n`;
	}
	let report = '| file | line | entry | certainty |\n|---|---|---|---|\n';
	for (let n = 0; report.length < 20_000; n++) {
		report += `| src/fixtures/people${n}.ts | ${n} | Names, entry ${n % 40} | ${n % 3 === 0 ? 'certain' : 'likely'} |\n`;
	}

	for (const [kind, text] of Object.entries({ entries, prose })) {
		bench(`prepare ${kind} of 480,000 characters`, () => {
			prepareFile(text);
		});
		const file = prepareFile(text);
		bench(`redact a report of 20,000 characters against ${kind}`, () => {
			redact(report, [file]);
		});
	}
	const file = prepareFile(entries);
	bench('redact an answer that is 20,000 characters of the file', () => {
		redact(entries.slice(0, 20_000), [file]);
	});
});
