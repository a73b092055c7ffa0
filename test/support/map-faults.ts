import { configInvalid, MapSyntaxError } from '../../server/context-map/map-fault.ts';
import type { MapContent } from '../../server/context-map/parse.ts';

/** The messages for a map's faults. */
export function faultsOf(read: () => MapContent): string[] {
	try {
		return read().faults.map((fault) => configInvalid(fault).message);
	} catch (error) {
		if (error instanceof MapSyntaxError && error.cause === undefined) return [error.message];
		throw error;
	}
}

/** The first of them. @throws Error if there is none */
export function faultOf(read: () => MapContent): string {
	const [first] = faultsOf(read);
	if (first === undefined) throw new Error('nothing is wrong with it');
	return first;
}
