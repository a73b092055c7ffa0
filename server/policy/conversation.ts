import { BoundedMap } from '../bounded-map.ts';
import { asksAboutNotifications, type ClientInfo } from '../claude-code/client.ts';
import { type HookAnswer, type HookEvent, mergeAnswers } from '../claude-code/hooks.ts';
import { Copies, sourcesByCommandLine } from '../claude-code/session-copies.ts';
import { BrokerError } from '../errors.ts';
import type { GuardOptions } from './guard-options.ts';
import type { Known } from './known.ts';
import { refuse } from './refuse.ts';

/** A subagent is about to end with its answer. */
export async function beforeStop(
	event: HookEvent,
	client: ClientInfo | undefined,
	{ map, agents, outgoing }: Known,
): Promise<HookAnswer> {
	const isUnheard = agents.isUnheard(event.agent_id, asksAboutNotifications(client));
	const answer = map.isOn('quoting') ? await outgoing.beforeStop(event, isUnheard) : {};
	if (answer.decision === undefined) agents.stop(event.agent_id);
	return answer;
}

/** The last look at what goes out with the next request. What can't be kept back now stays in the conversation. */
export async function beforeRequest(event: HookEvent, { map, agents, outgoing, options }: Known): Promise<HookAnswer> {
	const source = map.isOn('quoting') ? await outgoing.quotedIn(event) : undefined;
	if (source === undefined) return {};
	const { session_id: session, agent_id: agent, transcript_path: transcript } = event;
	const type = agents.get(source)?.type ?? '';
	await options.records.add({ session, agent, type, transcript });
	return refuse(event, new BrokerError('do_not_continue'), options, 'do_not_quote');
}

/** A prompt of the person, or a notification in its place. */
export async function beforePrompt(event: HookEvent, known: Known): Promise<HookAnswer> {
	const { map, outgoing, isolation, others, options } = known;
	if (map.isOn('resuming') && (await others.began(event)))
		return refuse(event, new BrokerError('do_not_continue'), options);
	const answer = map.isOn('quoting') ? await outgoing.beforePrompt(event) : {};
	return mergeAnswers(answer, isolation.beforePrompt(event));
}

/** Which conversations hold what another main agent has loaded: it went on in them, or they are copies of such. */
export class OthersConversations {
	readonly #records: Pick<GuardOptions['records'], 'all'>;
	/** By the type of the main agent. */
	readonly #copies = new BoundedMap<string, Copies>(100);

	constructor(records: Pick<GuardOptions['records'], 'all'>) {
		this.#records = records;
	}

	/** Whether another main agent began the conversation that an event is of. */
	async began(event: HookEvent): Promise<boolean> {
		const sessions = await this.#sessionsOfOthers(event.agent_type);
		if (sessions.length === 0 || sessions.includes(event.session_id)) return sessions.length > 0;
		const isOther = async (session: string) => (await this.#sessionsOfOthers(event.agent_type)).includes(session);
		const copies = this.#copies.get(event.agent_type) ?? new Copies(isOther, sourcesByCommandLine);
		this.#copies.set(event.agent_type, copies);
		return await copies.has(event);
	}

	async #sessionsOfOthers(mainType: string): Promise<string[]> {
		const records = await this.#records.all();
		return records.filter(({ agent, type }) => agent === '' && type !== mainType).map(({ session }) => session);
	}
}
