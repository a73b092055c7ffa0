import type { Redaction } from '../redaction/redact.ts';

/** How often an agent is asked to answer again, if what it says then can still be edited or withheld. */
export const ATTEMPTS = 2;

/** What an agent is told whose answer repeats private context: first where, then what to say instead. */
export function askAgain({ passages, lines, text }: Redaction, attempt: number): string {
	if (attempt < ATTEMPTS) return again(passages, lines);
	const words = attempt < 2 * ATTEMPTS ? text : GIVEN_UP;
	return `Your answer still repeats private context. Answer with exactly the following text and nothing else:\n\n${words}`;
}

function again(passages: number, lines: readonly number[]): string {
	const [count, where] = [passages === 1 ? 'one passage' : `${passages} passages`, lines.slice(0, 20).join(', ')];
	return `Your answer repeats ${count} of the private context (lines ${where} of it). Whoever reads your answer must not learn what is in it. Give your whole answer again, with a reference such as [context:L${lines[0] ?? 1}] in the place of each passage.`;
}

const GIVEN_UP = 'My report is withheld, since I could not give it without quoting private context.';
