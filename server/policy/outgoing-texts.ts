import { promises as fs } from 'node:fs';
import { resolve } from 'node:path';
import { BoundedMap } from '../bounded-map.ts';
import {
	changeOutput,
	goOn,
	type HookAnswer,
	type HookEvent,
	parseInput,
	withholdPrompt,
} from '../claude-code/hooks.ts';
import { notificationsIn } from '../claude-code/notifications.ts';
import { AGENT_TOOLS, ANSWER_TOOLS, NOT_READY, SKILL } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import type { LoadRecord } from '../record/load-records.ts';
import type { Agents } from './agents.ts';
import type { Answers, LoadedFile } from './answers.ts';
import { replacementForPerson, tellPerson } from './for-person.ts';
import { type RefuseOptions, refuse } from './refuse.ts';

/** How often an agent is asked to answer again, if what it says then can still be edited or withheld. */
const ATTEMPTS = 2;

/** What whoever started the agent has said. */
const OWN_FIELDS = ['prompt', 'description'];

/** Where a tool's response holds what an agent said. Elsewhere a text without blanks is a name or an id. */
const ANSWER_FIELDS = /^(text|result|output|content|message|summary)$/;

/** The tools whose result can be what an agent said. */
const ANSWERING = [...AGENT_TOOLS, ...ANSWER_TOOLS, SKILL];

/** A call of one, among those of a turn. */
const ANSWERING_CALL = new RegExp(`"tool_name":\\s*"(?:${ANSWERING.join('|')})"`);

/** Of what nobody asks about any more. */
const MAX_REMEMBERED = 1_000;

/** A file to be written is compared with what is there, up to so many bytes. */
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;

/** How the texts begin that stand in the place of what an agent said. */
export const WITHHELD = '[Context Broker withheld this answer: ';

const AFTER_RESTART = `${WITHHELD}the agent has loaded private context, and the broker was restarted since, so it can not be checked for quotations. Start a new agent.]`;
const NOT_CHECKED = `${WITHHELD}it could not be checked for quotations. Start a new agent.]`;
const STILL_RUNNING = `${WITHHELD}the agent is still running, and may load private context. Wait until it has finished.]`;
const IN_ESCAPES = `${WITHHELD}it repeats private context in a form that can not be edited. Start a new agent.]`;

export interface OutgoingTextsOptions extends RefuseOptions {
	/** Of the loads, in this process and others. */
	readonly records: { all(): Promise<readonly Pick<LoadRecord, 'agent' | 'type'>[]> };
	/** Whether agents of a type may load. */
	readonly mayLoad: (type: string) => boolean;
}

/** Keeps what private agents say from repeating what they have loaded, on each way to another agent. */
export class OutgoingTexts {
	readonly #answers: Answers;
	readonly #agents: Agents;
	readonly #options: OutgoingTextsOptions;
	/** By agent id. */
	readonly #attempts = new BoundedMap<string, number>(MAX_REMEMBERED);
	/** The lines that a result quoted, by tool-use id. Another hook can put them back. */
	readonly #quoted = new BoundedMap<string, readonly number[]>(MAX_REMEMBERED);

	constructor(answers: Answers, agents: Agents, options: OutgoingTextsOptions) {
		this.#answers = answers;
		this.#agents = agents;
		this.#options = options;
	}

	/**
	 * SubagentStop: an answer that quotes is asked for again, at last with the words to use.
	 *
	 * @param isLastLook whether no hook sees the answer later: then the agent is not let end with a quotation. 2.1.126
	 *   asks as often as that takes.
	 */
	async beforeStop({ agent_id, last_assistant_message }: HookEvent, isLastLook: boolean): Promise<HookAnswer> {
		const files = this.#filesOf([agent_id]);
		const attempt = (this.#attempts.get(agent_id) ?? 0) + 1;
		// A notification could only be withheld as a whole.
		const canBeEdited = !isLastLook && this.#agents.get(agent_id)?.isInBackground !== true;
		if (files.length === 0 || (attempt > ATTEMPTS && canBeEdited)) return {};
		const { passages, lines, text } = await this.#answers.check(last_assistant_message, files);
		if (passages === 0) return {};
		this.#attempts.set(agent_id, attempt);
		return goOn(attempt < ATTEMPTS ? again(passages, lines) : exactly(attempt < 2 * ATTEMPTS ? text : GIVEN_UP));
	}

	/** PostToolUse: what a private agent answered is given on with references in the place of quotations. */
	async afterTool(event: HookEvent): Promise<HookAnswer> {
		const sources = this.#agents.sourcesOf(event);
		if (sources.length === 0) return {};
		const response = parse(event.tool_response);
		if ((await this.#typeElsewhere(sources)) !== undefined) {
			this.#options.report(new BrokerError('answer_withheld'));
			return this.#replace(response, () => AFTER_RESTART, 'An answer is withheld, since the broker was restarted.');
		}
		if (
			NOT_READY.includes(Object(response).retrieval_status) &&
			sources.some((id) => this.#options.mayLoad(this.#agents.get(id)?.type ?? ''))
		) {
			return this.#replace(
				response,
				(text) => (text === '' ? '' : STILL_RUNNING),
				'What an agent has said so far is withheld until it has finished.',
			);
		}
		const files = this.#filesOf(sources);
		const quoted: number[] = [];
		this.#quoted.set(event.tool_use_id, quoted);
		if (files.length === 0) return {};
		const redact = await this.#answers.redactor(files);
		const output = mapAnswer(response, (text) => {
			const [redaction, unescaped] = [redact(text), redact(withoutEscapes(text))];
			quoted.push(...redaction.lines, ...unescaped.lines);
			return unescaped.passages > redaction.passages ? IN_ESCAPES : redaction.text;
		});
		if (quoted.length === 0) return {};
		const [lines, paths] = [[...new Set(quoted)].slice(0, 20).join(', '), files.map(({ path }) => path).join(' or ')];
		const what = `What an agent answered repeats lines ${lines} of ${paths}: the main agent gets references.`;
		return tellPerson(changeOutput(output), replacementForPerson(what, this.#options.map.file));
	}

	/** PostToolUseFailure: what an error says can not be edited. */
	async afterFailure(event: HookEvent): Promise<void> {
		const files = this.#filesOf(this.#agents.sourcesOf(event));
		if (files.length === 0) return;
		const { lines } = await this.#answers.check(event.error, files);
		this.#quoted.set(event.tool_use_id, lines);
	}

	/**
	 * PostToolBatch: whether a quotation goes out with the next request. Another hook can have had the last word, and the
	 * text of an error can not be edited.
	 *
	 * @returns the agent that it is from
	 */
	async quotedIn({ tool_calls }: HookEvent): Promise<string | undefined> {
		// Other calls can bring much, and are nobody's answer.
		if (this.#answers.isEmpty || !ANSWERING_CALL.test(tool_calls)) return undefined;
		const calls = parse(tool_calls);
		for (const { tool_name, tool_use_id, tool_input, tool_response } of Array.isArray(calls) ? calls.map(Object) : []) {
			if (!ANSWERING.includes(tool_name)) continue;
			const input = JSON.stringify(tool_input ?? {});
			const sources = this.#agents.sourcesOf({ tool_name, tool_use_id, tool_input: input, tool_response: '' });
			const files = this.#filesOf(sources);
			if (files.length === 0) continue;
			const { lines } = await this.#answers.check(stringsIn(tool_response).join('\n'), files);
			// The client adds words of its own, such as numbers. A result that was never looked at has to be clean.
			const quoted = this.#quoted.get(tool_use_id);
			if (lines.some((line) => quoted?.includes(line) ?? true)) return sources[0];
		}
		return undefined;
	}

	/** UserPromptSubmit: the notification of a background agent's answer, which can only be kept back as a whole. */
	async beforePrompt(event: HookEvent): Promise<HookAnswer> {
		const { heads, text } = notificationsIn(event.prompt);
		if (heads.length === 0) return {};
		const sources = this.#agents.sourcesOfNotifications(heads);
		const remembered = await this.#typeElsewhere(sources);
		if (remembered === undefined) {
			const files = this.#filesOf(sources);
			if (files.length === 0 || !(await this.#quotes(this.#withoutDescriptions(text, sources), files))) return {};
		}
		const type = remembered ?? sources.map((id) => this.#agents.get(id)?.type).find((known) => known !== undefined);
		const detail = `It is of ${type} (${sources[0]}).`;
		return refuse(event, new BrokerError('answer_withheld', { detail }), this.#options);
	}

	/** After a fault of our own: keeps the whole back if an answer of a private agent can be in it. */
	withhold(event: HookEvent, error: BrokerError): HookAnswer {
		const { hook_event_name, tool_response, prompt } = event;
		const { heads } = notificationsIn(prompt);
		this.#options.report(error);
		const isNotification = hook_event_name === 'UserPromptSubmit' && heads.length > 0;
		if (isNotification) return withholdPrompt(new BrokerError('answer_withheld').text);
		const isAnswer = hook_event_name === 'PostToolUse' && this.#agents.sourcesOf(event).length > 0;
		return isAnswer
			? this.#replace(parse(tool_response), () => NOT_CHECKED, 'An answer is withheld, since it could not be checked.')
			: {};
	}

	/**
	 * Whether what an agent hands to another one repeats what it has loaded, or can't be checked.
	 *
	 * @param input JSON
	 * @param hasLoaded in this process or another one, of which nobody knows here what it was
	 */
	async quotes(agent: string, input: string, hasLoaded: boolean): Promise<boolean> {
		const files = this.#answers.filesOf([agent]);
		return files.length === 0 ? hasLoaded : await this.#quotes(input, files);
	}

	/**
	 * Whether what an agent writes into a file puts something there of what it has loaded. What the file holds already may
	 * stay.
	 */
	async writesQuotation({ agent_id, tool_input, cwd }: HookEvent, hasLoaded: boolean): Promise<boolean> {
		const files = this.#answers.filesOf([agent_id]);
		if (files.length === 0) return hasLoaded;
		const input = parseInput(tool_input);
		const edits = Array.isArray(input.edits) ? input.edits.map(Object) : [input];
		const path = String(input.file_path ?? input.notebook_path ?? '');
		for (const { content, new_string, new_source, old_string = '' } of edits) {
			const added = content ?? new_string ?? new_source;
			if (typeof added !== 'string' || !(await this.#quotes(added, files, String(old_string)))) continue;
			if (await this.#quotes(added, files, `${old_string}\n${await readText(resolve(cwd, path))}`)) return true;
		}
		return false;
	}

	/** @param known what may be repeated of the files, since it is there already */
	async #quotes(text: string, files: readonly LoadedFile[], known = ''): Promise<boolean> {
		const found = await this.#answers.check(`${text}\n${withoutEscapes(text)}`, files);
		if (found.passages === 0 || known === '') return found.passages > 0;
		const { lines } = await this.#answers.check(`${known}\n${withoutEscapes(known)}`, files);
		return found.lines.some((line) => !lines.includes(line));
	}

	/** A notification names the task of an agent in the words of whoever started it. */
	#withoutDescriptions(text: string, agents: readonly string[]): string {
		const summaries = agents.map((id) => `<summary>Agent "${this.#agents.get(id)?.description}"`);
		return summaries.reduce((rest, summary) => rest.replaceAll(summary, '<summary>Agent'), text);
	}

	/** @param what of it the person is told: a sentence */
	#replace(response: unknown, replace: (text: string) => string, what: string): HookAnswer {
		const answer = changeOutput(mapAnswer(response, replace));
		return tellPerson(answer, replacementForPerson(what, this.#options.map.file));
	}

	/** The type of the first of some agents that has loaded where another process served it. */
	async #typeElsewhere(agents: readonly string[]): Promise<string | undefined> {
		const here = this.#answers.agents();
		const elsewhere = agents.filter((agent) => agent !== '' && !here.includes(agent));
		if (elsewhere.length === 0) return undefined;
		return (await this.#options.records.all()).find(({ agent }) => elsewhere.includes(agent))?.type;
	}

	/** What the agents have loaded, and those that they started. */
	#filesOf(agents: readonly string[]): LoadedFile[] {
		return this.#answers.filesOf(agents.flatMap((agent) => this.#agents.familyOf(agent)));
	}
}

/** The text of a file; empty if there is none, or it can't be compared. */
async function readText(path: string): Promise<string> {
	try {
		const stats = await fs.stat(path);
		// A pipe or a device may never end.
		return stats.isFile() && stats.size <= MAX_COMPARED_BYTES ? await fs.readFile(path, 'utf8') : '';
	} catch {
		return ''; // Nothing there that may stay.
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

/** JSON with what its escapes stand for, also those of JSON or a script within it: `Jane\nDoe` are two words. */
function withoutEscapes(json: string): string {
	// From the first of a run on, else a long one takes time by its square.
	return json.replace(/(?<!\\)\\+(?:u([\da-f]{4})|[bfnrt])/gi, (_, code?: string) =>
		code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
	);
}

function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
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

const GIVEN_UP = 'My report is withheld, since I could not give it without quoting private context.';

function exactly(text: string): string {
	return `Your answer still repeats private context. Answer with exactly the following text and nothing else:\n\n${text}`;
}
