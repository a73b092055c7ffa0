import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRecord } from '../claude-code/session-files.ts';
import { type CleanedTraces, cleanAgentTraces, type TraceScope } from './agent-traces.ts';
import { isRunning } from './is-running.ts';
import type { Order, TracedAgent } from './orders.ts';

/** Time from an agent's answer to the first cleaning. */
const FIRST_CLEANING_DELAY_MS = 400;

/** An agent is finished this long after its answer: 2.1.126 writes its last lines up to a second after it. */
const QUIET_MS = 2_000;

/** Time to the next cleaning after one that could not clean some files, and changed no other. */
const RETRY_INTERVAL_MS = 30_000;

/** Time for the client to end once the broker is gone. After that, its running agents are left to the next start. */
const CLIENT_END_MS = 5_000;

const POLL_MS = 50;

/** Cleanings once the broker is gone. */
const MAX_FINAL_CLEANINGS = 3;

export interface CleanTracesOptions {
	/** A line of JSON for each order. Ends when the broker is gone. */
	readonly orders: Readable;
	/** Gets a line of JSON for each file that could not be cleaned. */
	readonly output: Writable;
	/** The process id of the client. */
	readonly client: number;
	/** Called when nothing is left of these agents. */
	readonly forget: (agents: readonly AgentRecord[]) => Promise<void>;
}

/** The cleaning process: follows the orders, and cleans until nothing is left. */
export async function cleanTraces({ orders, output, client, forget }: CleanTracesOptions): Promise<void> {
	lowerPriority();
	output.on('error', () => {}); // The broker is gone.
	const agents = new Map<string, { readonly agent: TracedAgent; readonly overSince: number | undefined }>();
	const texts = new Set<string>();
	let where: Pick<TraceScope, 'taskFolders' | 'except' | 'known'> = { taskFolders: [], except: [], known: [] };
	let isBrokerGone = false;
	let isBegun = false;
	let nextCleaning = Number.POSITIVE_INFINITY;
	const isAnyOver = () => [...agents.values()].some(({ overSince }) => overSince !== undefined);
	let wake = () => {};

	const follow = (order: Order) => {
		if ('where' in order) ({ where } = order);
		else if ('texts' in order) for (const text of order.texts) texts.add(text);
		else {
			isBegun = true;
			agents.set(nameOf(order.agent), { agent: order.agent, overSince: order.isOver ? Date.now() : undefined });
			if (order.isOver) nextCleaning = Math.min(nextCleaning, Date.now() + FIRST_CLEANING_DELAY_MS);
		}
		wake();
	};
	const lines = createInterface({ input: orders, crlfDelay: Number.POSITIVE_INFINITY });
	lines.on('line', (line) => {
		const order = orderIn(line);
		if (order !== undefined) follow(order);
	});
	lines.on('close', () => {
		isBrokerGone = true;
		wake();
	});
	const woken = async (milliseconds: number) =>
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, Math.min(milliseconds, RETRY_INTERVAL_MS));
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});

	/** Cleans the files of agents that have answered. @param isFinal whether nobody writes files any more */
	const clean = async (isFinal: boolean): Promise<CleanedTraces> => {
		const begun = Date.now();
		const over = [...agents.values()].filter(({ overSince }) => overSince !== undefined);
		if (over.length === 0) return { cleaned: [], failed: [], waiting: [] };
		const since = Math.min(...over.map(({ agent }) => agent.since));
		const result = await cleanAgentTraces({
			...where,
			agents: over.map(({ agent }) => agent),
			texts: [...texts],
			since,
			isFinal,
		});
		for (const failure of result.failed) output.write(`${JSON.stringify(failure)}\n`);
		if (Object.values(result).some(({ length }) => length > 0)) return result;
		const isQuiet = ({ overSince = begun }) => isFinal || begun - overSince >= QUIET_MS;
		// An agent that was continued meanwhile has not answered.
		const clean = over.filter((known) => isQuiet(known) && agents.get(nameOf(known.agent)) === known);
		await forget(clean.map(({ agent }) => agent)).catch(() => {}); // The next start repeats it.
		for (const { agent } of clean) agents.delete(nameOf(agent));
		return result;
	};

	while (!isBrokerGone && (agents.size > 0 || !isBegun)) {
		await woken(Math.max(0, nextCleaning - Date.now()));
		if (isBrokerGone || Date.now() < nextCleaning) continue;
		nextCleaning = Number.POSITIVE_INFINITY;
		const { cleaned, failed, waiting } = await clean(false);
		const isStuck = cleaned.length === 0 && failed.length + waiting.length > 0;
		if (isAnyOver()) nextCleaning = Math.min(nextCleaning, Date.now() + (isStuck ? RETRY_INTERVAL_MS : QUIET_MS));
	}
	for (let waited = 0; isRunning(client) && waited < CLIENT_END_MS && agents.size > 0; waited += POLL_MS) {
		await delay(POLL_MS);
	}
	const isClientGone = !isRunning(client);
	if (isClientGone) for (const [name, { agent }] of agents) agents.set(name, { agent, overSince: 0 });
	for (let times = 0; times < MAX_FINAL_CLEANINGS && isAnyOver(); times++) {
		if (!isClientGone) await delay(QUIET_MS);
		await clean(isClientGone);
	}
}

function lowerPriority(): void {
	try {
		setPriority(10);
	} catch {
		// Only a courtesy to other processes.
	}
}

function nameOf({ session, agent }: AgentRecord): string {
	return `${session}\0${agent}`;
}

/** Undefined for half a line, which a killed broker can leave. */
function orderIn(line: string): Order | undefined {
	try {
		return JSON.parse(line) as Order;
	} catch {
		return undefined;
	}
}
