import type { Style } from '../cli/style.ts';
import { cleaned } from '../text/terminal.ts';
import { type Finding, type Status, worst } from './finding.ts';

const MARKS: Record<Status, string> = { ok: '✔', warning: '▲', failure: '✘' };

const EXIT_STATUS: Record<Status, number> = { ok: 0, warning: 1, failure: 2 };

/** 0 where all is well, 1 with warnings, 2 with failures. */
export function exitStatusOf(findings: readonly Finding[]): number {
	return EXIT_STATUS[worst(findings)];
}

/** For a person: a line for each finding, and below it what to do. */
export function findingLines(findings: readonly Finding[], version: string, style: Style): string {
	const width = Math.max(0, ...findings.map(({ check }) => check.length));
	const indent = ' '.repeat(width + 4);
	const lines = findings.flatMap(({ check, status, message, excerpt = [], next }) => [
		`${painted(status, style)} ${cleaned(check.padEnd(width))}  ${cleaned(message)}`,
		...excerpt.map((line) => `${indent}${cleaned(line)}`),
		...(next ?? '')
			.split('\n')
			.map((line, at) => (line === '' ? '' : `${indent}${at === 0 ? '→ ' : '    '}${cleaned(line)}`)),
	]);
	const text = lines.filter((line) => line !== '').join('\n');
	return `${style.heading(`Context Broker ${version}`)}\n\n${text}\n\n${summary(findings)}\n`;
}

/** For a program. */
export function findingsJson(findings: readonly Finding[], version: string): string {
	return `${JSON.stringify({ version, status: worst(findings), findings }, null, 2)}\n`;
}

function painted(status: Status, style: Style): string {
	const paint = { ok: style.shown, warning: style.warning, failure: style.failure }[status];
	return paint(MARKS[status]);
}

function summary(findings: readonly Finding[]): string {
	const count = (status: Status) => findings.filter((finding) => finding.status === status).length;
	const [failures, warnings] = [count('failure'), count('warning')];
	if (failures + warnings === 0) return 'All is well.';
	const parts = [
		...(failures > 0 ? [failures === 1 ? '1 failure' : `${failures} failures`] : []),
		...(warnings > 0 ? [warnings === 1 ? '1 warning' : `${warnings} warnings`] : []),
	];
	return `${parts.join(', ')}. Each line with an arrow says what to do.`;
}
