import type { HookAnswer, HookEvent } from '../claude-code/hooks.ts';
import { type FaultPlace, MapSyntaxError } from '../context-map/map-fault.ts';
import { BrokerError } from '../errors.ts';
import { tellPerson } from './for-person.ts';
import type { LastMap } from './last-map.ts';

/** The events whose answers can show the person a message. */
export const SHOWN_WITH: readonly string[] = ['UserPromptSubmit', 'PreToolUse'];

const SEE = 'To see what is wrong: context-broker doctor';

/** Shows the person what is wrong with the map: once a session, and again if that changes. */
export class MapNotice {
	readonly #file: string;
	readonly #map: Pick<LastMap, 'outcome' | 'elsewhere' | 'wasRead'>;
	#said: { readonly session: string; readonly text: string | undefined } | undefined;

	/** @param file the path of the map */
	constructor(file: string, map: Pick<LastMap, 'outcome' | 'elsewhere' | 'wasRead'>) {
		this.#file = file;
		this.#map = map;
	}

	/** Adds what the person does not know yet. No model sees it, so it may contain the map's path. */
	addTo(answer: HookAnswer, { hook_event_name, session_id: session }: HookEvent): HookAnswer {
		if (!SHOWN_WITH.includes(hook_event_name)) return answer;
		const text = this.#text();
		const said = session === this.#said?.session ? this.#said.text : undefined;
		// While somebody edits the map, each call can find another fault. Only the next prompt reports the last one.
		const isSaid = said !== undefined && (text === said || (text !== undefined && hook_event_name === 'PreToolUse'));
		if (isSaid) return answer;
		this.#said = { session, text };
		return text === undefined ? answer : tellPerson(answer, text);
	}

	#text(): string | undefined {
		const { outcome, elsewhere } = this.#map;
		if (outcome === undefined) return undefined;
		if (outcome instanceof MapSyntaxError) {
			const rest = 'None of its keys is served. Each path in it that looks like a private file is protected.';
			return this.#invalid(outcome.fault.place(), rest);
		}
		if (!(outcome instanceof BrokerError)) {
			const { length } = outcome.faults;
			const [fault] = outcome.faults;
			if (fault === undefined) return undefined;
			const more = length === 1 ? '' : `It has ${length} faults in all. `;
			return this.#invalid(fault.place(), `${more}The rest of it applies, and what it protects stays protected.`);
		}
		if (outcome.code !== 'config_missing') {
			const rest = this.#map.wasRead
				? 'Its earlier content still applies.'
				: 'The files that it names are not protected, and no tool is isolated.';
			return `Context Broker: The map cannot be read: ${this.#file}. ${rest} ${SEE}`;
		}
		if (elsewhere === undefined) return undefined;
		return `Context Broker: This session looks for the map at ${this.#file}, where there is none; there is one at ${elsewhere.file}. Its keys are not served here, but the files that it names are protected. Start Claude Code with the XDG_CONFIG_HOME of your shell, or put a link to the map at the first path.`;
	}

	#invalid({ line, column, problem }: FaultPlace, rest: string): string {
		return `Context Broker: The map is not valid: ${this.#file}, line ${line}, column ${column}: ${problem}. ${rest} ${SEE}`;
	}
}
