import { BrokerError, type ErrorCode, type Evidence } from '../errors.ts';
import type { Redaction } from '../redaction/redact.ts';
import type { Verdict } from './tool-isolation/executors.ts';

/** The facts about a tool call. They are gathered first: no rule looks anything up. */
export interface CallFacts {
	readonly attached: string | undefined;
	readonly isEgress: boolean;
	/** Whether it starts a copy of the caller. */
	readonly startsForkedAgent: boolean;
	readonly holdsPrivateData: boolean;
	/** Whether the caller has loaded, here or in an earlier process. */
	readonly hasLoaded: boolean;
	readonly mayLoad: boolean;
	readonly evidence: Evidence | undefined;
	/** Why it is unknown whether the tool is isolated. */
	readonly unknownIsolation: BrokerError | undefined;
	readonly isolation: Verdict | undefined;
	/** Whether the call passes on what the caller has loaded: to another agent, or into a file. */
	readonly quotes: boolean;
	readonly resumes: boolean;
	/** Whether it ends an agent whose answer nobody would check. */
	readonly endsUnchecked: boolean;
	/** The changed input; undefined if nothing has to change. */
	readonly inForeground: object | undefined;
}

/** The facts about a tool's result. The first three are about what agents said. */
export interface ResultFacts {
	readonly hasLoadedElsewhere: boolean;
	/** Whether one may load and has not finished. */
	readonly isRunning: boolean;
	/** Undefined if nothing was quoted. */
	readonly redacted: RedactedResult | undefined;
	/** The path of a private file that it repeats, and that the caller may not have. */
	readonly repeats: string | undefined;
}

export interface RedactedResult {
	readonly output: unknown;
	readonly lines: readonly number[];
	readonly paths: readonly string[];
}

export interface AnswerFacts {
	readonly repeated: Redaction | undefined;
	/** Counted from 1. */
	readonly attempt: number;
	/** Whether a later hook can edit or withhold it. */
	readonly canBeEdited: boolean;
}

export interface RequestFacts extends Pick<CallFacts, 'attached'> {
	readonly quotes: boolean;
}

/** The facts about a prompt, or a notification in its place. */
export interface PromptFacts extends Pick<CallFacts, 'attached'> {
	/** Whether another main agent began the conversation, and has loaded in it. */
	readonly isOfOther: boolean;
	readonly notifier: { readonly id: string; readonly type: string | undefined } | undefined;
}

export type Rule<Facts, Outcome> = (facts: Facts) => Outcome | undefined;

/** Rules by name, in their order: the first that applies counts. */
export type Rules<Facts, Outcome> = Readonly<Record<string, Rule<Facts, Outcome>>>;

export interface Refusal {
	readonly refuse: BrokerError;
	/** The code of the protection that refuses, if another one can give the same error. */
	readonly by?: ErrorCode;
}

export type CallOutcome = Refusal | { readonly input: object };

/** Each text of a result is replaced by one sentence, or the whole by other content. */
export type ResultOutcome =
	| { readonly withhold: Withheld }
	| { readonly replace: RedactedResult }
	/** The path of the private file that it repeats. */
	| { readonly withholdFile: string }
	/** Why it could not be compared with the private files. */
	| { readonly unchecked: BrokerError };

export type Withheld = 'after_restart' | 'still_running' | 'not_checked';

/** How often an agent has to answer again if its answer can be edited or withheld afterwards. */
const MAX_ATTEMPTS = 2;

/** Before a tool call other than a load. */
export const BEFORE_TOOL: Rules<CallFacts, CallOutcome> = {
	attachedFile,
	outwardTool: (facts) => refuseIf(facts.isEgress && facts.holdsPrivateData, 'outward_tool'),
	fork: (facts) => refuseIf(facts.startsForkedAgent && (facts.hasLoaded || facts.holdsPrivateData), 'do_not_fork'),
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

export const AFTER_TOOL: Rules<ResultFacts, ResultOutcome> = {
	loadedElsewhere: ({ hasLoadedElsewhere }) => (hasLoadedElsewhere ? { withhold: 'after_restart' } : undefined),
	unfinished: ({ isRunning }) => (isRunning ? { withhold: 'still_running' } : undefined),
	quotation: ({ redacted }) => redacted && { replace: redacted },
	repeatedFile: ({ repeats }) => (repeats === undefined ? undefined : { withholdFile: repeats }),
};

/** Before a subagent ends with its answer. The outcome tells it what to do instead. */
export const BEFORE_STOP: Rules<AnswerFacts, string> = {
	quotation: ({ repeated, attempt, canBeEdited }) =>
		repeated === undefined || (attempt > MAX_ATTEMPTS && canBeEdited) ? undefined : askAgain(repeated, attempt),
};

/** Before a request with results. What is not withheld now stays in the conversation. */
export const BEFORE_REQUEST: Rules<RequestFacts, Refusal> = {
	attachedFile,
	quotation: ({ quotes }) => (quotes ? { refuse: new BrokerError('do_not_continue'), by: 'do_not_quote' } : undefined),
};

export const BEFORE_PROMPT: Rules<PromptFacts, Refusal> = {
	attachedFile,
	otherConversation: ({ isOfOther }) => refuseIf(isOfOther, 'do_not_continue'),
	notification: ({ notifier }) =>
		notifier && {
			refuse: new BrokerError('answer_withheld', { detail: `The agent is ${notifier.type} (${notifier.id}).` }),
		},
};

/** The outcome of the first rule that applies. */
export function decide<Facts, Outcome>(rules: Rules<Facts, Outcome>, facts: Facts): Outcome | undefined {
	for (const rule of Object.values(rules)) {
		const outcome = rule(facts);
		if (outcome !== undefined) return outcome;
	}
	return undefined;
}

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

function askAgain({ passages, lines, text }: Redaction, attempt: number): string {
	if (attempt < MAX_ATTEMPTS) {
		const [count, where] = [passages === 1 ? 'one passage' : `${passages} passages`, lines.slice(0, 20).join(', ')];
		return `Your answer repeats ${count} of the private context (lines ${where}). Nobody may learn from your answer what is in it. Give your whole answer again, with a reference such as [context:L${lines[0] ?? 1}] in place of each passage.`;
	}
	const words = attempt < 2 * MAX_ATTEMPTS ? text : GIVEN_UP;
	return `Your answer still repeats private context. Answer with exactly the following text and nothing else:\n\n${words}`;
}

const GIVEN_UP = 'My report is withheld because I could not give it without quoting private context.';

const TOO_COMPLEX = {
	detail: 'The call is too long or too deeply nested to be checked.',
	next: 'Make it shorter or simpler: split it, or write a long text into a file with the tool for that.',
};

const LOAD_IT = {
	next: 'Load the file of your own key with load_context; there is no other way. If you searched a parent folder, search other folders only.',
};

const ENDED = {
	detail: 'If you stop this agent now, its text so far becomes its answer, and nobody checks it.',
	next: 'Wait until it has finished.',
};
