import { expect, test } from 'vitest';
import { Answers } from '../../../server/policy/answers.ts';

const TEXT = '# Catalog\n- Zebulon Quux, zebulon.quux@mail.example\n';
const QUOTE = 'I found Zebulon Quux in line 3.';

function answersWith() {
	const later: (() => void)[] = [];
	const answers = new Answers((work) => later.push(work));
	return { answers, later };
}

test('a file is made ready when nobody waits, and an answer that comes before that is checked all the same', async () => {
	const { answers, later } = answersWith();
	answers.add('a1', '/c.md', TEXT);
	expect(later).toHaveLength(1);
	const expected = { text: 'I found [context:L2] in line 3.', passages: 1, lines: [2] };
	expect(await answers.check(QUOTE, answers.filesOf(['a1']))).toEqual(expected);
	for (const work of later) work();
	expect(await answers.check(QUOTE, answers.filesOf(['a1']))).toEqual(expected);
});

test('one version of a file is made ready once, however many agents load it', () => {
	const { answers, later } = answersWith();
	for (const agent of ['a1', 'a1', 'a2']) answers.add(agent, '/c.md', TEXT);
	for (const work of later) work();
	expect(answers.filesOf(['a1', 'a2'])).toHaveLength(1);
	answers.add('a1', '/c.md', `${TEXT}- more\n`);
	expect(answers.filesOf(['a1', 'a2'])).toHaveLength(2);
});
