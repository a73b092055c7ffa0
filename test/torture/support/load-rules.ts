import { LOAD_CONTEXT } from '../../../server/claude-code/tools.ts';
import { SCANNER } from '../../support/guard.ts';

/** Milliseconds that an approval is good for. */
const LIFETIME = 60_000;

/** What the user has: the keys of the map, and the files. */
export interface Place {
	/** Undefined where the map can't be read. */
	entries: Map<string, { readonly file: string; readonly agents: readonly string[] | undefined }> | undefined;
	readonly files: Map<string, string>;
}

/** As much of an event as the rules look at. What is no text makes the event none. */
export type Fields = Readonly<Record<string, unknown>>;

/** What an event is answered with: `open` where the rules have nothing to say. */
export type Answer = 'allow' | 'deny' | 'open' | 'invalid';

/** What a load gives: a text, or the codes of which one has to be told. */
export type Result = { readonly text: string } | { readonly codes: readonly string[] };

/** The fields that an event can have; any other one makes it none. */
const FIELDS = [
	...['hook_event_name', 'session_id', 'transcript_path', 'cwd', 'agent_id', 'agent_type', 'tool_name', 'tool_use_id'],
	...['tool_input', 'tool_response', 'last_assistant_message', 'mcp_server', 'error', 'prompt'],
];

/** What CONTRIBUTING promises of one broker process ("Who may load"), said once more and without the guard's means. */
export class LoadRules {
	readonly #place: Place;
	/** What the last event of each tool use has approved. */
	readonly #approved = new Map<string, { readonly key: string; readonly agent: string; readonly at: number }>();
	/** The subagents that were started in the background, where nobody sees their answers. */
	readonly #background = new Set<string>();

	constructor(place: Place) {
		this.#place = place;
	}

	/** An event has come. @param now milliseconds of a clock that is never set back */
	event(fields: Fields, isTooOld: boolean, now: number): Answer {
		const known = Object.keys(fields).every((name) => FIELDS.includes(name));
		if (!known || Object.values(fields).some((value) => typeof value !== 'string')) return 'invalid';
		if (fields.hook_event_name === undefined) return 'invalid';
		const text = (name: string) => (fields[name] ?? '') as string;
		if (text('hook_event_name') === 'PostToolUse' && text('tool_name') === 'Agent' && text('agent_id') !== '') {
			const response = parsed(text('tool_response'));
			if (response?.status === 'async_launched') this.#background.add(String(response.agentId));
		}
		if (text('hook_event_name') !== 'PreToolUse' || text('tool_name') !== LOAD_CONTEXT) return 'open';
		const [id, agent] = [text('tool_use_id'), text('agent_type')];
		this.#approved.delete(id);
		const key = parsed(text('tool_input'))?.key;
		const mayLoad = !isTooOld && id !== '' && agent !== '' && !this.#background.has(text('agent_id'));
		if (!mayLoad || typeof key !== 'string' || !this.#isEntitled(agent, key)) return 'deny';
		this.#approved.set(id, { key, agent, at: now });
		return 'allow';
	}

	/** A call has come. @param toolUseId undefined where it bears none */
	call(toolUseId: string | undefined, input: Fields, isTooOld: boolean, now: number): Result {
		const { key, ...others } = input;
		if (typeof key !== 'string' || Object.keys(others).length > 0) return { codes: ['invalid_arguments'] };
		const approved = toolUseId === undefined ? undefined : this.#approved.get(toolUseId);
		if (toolUseId !== undefined) this.#approved.delete(toolUseId);
		if (isTooOld) return { codes: ['client_too_old'] };
		if (approved?.key !== key || now - approved.at >= LIFETIME) return { codes: ['caller_unverified'] };
		if (this.#place.entries === undefined) return { codes: ['config_missing', 'config_invalid'] };
		if (!this.#isEntitled(approved.agent, key)) return { codes: ['unknown_key', 'agent_not_listed'] };
		const text = this.#place.files.get(this.#place.entries.get(key)?.file ?? '');
		return text === undefined ? { codes: ['file_missing'] } : { text };
	}

	#isEntitled(agent: string, key: string): boolean {
		const entry = this.#place.entries?.get(key);
		return entry !== undefined && (entry.agents ?? [SCANNER]).includes(agent);
	}
}

/** An object that is there as JSON. */
function parsed(json: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(json);
		const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isObject ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}
