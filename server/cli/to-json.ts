import type { Edited } from './edit-lists.ts';
import type { State } from './state.ts';

/** The state for a program: null stands where nothing is to be said. After an edit also what became of it. */
export function toJson({ tools, warnings }: State, envFile: string, edited?: Edited): string {
	const document = {
		tools: tools.map(({ name, shown, exposure, list, source, selector, origin }) => ({
			name,
			shown,
			exposure,
			list: list ?? null,
			source: source ?? null,
			selector: selector ?? null,
			...(origin === undefined ? {} : { origin }),
		})),
		envFile,
		warnings,
		...(edited && { written: edited.written.length > 0, overridden: edited.overridden }),
	};
	return `${JSON.stringify(document, null, 2)}\n`;
}
