import { BrokerError } from '../errors.ts';
import { type Answers, WITHHELD } from './answers.ts';
import { changeOutput, goOn, type HookAnswer, type HookEvent, withholdPrompt } from './hook.ts';

/** How often an agent is asked to answer again; 2.1.126 would go on for ever. */
const ATTEMPTS = 2;

/** What Claude Code says in the user's place when a background agent has answered begins so. */
const NOTIFICATION = '<task-notification>';

/** What the client itself says of where an answer lies: the path can hold the user's name, and is known anyhow. */
const OUTPUT_FILE = /<output-file>[^<\n]*<\/output-file>/g;

/** What whoever started the agent has said. */
const OWN_FIELDS = ['prompt', 'description'];

/** Where a tool's response holds what an agent said. Elsewhere a text without blanks is a name or an id. */
const ANSWER_FIELDS = /^(text|result|output|content|message|summary)$/;

/** Keeps what private agents say from repeating what they have loaded, on each way to another agent. */
export class OutgoingTexts {
	readonly #answers: Answers;
	readonly #report: (error: BrokerError) => void;
	/** By agent id. */
	readonly #attempts = new Map<string, number>();

	constructor(answers: Answers, report: (error: BrokerError) => void) {
		this.#answers = answers;
		this.#report = report;
	}

	/** SubagentStop: an answer that quotes is asked for again, at last with the words to use. */
	async beforeStop({ agent_id, last_assistant_message }: HookEvent): Promise<HookAnswer> {
		const files = this.#answers.filesOf([agent_id]);
		const attempt = (this.#attempts.get(agent_id) ?? 0) + 1;
		if (files.length === 0 || attempt > ATTEMPTS) return {};
		const verdict = await this.#answers.check(last_assistant_message, files);
		if (verdict.kind !== 'quotes') return {};
		this.#attempts.set(agent_id, attempt);
		return goOn(attempt < ATTEMPTS ? again(verdict.passages, verdict.lines) : exactly(verdict.text));
	}

	/**
	 * PostToolUse: what a private agent answered is given on with references in the place of quotations.
	 *
	 * @param remembered the private agents of which only the id is known, since another process served them
	 */
	async afterTool(event: HookEvent, remembered: readonly string[]): Promise<HookAnswer> {
		const response = parse(event.tool_response);
		const said = `${event.tool_input}\n${event.tool_response}`;
		const named = this.#answers.agents().filter((agent) => said.includes(agent));
		const isOfAnother = named.length === 0 && typeof Object(response).agentId === 'string';
		const files = this.#answers.filesOf(named.length > 0 || isOfAnother ? named : this.#answers.agents());
		const isForgotten = remembered.some((agent) => said.includes(agent));
		if (files.length === 0 && !isForgotten) return {};
		if (isForgotten || !(await this.#answers.areUnchanged(files))) {
			this.#report(new BrokerError('answer_withheld'));
			return changeOutput(mapAnswer(response, () => WITHHELD));
		}
		const redact = await this.#answers.redactor(files);
		let passages = 0;
		const output = mapAnswer(response, (text) => {
			const redaction = redact(text);
			passages += redaction.passages;
			return redaction.text;
		});
		return passages === 0 ? {} : changeOutput(output);
	}

	/** UserPromptSubmit: the notification of a background agent's answer, which can only be kept back as a whole. */
	async beforePrompt({ prompt }: HookEvent, remembered: readonly string[]): Promise<HookAnswer> {
		if (!prompt.includes(NOTIFICATION)) return {};
		const files = this.#answers.filesOf(this.#answers.agents());
		const isForgotten = remembered.some((agent) => prompt.includes(agent));
		const said = withoutOutputFile(prompt);
		if (!isForgotten && (files.length === 0 || (await this.#answers.check(said, files)).kind === 'clean')) return {};
		const error = new BrokerError('answer_withheld');
		this.#report(error);
		return withholdPrompt(error.text);
	}

	/** Where an answer of a private agent can be in it, keeps the whole back. */
	withhold({ hook_event_name, tool_response, prompt }: HookEvent): HookAnswer {
		if (hook_event_name === 'PostToolUse' && this.#answers.agents().length > 0) {
			return changeOutput(mapAnswer(parse(tool_response), () => WITHHELD));
		}
		const isNotification = hook_event_name === 'UserPromptSubmit' && prompt.includes(NOTIFICATION);
		return isNotification ? withholdPrompt(new BrokerError('answer_withheld').text) : {};
	}

	/**
	 * Whether what an agent hands to another one repeats what it has loaded, or can't be checked.
	 *
	 * @param input JSON
	 * @param hasLoaded in this process or another one, of which nobody knows here what it was
	 */
	async quotes(agent: string, input: string, hasLoaded: boolean): Promise<boolean> {
		const files = this.#answers.filesOf([agent]);
		if (files.length === 0) return hasLoaded;
		return (await this.#answers.check(`${input}\n${withoutEscapes(input)}`, files)).kind !== 'clean';
	}
}

/**
 * A copy of a tool's response in which the texts are replaced. All else stays as it is: the client passes the old one on
 * where the new one has not the shape that it expects.
 */
function mapAnswer(value: unknown, replace: (text: string) => string, field = 'text'): unknown {
	if (OWN_FIELDS.includes(field)) return value;
	if (typeof value === 'string') return ANSWER_FIELDS.test(field) || /\s/.test(value) ? replace(value) : value;
	if (Array.isArray(value)) return value.map((item) => mapAnswer(item, replace, field));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapAnswer(item, replace, name)]));
}

/** Only in front of the answer, where the client speaks. */
function withoutOutputFile(notification: string): string {
	const [head = '', ...answer] = notification.split('<result>');
	return [head.replace(OUTPUT_FILE, ''), ...answer].join('<result>');
}

/** JSON with what its escapes stand for, also those of JSON or a script within it: `Jane\nDoe` are two words. */
function withoutEscapes(json: string): string {
	return json.replace(/\\+(?:u([\da-f]{4})|[bfnrt])/gi, (_, code?: string) =>
		code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
	);
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json; // A plain text.
	}
}

function again(passages: number, lines: readonly number[]): string {
	const [count, where] = [passages === 1 ? 'one passage' : `${passages} passages`, lines.slice(0, 20).join(', ')];
	return `Your answer repeats ${count} of the private context (lines ${where} of it). Whoever reads your answer must not learn what is in it. Give your whole answer again, with a reference such as [context:L${lines[0] ?? 1}] in the place of each passage.`;
}

function exactly(text: string): string {
	return `Your answer still repeats private context. Answer with exactly the following text and nothing else:\n\n${text}`;
}
