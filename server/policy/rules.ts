import { BrokerError, type ErrorCode, type Evidence } from '../errors.ts';
import type { Redaction } from '../redaction/redact.ts';
import { ATTEMPTS, askAgain } from './ask-again.ts';
import type { Verdict } from './tool-isolation/executors.ts';

/** What a rule about a tool call goes by. All of it is gathered before: no rule looks anything up. */
export interface CallFacts {
	/** What to do about a private file that Claude Code would attach; undefined if there is none. */
	readonly attached: string | undefined;
	/** Whether the call can carry something out of the machine. */
	readonly isEgress: boolean;
	/** Whether it starts a copy of the caller. */
	readonly startsFork: boolean;
	/** Whether the caller has private data in its context. */
	readonly holdsPrivateData: boolean;
	/** Whether the caller has loaded, here or in an earlier process. */
	readonly hasLoaded: boolean;
	/** Whether the map gives the caller anything. */
	readonly mayLoad: boolean;
	/** What of the call gets at a protected file. */
	readonly evidence: Evidence | undefined;
	/** Why nobody knows whether the tool is isolated. */
	readonly unknownIsolation: BrokerError | undefined;
	readonly isolation: Verdict | undefined;
	/** Whether the call gives on what the caller has loaded: to another agent, or into a file. */
	readonly quotes: boolean;
	/** Whether it has an agent that has loaded go on. */
	readonly resumes: boolean;
	/** Whether it ends an agent whose answer so far nobody would check. */
	readonly endsUnchecked: boolean;
	/** The input that has an agent which may load run in the foreground; undefined if it need not be changed. */
	readonly inForeground: object | undefined;
}

/** What a rule about the result of a tool goes by that gives what agents said. */
export interface ResultFacts {
	/** Whether one of the agents has loaded, and another process served it then. */
	readonly hasLoadedElsewhere: boolean;
	/** Whether one may load and has not finished. */
	readonly isRunning: boolean;
	/** The same result with references in the place of quotations; undefined if it has none. */
	readonly redacted: RedactedResult | undefined;
}

export interface RedactedResult {
	readonly output: unknown;
	/** Each once. */
	readonly lines: readonly number[];
	/** Of the files. */
	readonly paths: readonly string[];
}

/** What a rule about the answer of a subagent goes by. */
export interface AnswerFacts {
	/** What it repeats of what the agent has loaded. */
	readonly repeated: Redaction | undefined;
	/** Which answer it is, counted from 1. */
	readonly attempt: number;
	/** Whether a later hook can edit or withhold it. */
	readonly canBeEdited: boolean;
}

/** What a rule about the next request goes by. */
export interface RequestFacts {
	/** As in {@link CallFacts}. */
	readonly attached: string | undefined;
	/** Whether a quotation goes out with it. */
	readonly quotes: boolean;
}

/** What a rule about a prompt goes by, or about a notification in its place. */
export interface PromptFacts {
	/** As in {@link CallFacts}. */
	readonly attached: string | undefined;
	/** Whether another main agent began the conversation, and has loaded in it. */
	readonly isOfOther: boolean;
	/** The agent whose notification must not be given on. */
	readonly notifier: { readonly id: string; readonly type: string | undefined } | undefined;
}

/** @returns undefined if it has nothing to say */
export type Rule<Facts, Outcome> = (facts: Facts) => Outcome | undefined;

/** Rules by name, in the order in which they are asked: the first that says something counts. */
export type Rules<Facts, Outcome> = Readonly<Record<string, Rule<Facts, Outcome>>>;

export interface Refusal {
	readonly refuse: BrokerError;
	/** The code by which the protection is found that refuses, if another one can give the same error. */
	readonly by?: ErrorCode;
}

/** What becomes of a call: it is refused, or it goes on with another input. */
export type CallOutcome = Refusal | { readonly input: object };

/** What stands in the place of a result: one text for each of its texts, or other content. */
export type ResultOutcome = { readonly withhold: Withheld } | { readonly replace: RedactedResult };

export type Withheld = 'after_restart' | 'still_running' | 'not_checked';

/** Before a tool call other than a load. */
export const BEFORE_TOOL: Rules<CallFacts, CallOutcome> = {
	attachedFile,
	outwardTool: (facts) => refuseIf(facts.isEgress && facts.holdsPrivateData, 'outward_tool'),
	fork: (facts) => refuseIf(facts.startsFork && (facts.hasLoaded || facts.holdsPrivateData), 'do_not_fork'),
	protectedFile: ({ evidence, mayLoad }) => evidence && { refuse: protectedFile(evidence, mayLoad) },
	unknownIsolation: ({ unknownIsolation }) => unknownIsolation && { refuse: unknownIsolation },
	isolatedTool: ({ isolation }) => isolation?.refuse && { refuse: isolation.refuse },
	quotation: ({ quotes }) => refuseIf(quotes, 'do_not_quote'),
	resumption: ({ resumes }) => refuseIf(resumes, 'do_not_resume'),
	uncheckedEnd: ({ endsUnchecked }) =>
		endsUnchecked ? { refuse: new BrokerError('answer_withheld', ENDED) } : undefined,
	executor: ({ isolation }) => isolation?.input && { input: isolation.input },
	foreground: ({ inForeground }) => inForeground && { input: inForeground },
};

/** After a tool call that gives what agents said. */
export const AFTER_TOOL: Rules<ResultFacts, ResultOutcome> = {
	loadedElsewhere: ({ hasLoadedElsewhere }) => (hasLoadedElsewhere ? { withhold: 'after_restart' } : undefined),
	unfinished: ({ isRunning }) => (isRunning ? { withhold: 'still_running' } : undefined),
	quotation: ({ redacted }) => redacted && { replace: redacted },
};

/** Before a subagent ends with its answer: what it is told if it has to answer again. */
export const BEFORE_STOP: Rules<AnswerFacts, string> = {
	quotation: ({ repeated, attempt, canBeEdited }) =>
		repeated === undefined || (attempt > ATTEMPTS && canBeEdited) ? undefined : askAgain(repeated, attempt),
};

/** Before a request that brings results along. What cannot be kept back now stays in the conversation. */
export const BEFORE_REQUEST: Rules<RequestFacts, Refusal> = {
	attachedFile,
	quotation: ({ quotes }) => (quotes ? { refuse: new BrokerError('do_not_continue'), by: 'do_not_quote' } : undefined),
};

/** Before a prompt. */
export const BEFORE_PROMPT: Rules<PromptFacts, Refusal> = {
	attachedFile,
	otherConversation: ({ isOfOther }) => refuseIf(isOfOther, 'do_not_continue'),
	notification: ({ notifier }) =>
		notifier && {
			refuse: new BrokerError('answer_withheld', { detail: `It is of ${notifier.type} (${notifier.id}).` }),
		},
};

/** What the first of some rules says. */
export function decide<Facts, Outcome>(rules: Rules<Facts, Outcome>, facts: Facts): Outcome | undefined {
	for (const rule of Object.values(rules)) {
		const outcome = rule(facts);
		if (outcome !== undefined) return outcome;
	}
	return undefined;
}

/** @param mayLoad whether the map gives the caller anything */
export function protectedFile(evidence: Evidence, mayLoad: boolean): BrokerError {
	if (evidence.how === 'too_complex') return new BrokerError('protected_file', { ...TOO_COMPLEX, evidence });
	return new BrokerError('protected_file', mayLoad ? { ...LOAD_IT, evidence } : { evidence });
}

function attachedFile({ attached }: Pick<CallFacts, 'attached'>): Refusal | undefined {
	return attached === undefined ? undefined : { refuse: new BrokerError('attached_file', { next: attached }) };
}

function refuseIf(is: boolean, code: ErrorCode): Refusal | undefined {
	return is ? { refuse: new BrokerError(code) } : undefined;
}

const TOO_COMPLEX = {
	detail: 'It is too long or too deeply nested to be checked.',
	next: 'Make it shorter or simpler: split it up, or write a long text into a file by the tool for that.',
};

const LOAD_IT = {
	next: 'What your own key leads to you get by load_context, and in no other way. A search of a folder above it can be narrowed to other folders.',
};

const ENDED = {
	detail: 'If this agent were stopped, what it has said so far would be its answer, and not be checked.',
	next: 'Wait until it has finished.',
};
