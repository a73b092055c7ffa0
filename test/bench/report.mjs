import { holds } from './row.mjs';

/** @typedef {import('./row.mjs').Row} Row */

const HEAD = ['figure', 'broker', 'compared with', '', 'ratio', 'target', ''];
/** The columns of numbers. */
const RIGHT = [1, 3, 4, 5];

/** @param {readonly Row[]} rows @returns {string} a table for people */
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

/** @param {readonly Row[]} rows @returns {string} the table of the README */
export function toMarkdown(rows) {
	const lines = [HEAD.slice(0, -1), HEAD.slice(0, -1).map(() => '---'), ...rows.map((row) => cells(row).slice(0, -1))];
	return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
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
