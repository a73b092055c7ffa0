import { holds } from './row.mjs';

/** @typedef {import('./row.mjs').Row} Row */

const HEAD = ['figure', 'broker', 'compared with', '', 'ratio', 'target', ''];
/** Columns with numbers, which are right-aligned. */
const RIGHT = [1, 3, 4, 5];

/** @param {readonly Row[]} rows @returns {string} a table for the terminal */
export function toTable(rows) {
	const lines = [HEAD, ...rows.map(cells)];
	const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	lines.splice(
		1,
		0,
		widths.map((width) => '─'.repeat(width)),
	);
	return lines
		.map((line) =>
			widths
				.map((width, column) => (RIGHT.includes(column) ? line[column]?.padStart(width) : line[column]?.padEnd(width)))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** The figures that docs/machine.md shows, in this order. */
const SHOWN = [
	'cold start',
	'first session, to be built: Claude Code',
	'call of 10 KB, median',
	'call of a server behind it, median',
	'hooks: a call of Bash in 2.1.126',
	'hooks: a call of Bash in 2.1.332',
	'guard: answer of 20,000 characters checked',
	'with 1,000 agents remembered: decision about a shell command',
	'cleaning a transcript of 20 MB',
	'a search of 101 MB for 300 entries',
	'memory, idle',
	'50 brokers at once',
	'installed packages',
	'installed size',
];

/** What docs/machine.md says of a run. @param {{ date: string, node: string, cpus: number }} machine @param {readonly Row[]} rows */
export function toDocument({ date, node, cpus }, rows) {
	const shown = SHOWN.flatMap((name) => {
		const found = rows.filter(({ figure }) => figure === name);
		// If there are several comparisons, show those with a target.
		return found.length > 1 ? found.filter(({ target }) => target !== undefined) : found;
	});
	const lines = [HEAD, HEAD.map(() => '---'), ...shown.map(cells)].map(
		(line) => `| ${line.slice(0, -2).join(' | ')} |`,
	);
	return [`Run on ${date.slice(0, 10)} with Node ${node.slice(1)} and ${cpus} processors:`, '', ...lines, ''].join(
		'\n',
	);
}

/**
 * What a run says otherwise than docs/machine.md, though it does not depend on the machine: how many packages are installed.
 *
 * @param {string} document
 * @param {readonly Row[]} rows
 */
export function wrongCounts(document, rows) {
	const said = rows.filter(({ unit }) => unit === 'packages').map((row) => cells(row).slice(0, 2).join(' | '));
	return said.filter((each) => !document.includes(`| ${each} |`));
}

/** @param {Row} row @returns {string[]} */
function cells(row) {
	const { figure, unit, broker, against = '', other, ratio, difference, target } = row;
	const held = holds(row);
	return [
		figure,
		quantity(broker, unit),
		against,
		other === undefined ? '' : quantity(other, unit),
		difference === undefined ? (ratio?.toFixed(2) ?? '') : signed(difference, unit),
		target === undefined ? '' : `≤ ${target.of === 'ratio' ? target.limit : quantity(target.limit, unit)}`,
		held === undefined ? '' : held ? '✔' : '✘',
	];
}

/** @param {number} value @param {import('./row.mjs').Unit} unit */
function signed(value, unit) {
	return `${value < 0 ? '−' : '+'} ${quantity(Math.abs(value), unit)}`;
}

/** @param {number} value @param {import('./row.mjs').Unit} unit */
function quantity(value, unit) {
	if (unit === 'packages') return String(value);
	const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return `${value.toFixed(digits)} ${unit}`;
}
