import { expect, test } from 'vitest';
import { Quotations } from '../../../server/policy/quotations.ts';
import { createGuard, SCANNER } from '../../support/guard.ts';

const TEXT = '# Catalog\n- Zebulon Quux, zebulon.quux@mail.example\n';
const FILE = { path: '/c.md', text: TEXT };

test('an answer is checked whether or not the file was made ready before', async () => {
	const quotations = new Quotations();
	const expected = { text: 'I found [context:L2] in line 3.', passages: 1, lines: [2] };
	for (let turn = 0; turn < 2; turn++) {
		expect(await quotations.check('I found Zebulon Quux in line 3.', [FILE])).toEqual(expected);
	}
	expect(quotations.prepare(FILE)).toBeInstanceOf(Promise);
	expect(await quotations.prepare(FILE)).toBe(await quotations.prepare(FILE));
});

test('what is there already may be repeated', async () => {
	const quotations = new Quotations();
	expect(await quotations.areIn('Zebulon\\nQuux', [FILE])).toBe(true);
	expect(await quotations.areIn('Zebulon Quux', [FILE], 'by Zebulon Quux')).toBe(false);
	expect(await quotations.areIn('zebulon.quux@mail.example', [FILE], 'nothing')).toBe(true);
	const two = { path: '/c.md', text: `${TEXT}- Aloysia Brandenburgh\n` };
	const other = { path: '/d.md', text: '- Isidor Vandergelder\n' };
	for (const files of [[two], [two, other], [other, two]])
		expect(await quotations.areIn('Zebulon Quux, Aloysia Brandenburgh', files, 'Zebulon Quux')).toBe(true);
});

test('a file is made ready when nobody waits, unless quotations are let pass', async () => {
	for (const off of [[], ['quoting']] as const) {
		const works: (() => void)[] = [];
		const { guard, state } = createGuard({ entries: new Map(), off, allowTools: [], isolation: [] });
		Object.assign(state.options, { defer: (work: () => void) => void works.push(work) });
		await state.map.read();
		const caller = { session: 's1', agent: 'a1', type: SCANNER, transcript: '/t.jsonl' };
		await guard.note({ key: 'k', caller }, '/c.md', TEXT, true);
		expect(works).toHaveLength(1);
		let prepared = 0;
		state.quotations.prepare = async () => {
			prepared += 1;
			throw new Error('Nobody waits.');
		};
		for (const work of works) work();
		expect(prepared).toBe(off.length === 0 ? 1 : 0);
	}
});
