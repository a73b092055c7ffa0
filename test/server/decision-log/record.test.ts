import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecisionRecord, lineOf, recordIn } from '../../../server/decision-log/record.ts';

const RECORD: DecisionRecord = {
	...{ at: 1_000, session: 's1', agent: 'a1', type: 'reader', tool: 'load_context' },
	...{ outcome: 'refused', reason: 'unknown_key', key: '0123456789ab' },
};

test('a line holds the whole record, and no more', () => {
	expect(recordIn(lineOf(RECORD))).toEqual(RECORD);
	const least = { at: 0, session: '', tool: '', outcome: 'private' } as const;
	expect(lineOf({ ...least, agent: undefined })).toBe('{"at":0,"session":"","tool":"","outcome":"private"}\n');
	expect(lineOf({ ...RECORD, ...{ path: '/private' } })).toBe(lineOf(RECORD));
});

test('names can not bring control characters, directions of writing or line breaks with them', () => {
	const type = 'a\u001b[2J\r\nb\u0000\u0085\u2028\u202ec\ud800';
	const line = lineOf({ ...RECORD, type });
	expect(recordIn(line)?.type).toBe('a\ufffd[2J\ufffd\ufffdb\ufffd\ufffd\ufffd\ufffdc\ufffd');
});

test('whatever names there are, a line is one, is read again, and is small enough to be written at once', () => {
	const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constant('\u{1f600}'.repeat(500)));
	fc.assert(
		fc.property(name, name, name, name, (session, agent, type, tool) => {
			const line = lineOf({ ...RECORD, session, agent, type, tool });
			expect(line.indexOf('\n')).toBe(line.length - 1);
			expect(Buffer.byteLength(line)).toBeLessThan(4_096);
			const record = recordIn(line);
			expect(record).toBeDefined();
			if (record !== undefined) expect(lineOf(record)).toBe(line);
		}),
	);
});

test.each([
	'',
	'{',
	'null',
	'{"at":0,"session":"s1"}',
	JSON.stringify({ ...RECORD, more: 1 }),
	JSON.stringify({ ...RECORD, outcome: 'won' }),
	JSON.stringify({ ...RECORD, at: 1e20 }),
	JSON.stringify({ ...RECORD, tool: '\u001b[2J' }),
])('what is no record is left out: %s', (line) => {
	expect(recordIn(line)).toBeUndefined();
});
