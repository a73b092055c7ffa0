import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHold, prepareEntries } from '../../../server/redaction/occurrences.ts';
import { prepareFile } from '../../../server/redaction/passages.ts';
import { redact } from '../../../server/redaction/redact.ts';
import { TextCleaner } from '../../../server/traces/clean-text.ts';
import { CATALOG, holdsMarker, MARKERS } from '../../claude/markers.ts';
import { runs } from '../../support/runs.ts';

const cleaner = new TextCleaner([CATALOG], ['/home/zebulon-quux-marker', '/home/zebulon-quux-marker/work']);
const clean = (text: string) => cleaner.clean(text);

/** Letters and blanks that make no marker. */
const innocent = fc.string({ unit: fc.constantFrom(...'abcdefg xyz.,:/-_"\\\n\t{}[]é😀<&;'), maxLength: 60 });

/** A marker, as it may be written. */
const written = fc
	.tuple(
		fc.constantFrom(...MARKERS),
		fc.constantFrom(
			(marker: string) => marker,
			(marker: string) => marker.toUpperCase(),
			(marker: string) => marker.normalize('NFD').replaceAll(' ', '\n'),
			(marker: string) => marker.replaceAll(' ', '  _'),
			(marker: string) => [...marker].join('\u200b'),
			(marker: string) => marker.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
			(marker: string) => marker.replaceAll(' ', '\t'),
		),
	)
	.map(([marker, write]) => write(marker));

const text = fc
	.array(fc.oneof(innocent, written, fc.constant(CATALOG)), { maxLength: 5 })
	.map((pieces) => pieces.join(' | '));

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		text,
		fc.constantFrom(null, true, 12, -1.5e3),
		fc.array(tie('value'), { maxLength: 3 }),
		fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
		tie('value').map((value) => JSON.stringify(value)),
	),
}));
const line = fc.dictionary(fc.string({ maxLength: 5 }), json, { minKeys: 1 }).map((value) => JSON.stringify(value));

/** Texts, and those in JSON that is written as text. */
function stringsIn(value: unknown): string[] {
	if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(stringsIn);
	if (typeof value !== 'string') return [];
	try {
		const inner: unknown = JSON.parse(value);
		return typeof inner === 'object' || typeof inner === 'string' ? stringsIn(inner) : [value];
	} catch {
		return [value];
	}
}

describe('a line of JSON', () => {
	test('is JSON afterwards, of the same shape, one line, and holds nothing', () => {
		fc.assert(
			fc.property(line, (before) => {
				const after = clean(before);
				const shape = (value: unknown): unknown =>
					Array.isArray(value) ? value.map(shape) : typeof value === 'string' ? '' : value;
				expect(Object.values(JSON.parse(after)).map(shape).length).toBe(Object.values(JSON.parse(before)).length);
				expect(after).not.toContain('\n');
				expect(stringsIn(JSON.parse(after)).filter(holdsMarker)).toEqual([]);
				expect(
					stringsIn(JSON.parse(after)).filter((each) => redact(each, [prepareFile(CATALOG)]).passages > 0),
				).toEqual([]);
				expect(clean(after)).toBe(after);
			}),
			{ numRuns: runs(500) },
		);
	});

	test('stays as it is, byte for byte, if it repeats nothing', () => {
		const quiet = fc.dictionary(
			innocent,
			fc.oneof(innocent, fc.array(innocent), fc.double(), fc.dictionary(innocent, innocent)),
		);
		fc.assert(
			fc.property(quiet, (value) => {
				expect(clean(JSON.stringify(value))).toBe(JSON.stringify(value));
			}),
		);
		const odd = '  {"a" : "\\u0041\\/b",\t"c":[1.0e3 ,{}]} \r';
		expect(clean(odd)).toBe(odd);
	});

	test('keeps what is in the other strings as it is written', () => {
		const before = `{"uuid":"3646d8d0-6bee-4a27-a2fd-4edf223bb8a4", "a":"\\u0041\\/b", "text":"by ${MARKERS[0]}."}`;
		expect(clean(before)).toBe(before.replace(MARKERS[0] as string, '[context:L3]'));
	});

	test('keeps a picture and a signature that hold a short name by chance', () => {
		const names = new TextCleaner(['- Kim Lee\n- Kim\n'], []);
		const data = `${'iVBORw0KGgoAAAAn'.repeat(20)}Kim/${'SUhEUgAAAAEAAAAB'.repeat(20)}`;
		const line = JSON.stringify({ source: { type: 'base64', data }, signature: `${data}Cg==`, text: 'by Kim' });
		expect(names.clean(line)).toBe(line.replace('by Kim', 'by [context:L2]'));
	});

	test.each([
		['as it is', CATALOG],
		['with numbers before its lines', CATALOG.replace(/^/gm, () => '     12→')],
		['with something before it', `Here it is:\n\n${CATALOG}`],
	])('has a sentence in the place of the whole file %s', (_, whole) => {
		const after = JSON.parse(clean(JSON.stringify({ content: [{ type: 'text', text: whole }], other: 'x' })));
		const sentence = `[Context Broker removed ${whole.length} characters of private context that stood here.]`;
		expect(after).toEqual({ content: [{ type: 'text', text: sentence }], other: 'x' });
	});

	test.each([1, 2, 3])('is cleaned in JSON that is escaped %i times, also in half of such', (times) => {
		let value = JSON.stringify({ text: `a\nZebulon\nQuux-Marker\tb` });
		for (let time = 0; time < times; time++) value = JSON.stringify({ value });
		expect(clean(value)).toContain('[context:L3]');
		expect(() => JSON.parse(clean(value))).not.toThrow();
		const half = JSON.stringify({ output: value.slice(0, -4) });
		expect(JSON.parse(clean(half)).output).toContain('[context:L3]');
	});

	test('keeps ids, times and known paths of which a part stands in a private file', () => {
		const numbers = new TextCleaner(
			['- 4711\n- 2026\n- jdoe\n- 2026-11-29\n- 1234567890\n'],
			['/home/jdoe', '/home/jdoe/x'],
		);
		const kept = JSON.stringify({
			uuid: '3646d8d0-4711-4a27-a2fd-4edf223bb8a4',
			timestamp: '2026-11-29T01:57:40.192Z',
			cwd: '/home/jdoe/x',
			tokens: 4711,
			text: 'in /home/jdoe/x/y of 3646d8d0-4711-4a27-a2fd-4edf223bb8a4',
		});
		expect(numbers.clean(kept)).toBe(kept);
		expect(numbers.clean('{"a":"jdoe | 4711","n":1234567890}')).toBe(
			'{"a":"[context:L3] | [context:L1]","n":"[context:L5]"}',
		);
	});
});

describe('another text', () => {
	test('has as many lines as before, and holds nothing', () => {
		fc.assert(
			fc.property(text, (before) => {
				const after = clean(before);
				expect(after.split('\n').length).toBe(before.split('\n').length);
				expect(holdsMarker(after)).toBe(false);
				expect(clean(after)).toBe(after);
			}),
			{ numRuns: runs(500) },
		);
	});

	test('stays as it is if it repeats nothing', () => {
		fc.assert(
			fc.property(innocent, (before) => {
				expect(clean(before)).toBe(before);
			}),
		);
	});
});

test('the filter lets nothing through that is found', () => {
	const entries = prepareEntries(CATALOG);
	fc.assert(
		fc.property(fc.oneof(text, line), (each) => {
			if (redact(each, [entries.file]).passages > 0) expect(mayHold(each, entries)).toBe(true);
		}),
		{ numRuns: runs(1000) },
	);
});
