import { BrokerError, type Evidence } from '../errors.ts';
import type { Verdict } from './tool-isolation/tool-isolation.ts';

/** What a rule about a tool call goes by. All of it is gathered before: no rule looks anything up. */
export interface CallFacts {
	/** What to do about a private file that Claude Code would attach; undefined if there is none. */
	readonly attached: string | undefined;
	/** Whether the call can carry something out of the machine. */
	readonly isOutward: boolean;
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

/** What becomes of a call: it is refused, or it goes on with another input. */
export type Outcome = { readonly refuse: BrokerError } | { readonly input: object };

/** @returns undefined if it has nothing to say */
export type Rule<Facts> = (facts: Facts) => Outcome | undefined;

/** The rules about tool calls other than a load, in the order in which they are asked: the first that says something counts. */
export const BEFORE_TOOL: Readonly<Record<string, Rule<CallFacts>>> = {
	attachedFile: ({ attached }) =>
		attached === undefined ? undefined : { refuse: new BrokerError('attached_file', { next: attached }) },
	outwardTool: (facts) => refuseIf(facts.isOutward && facts.holdsPrivateData, 'outward_tool'),
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

/** What the first of some rules says. */
export function decide<Facts>(rules: Readonly<Record<string, Rule<Facts>>>, facts: Facts): Outcome | undefined {
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

function refuseIf(is: boolean, code: ConstructorParameters<typeof BrokerError>[0]): Outcome | undefined {
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
