import type { ClientInfo } from '../claude-code/client.ts';
import type { HookEvent } from '../claude-code/hooks.ts';
import { OWN_TOOLS } from '../claude-code/tools.ts';
import { BrokerError } from '../errors.ts';
import { type AnnouncedCaller, callEvent, commandEvent } from './announced-calls.ts';
import type { Call } from './guard-options.ts';
import type { Known } from './known.ts';
import { protectedFile } from './rules.ts';
import type { RelayedTool } from './tool-isolation/tool-isolation.ts';

/** Lets the calls of the broker's shell pass, and those of servers behind the broker, after a second look. */
export class PassingCalls {
	readonly #known: Known;
	/** Who makes a call that passes through to another server. */
	readonly #callers = new WeakMap<Call, AnnouncedCaller>();

	constructor(known: Known) {
		this.#known = known;
	}

	/**
	 * Lets a shell command of the broker's own tool pass, unless it would get at private files: looked at once more, since
	 * hooks can be off, and the folder is known for sure only here.
	 *
	 * @param directory absolute
	 * @throws BrokerError `protected_file`, or why the map can't be read
	 */
	async permitCommand({ client, toolUseId }: Call, command: string, directory: string): Promise<void> {
		const caller = this.#known.announced.callerOf(toolUseId);
		const event = commandEvent(command, directory, caller, this.#known.options.files.platform);
		await this.#permit(caller, client, event, { command });
	}

	/**
	 * The same for a call that passes through to another server.
	 *
	 * @param tool under which name the broker offers it, and where it comes from
	 * @param directory the project; absolute
	 * @throws BrokerError `protected_file`, or why the map can't be read
	 */
	async permitRelay(call: Call, tool: RelayedTool, input: unknown, directory: string): Promise<void> {
		const caller = this.#known.announced.callerOf(call.toolUseId);
		if (caller !== undefined) this.#callers.set(call, caller);
		const event = callEvent(`${OWN_TOOLS}${tool.name}`, input, directory, caller);
		await this.#permit(caller, call.client, event, input);
		this.#known.isolation.permit(caller, tool, this.#known.map.content.isolation);
	}

	/** Takes note that a call which was to pass through has got no result of the server. */
	noteFailed({ toolUseId }: Call): void {
		if (toolUseId !== undefined) this.#known.isolation.noteFailed(toolUseId);
	}

	/**
	 * Takes note that whoever makes a call that was permitted is about to get private data, and whom an executor answers.
	 *
	 * @throws BrokerError `state_unwritable`
	 */
	async noteRelayed(call: Call): Promise<void> {
		const caller = this.#callers.get(call);
		const starter = caller && this.#known.isolation.starterOf(caller);
		const holders = starter === undefined ? [caller] : [caller, starter];
		await Promise.all([this.#known.session.mark(), ...holders.map((holder) => this.#known.holders.add(holder))]);
	}

	async #permit(
		caller: AnnouncedCaller | undefined,
		client: ClientInfo | undefined,
		event: HookEvent,
		input: unknown,
	): Promise<void> {
		const records = await this.#known.options.records.all();
		await this.#known.session.settled();
		// A session that no hook names can't be looked up: what the environment says is another id where it is continued
		// (2.1.332). One of an older version of ours has records and no mark.
		const isUnknown = !caller?.session_id && this.#known.client.meet(client) !== 'key_only';
		const hasLoadedHere = records.some(
			({ session, isPrivate }) => isPrivate !== false && this.#known.session.knows(session),
		);
		if (isUnknown || (hasLoadedHere && !this.#known.session.isMarked)) await this.#known.session.learn();
		const map = await this.#known.map.read();
		if (map instanceof BrokerError && map.code !== 'config_missing') throw map;
		if (!this.#known.map.isOn('files')) return;
		const evidence = await this.#known.files.reachedBy(event, input, this.#known.map.content, records);
		if (evidence) throw protectedFile(evidence, false);
	}
}
