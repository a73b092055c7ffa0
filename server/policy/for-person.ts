import type { HookAnswer, HookEvent } from '../claude-code/hooks.ts';
import type { BrokerError, ErrorCode, Evidence } from '../errors.ts';

const MAX_WORD_LENGTH = 120;

/** For the person, and for no model. @param by the code of the protection, if another one can give the same error */
export function refusalForPerson(event: RefusedEvent, error: BrokerError, map: string, by = error.code): string {
	const { tool_name: tool, agent_type: type } = event;
	const { code, evidence, message } = error;
	const what = `${tool || 'to continue'}${type === '' ? '' : ` of ${type}`}`;
	const why = evidence === undefined ? message : `${reason(evidence)}.`;
	return `Context Broker refused ${what} (${code}): ${why}${switchHint(by, tool, map)}`;
}

type RefusedEvent = Pick<HookEvent, 'tool_name' | 'agent_type'>;

export function replacementForPerson(what: string, map: string, by: ErrorCode = 'answer_withheld'): string {
	return `Context Broker: ${what}${switchHint(by, '', map)}`;
}

/** Adds a message that Claude Code shows to the person and gives to no model. */
export function tellPerson(answer: HookAnswer, message: string): HookAnswer {
	const { systemMessage } = answer;
	return { ...answer, systemMessage: systemMessage === undefined ? message : `${systemMessage}\n${message}` };
}

function reason({ path, kind, word, how }: Evidence): string {
	const text = word.length > MAX_WORD_LENGTH ? `${word.slice(0, MAX_WORD_LENGTH)}…` : word;
	return `${word === '' ? 'the call' : JSON.stringify(text.replace(/\p{Cf}|[\x7f-\x9f]/gu, '?'))} ${HOW[how]} ${path}, ${KINDS[kind]}`;
}

const HOW: Readonly<Record<Evidence['how'], string>> = {
	named: 'names',
	link: 'leads through a link to',
	pattern: 'can match',
	search: 'leads to a search of a folder that contains',
	too_complex: 'is too long or too deeply nested to be checked, and could reach',
};

const KINDS: Readonly<Record<Evidence['kind'], string>> = {
	map: 'the context map',
	private_file: 'a private file',
	written_down: 'which Claude Code has stored about an agent that has loaded private context',
};

export function switchHint(code: ErrorCode, tool: string, map: string): string {
	const line = code === 'outward_tool' ? `"${tool}" in the list allow_tools under [private_data]` : SWITCHES[code];
	return line === undefined ? '' : ` To switch this protection off: ${line} in ${map}`;
}

const SWITCHES: Partial<Record<ErrorCode, string>> = {
	protected_file: 'files = false under [guard]',
	attached_file: 'files = false under [guard]',
	do_not_quote: 'quoting = false under [guard]',
	result_withheld: 'results = false under [guard]',
	answer_withheld: 'quoting = false under [guard]',
	unchecked_background: 'quoting = false (in a workflow also files = false) under [guard]',
	do_not_resume: 'resuming = false under [guard]',
	do_not_continue: 'resuming = false under [guard]',
};
