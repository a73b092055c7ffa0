import type { Style } from '../cli/style.ts';
import { cleaned } from '../text/terminal.ts';

/** A check's outcome. Advice is optional. A warning works, but needs a look. */
export type Status = 'ok' | 'advice' | 'warning' | 'failure';

export interface Finding {
	/** The subject, in a word or two. */
	readonly check: string;
	readonly status: Status;
	readonly message: string;
	readonly next?: string;
	/** Lines of the map around a fault, or a server's output: for the user's own terminal only. */
	readonly excerpt?: readonly string[];
}

/** @param message with a full stop only if it is a sentence */
export function ok(check: string, message: string): Finding {
	return { check, status: 'ok', message };
}

export function advice(check: string, message: string, next: string): Finding {
	return { check, status: 'advice', message, next };
}

export function warning(check: string, message: string, next: string): Finding {
	return { check, status: 'warning', message, next };
}

export function failure(check: string, message: string, next: string): Finding {
	return { check, status: 'failure', message, next };
}

const MARKS: Record<Status, string> = { ok: '✔', advice: '•', warning: '▲', failure: '✘' };

const EXIT_STATUS: Record<Status, number> = { ok: 0, advice: 0, warning: 1, failure: 2 };

function worst(findings: readonly Finding[]): Status {
	return (['failure', 'warning'] as const).find((status) => findings.some((each) => each.status === status)) ?? 'ok';
}

export function exitStatusOf(findings: readonly Finding[]): number {
	return EXIT_STATUS[worst(findings)];
}

/** Text for the user: a line for each finding, and below it what to do. */
export function findingLines(findings: readonly Finding[], version: string, style: Style): string {
	const width = Math.max(0, ...findings.map(({ check }) => check.length));
	const indent = ' '.repeat(width + 4);
	const paint = { ok: style.shown, advice: style.heading, warning: style.warning, failure: style.failure };
	const lines = findings.flatMap(({ check, status, message, excerpt = [], next = '' }) => [
		`${paint[status](MARKS[status])} ${cleaned(check.padEnd(width))}  ${cleaned(message)}`,
		...excerpt.map((line) => `${indent}${cleaned(line)}`),
		...next.split('\n').map((line, at) => (line === '' ? '' : `${indent}${at === 0 ? '→ ' : '    '}${cleaned(line)}`)),
	]);
	const text = lines.filter((line) => line !== '').join('\n');
	return `${style.heading(`Context Broker ${version}`)}\n\n${text}\n\n${summary(findings)}\n`;
}

export function findingsJson(findings: readonly Finding[], version: string): string {
	return `${JSON.stringify({ version, status: worst(findings), findings }, null, 2)}\n`;
}

function summary(findings: readonly Finding[]): string {
	const parts = (['failure', 'warning'] as const).flatMap((status) => {
		const count = findings.filter((finding) => finding.status === status).length;
		return count === 0 ? [] : [`${count} ${status}${count === 1 ? '' : 's'}`];
	});
	return parts.length === 0 ? 'All is well.' : `${parts.join(', ')}. Each line with an arrow says what to do.`;
}
