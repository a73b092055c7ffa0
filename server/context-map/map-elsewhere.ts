import type { ContextMap } from './context-map.ts';
import { MapSyntaxError } from './map-fault.ts';

/** A map that is not where this process looks for it. */
export interface MapElsewhere {
	readonly file: string;
	/** Absolute: the map, and what it protects. */
	readonly paths: readonly string[];
}

/** The first of some maps that is there, and can be read. */
export async function findMap(maps: readonly ContextMap[]): Promise<MapElsewhere | undefined> {
	for (const map of maps) {
		const paths = await pathsOf(map);
		if (paths === undefined) continue;
		const absolute = paths.map((path) => map.resolve({ path, agents: undefined }));
		return { file: map.file, paths: [map.file, ...absolute] };
	}
	return undefined;
}

/** As written. */
async function pathsOf(map: ContextMap): Promise<readonly string[] | undefined> {
	try {
		const { entries, paths } = await map.read();
		return [...paths, ...[...entries.values()].map(({ path }) => path)];
	} catch (error) {
		return error instanceof MapSyntaxError ? error.paths : undefined;
	}
}
