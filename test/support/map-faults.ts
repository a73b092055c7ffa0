import { configInvalid, MapSyntaxError } from '../../server/context-map/map-fault.ts';
import type { MapContent } from '../../server/context-map/parse.ts';

/** What is wrong with a map, as it is told. */
export function faultsOf(read: () => MapContent): string[] {
	try {
		return read().faults.map((fault) => configInvalid(fault).message);
	} catch (error) {
		if (error instanceof MapSyntaxError && error.cause === undefined) return [error.message];
		throw error;
	}
}

/** The first of these. */
export function faultOf(read: () => MapContent): string {
	const [first] = faultsOf(read);
	if (first === undefined) throw new Error('nothing is wrong with it');
	return first;
}
