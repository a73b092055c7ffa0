import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Remembered } from '../claude-code/session-files.ts';
import { isRunning } from '../processes/is-running.ts';
import { type Look, type Looked, look } from './look.ts';
import type { Order, TracedAgent } from './orders.ts';

/** Milliseconds from an agent's answer to the first look. */
const FIRST_LOOK_MS = 400;

/** Milliseconds: 2.1.126 writes the last lines of a transcript up to a second after the answer. */
const QUIET_MS = 2_000;

/** Milliseconds between looks after one that could clean nothing more for now. */
const AGAIN_MS = 30_000;

/** Milliseconds that the client has to end when the broker is gone. Else its running agents are left to the next start. */
const CLIENT_END_MS = 5_000;

const POLL_MS = 50;

/** How often files are looked at when nobody writes them any more. */
const LAST_LOOKS = 3;

export interface CleanTracesOptions {
	/** What to do, until the broker is gone. */
	readonly orders: Readable;
	/** Where to tell what could not be cleaned. */
	readonly output: Writable;
	/** The process id of the client. */
	readonly client: number;
	/** Nothing is left of these agents. */
	readonly forget: (agents: readonly Remembered[]) => Promise<void>;
}

/** What the cleaning process does: follows the orders, and looks until nothing is left. */
export async function cleanTraces({ orders, output, client, forget }: CleanTracesOptions): Promise<void> {
	lowerPriority();
	output.on('error', () => {}); // The broker is gone.
	const agents = new Map<string, { readonly agent: TracedAgent; readonly overSince: number | undefined }>();
	const texts = new Set<string>();
	let where: Pick<Look, 'taskFolders' | 'except' | 'known'> = { taskFolders: [], except: [], known: [] };
	let isBrokerGone = false;
	let isBegun = false;
	let nextLook = Number.POSITIVE_INFINITY;
	const isAnyOver = () => [...agents.values()].some(({ overSince }) => overSince !== undefined);
	let wake = () => {};

	const follow = (order: Order) => {
		if ('where' in order) ({ where } = order);
		else if ('texts' in order) for (const text of order.texts) texts.add(text);
		else {
			isBegun = true;
			agents.set(nameOf(order.agent), { agent: order.agent, overSince: order.isOver ? Date.now() : undefined });
			if (order.isOver) nextLook = Math.min(nextLook, Date.now() + FIRST_LOOK_MS);
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
			const timer = setTimeout(resolve, Math.min(milliseconds, AGAIN_MS));
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});

	/** Looks for what is left of agents that are over. @param isFinal whether nobody writes any more */
	const clean = async (isFinal: boolean): Promise<Looked> => {
		const begun = Date.now();
		const over = [...agents.values()].filter(({ overSince }) => overSince !== undefined);
		if (over.length === 0) return { cleaned: [], failed: [], waiting: [] };
		const since = Math.min(...over.map(({ agent }) => agent.since));
		const looked = await look({ ...where, agents: over.map(({ agent }) => agent), texts: [...texts], since, isFinal });
		for (const failure of looked.failed) output.write(`${JSON.stringify(failure)}\n`);
		if (Object.values(looked).some(({ length }) => length > 0)) return looked;
		const isQuiet = ({ overSince = begun }) => isFinal || begun - overSince >= QUIET_MS;
		// Who has gone on meanwhile is not over.
		const clean = over.filter((known) => isQuiet(known) && agents.get(nameOf(known.agent)) === known);
		await forget(clean.map(({ agent }) => agent)).catch(() => {}); // The next start does it.
		for (const { agent } of clean) agents.delete(nameOf(agent));
		return looked;
	};

	while (!isBrokerGone && (agents.size > 0 || !isBegun)) {
		await woken(Math.max(0, nextLook - Date.now()));
		if (isBrokerGone || Date.now() < nextLook) continue;
		nextLook = Number.POSITIVE_INFINITY;
		const { cleaned, failed, waiting } = await clean(false);
		const isStuck = cleaned.length === 0 && failed.length + waiting.length > 0;
		if (isAnyOver()) nextLook = Math.min(nextLook, Date.now() + (isStuck ? AGAIN_MS : QUIET_MS));
	}
	for (let waited = 0; isRunning(client) && waited < CLIENT_END_MS && agents.size > 0; waited += POLL_MS) {
		await delay(POLL_MS);
	}
	const isClientGone = !isRunning(client);
	if (isClientGone) for (const [name, { agent }] of agents) agents.set(name, { agent, overSince: 0 });
	for (let times = 0; times < LAST_LOOKS && isAnyOver(); times++) {
		if (!isClientGone) await delay(QUIET_MS);
		await clean(isClientGone);
	}
}

function lowerPriority(): void {
	try {
		setPriority(10);
	} catch {
		// It is no more than a courtesy.
	}
}

function nameOf({ session, agent }: Remembered): string {
	return `${session}\0${agent}`;
}

/** A broker that is killed can leave half a line. */
function orderIn(line: string): Order | undefined {
	try {
		return JSON.parse(line) as Order;
	} catch {
		return undefined;
	}
}
