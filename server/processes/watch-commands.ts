import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Family, FamilyTraits } from './process-family.ts';
import type { WatchOrder } from './watchdog.ts';

/**
 * What the watching process does: follows the orders until their end, which is that of the broker, and then ends the
 * processes of every command that is still watched.
 */
export async function watchCommands(orders: Readable, familyOf: (traits: FamilyTraits) => Family): Promise<void> {
	const watched = new Map<string, FamilyTraits>();
	for await (const line of createInterface({ input: orders, crlfDelay: Number.POSITIVE_INFINITY })) {
		const order = orderIn(line);
		if (order === undefined) continue;
		if ('forget' in order) watched.delete(order.forget);
		else watched.set(order.watch.commandId, order.watch);
	}
	await Promise.allSettled([...watched.values()].map((traits) => familyOf(traits).end()));
}

/** A broker that is killed can leave half a line. */
function orderIn(line: string): WatchOrder | undefined {
	try {
		return JSON.parse(line) as WatchOrder;
	} catch {
		return undefined;
	}
}
