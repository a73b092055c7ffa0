import type { Outcome } from '../decision-log/decision.ts';
import { cleaned, type DecisionRecord } from '../decision-log/record.ts';
import type { Style } from './style.ts';

/** What the broker has decided. */
export interface DecisionSource {
	/** Whether it is written down now; a sentence where nobody knows. */
	isOn(): Promise<boolean | string>;
	/** The oldest first. @param until goes on with what comes, until it is aborted */
	records(until?: AbortSignal): AsyncIterable<DecisionRecord>;
}

export interface ShowDecisionsOptions {
	/** The only one to be shown, by its id. */
	readonly session?: string;
	/** Whether to go on with what comes. */
	readonly follows: boolean;
	/** For a program: a line of JSON each. */
	readonly isJson: boolean;
	readonly style: Style;
	readonly write: (text: string) => void;
	/** Tells the person something that is no part of the result. */
	readonly tell: (sentence: string) => void;
	/** Aborted when nobody wants more. */
	readonly interruption: AbortSignal;
}

/** Shows them, and what to do where there are none. */
export async function showDecisions(source: DecisionSource, options: ShowDecisionsOptions): Promise<void> {
	const { session, follows, isJson, style, write, tell, interruption } = options;
	const isOn = await source.isOn();
	if (typeof isOn === 'string') tell(`It can not be told whether decisions are logged. ${isOn}`);
	if (follows && isOn === false) tell(OFF);
	const wanted = session === undefined ? undefined : cleaned(session);
	let shown: string | undefined;
	for await (const record of source.records(follows ? interruption : undefined)) {
		if (interruption.aborted) return;
		if (wanted !== undefined && record.session !== wanted) continue;
		if (!isJson && record.session !== shown) write(headingOf(record.session, style));
		shown = record.session;
		write(isJson ? jsonOf(record) : lineOf(record, style));
	}
	if (follows) return;
	const none = session === undefined ? 'No decision is logged yet.' : `No decision of session ${wanted} is logged.`;
	if (shown === undefined && isJson) tell(isOn === false ? OFF : none);
	else if (shown === undefined) write(`${isOn === false ? OFF : none}\n`);
	else if (isOn === false) tell(`This was logged before. ${OFF}`);
}

const OFF = `Decisions are not logged. These two lines in your context-map.toml have them logged from then on:

[log]
decisions = true`;

/** What is not let pass stands out. */
const KEPT: readonly Outcome[] = ['refused', 'withheld', 'failed'];

const WIDEST_OUTCOME = 9;

function headingOf(session: string, { heading }: Style): string {
	return `${heading(session === '' ? 'Session unknown' : `Session ${session}`)}\n`;
}

function lineOf({ at, tool, outcome, reason, key, ...caller }: DecisionRecord, style: Style): string {
	const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
	const paint = KEPT.includes(outcome) ? style.heading : style.shown;
	const parts = [
		`${time}Z`,
		paint(outcome.padEnd(WIDEST_OUTCOME)),
		...(outcome === 'private' ? ['this session'] : [tool === '' ? 'answer' : tool, callerName(caller)]),
		...(reason === undefined ? [] : [reason]),
		...(key === undefined ? [] : [`key ${key}`]),
	];
	return `${parts.join('  ')}\n`;
}

function callerName({ agent, type = '' }: Pick<DecisionRecord, 'agent' | 'type'>): string {
	if (agent === undefined) return 'unknown';
	if (agent === '') return type === '' ? 'main' : `main as ${type}`;
	return type === '' ? agent : `${type} ${agent}`;
}

function jsonOf({ at, session, agent, type, tool, outcome, reason, key }: DecisionRecord): string {
	const orNull = { agent: agent ?? null, type: type ?? null, tool: tool === '' ? null : tool };
	const rest = { outcome, reason: reason ?? null, key: key ?? null };
	return `${JSON.stringify({ time: new Date(at).toISOString(), session, ...orNull, ...rest })}\n`;
}
