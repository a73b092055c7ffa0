import type { ClientEvent } from '../claude/harness/client.ts';
import { type Block, textOf } from '../claude/harness/request.ts';
import { type Cell, COLUMNS, type Line, type Look, type Piece } from './terminal.ts';

/** A tool call of a session, and what it gave. */
interface Step {
	readonly bySubagent: boolean;
	readonly name: string;
	readonly input: Readonly<Record<string, unknown>>;
	readonly result: string;
}

/** The tool calls of a session, in order, from what the client printed. */
function stepsOf(events: readonly ClientEvent[]): Step[] {
	const blocks = events.flatMap(({ message, parent_tool_use_id }) => {
		const { content = [] } = (message ?? {}) as { readonly content?: string | readonly Block[] };
		return typeof content === 'string' ? [] : content.map((block) => ({ ...block, bySubagent: !!parent_tool_use_id }));
	});
	const results = new Map(blocks.map(({ tool_use_id, content }) => [tool_use_id, textOf(content)]));
	return blocks.flatMap(({ type, id, name = '', input, bySubagent }) =>
		type === 'tool_use' ? [{ bySubagent, name, input: input as Step['input'], result: results.get(id) ?? '' }] : [],
	);
}

/** A subagent's report, without what the client puts around it for the main agent. */
export function reportIn(result: string): string[] {
	const [, indented = ''] = result.split('The report follows:\n');
	const lines = indented.split('\n').filter((line) => line.startsWith('  ') && !line.includes('<tools-used'));
	return lines.join('\n').replace(/^ {2}/gm, '').trim().split('\n');
}

/**
 * What a person sees of a session in which one subagent works: calls and answers, but of what tools gave the subagent
 * only the length, and of what it asked them only what is not private.
 *
 * @param isPrivate whether a text holds something of the private file
 */
export function showSession(
	prompt: string,
	events: readonly ClientEvent[],
	isPrivate: (text: string) => boolean,
): Line[] {
	const [start, ...steps] = stepsOf(events);
	if (start?.name !== 'Agent' || !steps.every(({ bySubagent }) => bySubagent)) {
		throw new Error('The main agent was to start one subagent, and to do nothing else');
	}
	const [written, given] = [field(events, 'summary'), reportIn(start.result)];
	const quoted = referencesIn(given.join()) - referencesIn(written);
	const [words = '', ...moreWords] = wrap(field(events, 'result'), COLUMNS - 2);
	return [
		[cell(0, '❯', 'faint'), cell(2, prompt, 'strong')],
		[],
		[cell(0, '●', 'good'), cell(2, `${start.input.subagent_type}(${start.input.description})`, 'strong')],
		...steps.flatMap((step) => showStep(step, isPrivate)),
		[
			cell(2, '└', 'faint'),
			cell(5, `It quoted ${quoted} entries. The broker gave the main agent references in their place:`),
		],
		[],
		...showReport(given),
		[],
		[cell(0, '●'), withReferences(2, words)],
		...moreWords.map((line) => [withReferences(2, line)]),
	];
}

function cell(column: number, text: string, look?: Look): Cell {
	return { column, pieces: [look === undefined ? { text } : { text, look }] };
}

/** A field of the newest event that has it. */
function field(events: readonly ClientEvent[], name: string): string {
	return String(events.findLast((event) => name in event)?.[name]);
}

function referencesIn(text: string): number {
	return text.split('[context:L').length - 1;
}

function showStep({ name, input, result }: Step, isPrivate: (text: string) => boolean): Line[] {
	const [[parameter, value] = []] = Object.entries(input);
	const argument: Piece = isPrivate(String(value))
		? { text: 'private', look: 'private' }
		: { text: JSON.stringify(value) };
	const call = { column: 5, pieces: [{ text: `${name.split('__').at(-1)}(${parameter}: ` }, argument, { text: ')' }] };
	return [
		[cell(2, '└', 'faint'), call],
		[cell(5, `private: ${result.length} characters, for this agent only`, 'private')],
	];
}

/** Markdown, its table with columns in line. */
function showReport(report: readonly string[]): Line[] {
	const rows = report.filter((line) => line.startsWith('|') && !line.startsWith('|-'));
	const cells = rows.map((row) =>
		row
			.slice(1, -1)
			.split('|')
			.map((cell) => cell.trim()),
	);
	const widths = (cells[0] ?? []).map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)) + 3);
	const starts = widths.map((_, index) => widths.slice(0, index).reduce((sum, width) => sum + width, 5));
	const table = cells.map((row, line) =>
		row.map((text, index) => {
			const column = starts[index] ?? 0;
			return line === 0 ? cell(column, text, 'faint') : withReferences(column, text);
		}),
	);
	const rest = report.filter((line) => !line.startsWith('|') && line !== '');
	return [...table, [], ...rest.map((line) => [withReferences(5, line.replaceAll('**', ''))])];
}

/** A text whose references stand out. */
function withReferences(column: number, text: string): Cell {
	const parts = text.split(/(\[context:L\d+\])/).filter((part) => part !== '');
	const pieces = parts.map(
		(part): Piece => (part.startsWith('[context:') ? { text: part, look: 'reference' } : { text: part }),
	);
	return { column, pieces };
}

function wrap(text: string, width: number): string[] {
	return [...text.matchAll(new RegExp(`(?!\\s).{1,${width}}(?=\\s|$)`, 'g'))].map(([line]) => line);
}
