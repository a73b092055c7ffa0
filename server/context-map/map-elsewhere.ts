import type { ContextMap } from './context-map.ts';
import { MapSyntaxError } from './map-fault.ts';

/** A map that is not where this process looks for it. */
export interface MapElsewhere {
	readonly file: string;
	/** Absolute: the map and the files that it protects. */
	readonly paths: readonly string[];
}

export async function findMap(maps: readonly ContextMap[]): Promise<MapElsewhere | undefined> {
	for (const map of maps) {
		const paths = await map.read().then(
			({ entries, paths }) => [...paths, ...[...entries.values()].map(({ path }) => path)],
			(error: unknown) => (error instanceof MapSyntaxError ? error.paths : undefined),
		);
		if (paths === undefined) continue;
		const absolute = paths.map((path) => map.resolve({ path, agents: undefined }));
		return { file: map.file, paths: [map.file, ...absolute] };
	}
	return undefined;
}
