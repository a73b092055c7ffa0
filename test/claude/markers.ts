import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Home } from './harness/home.ts';
import type { ModelRequest } from './harness/request.ts';

/** A private file with something of every kind in it. */
export const CATALOG = `# Names

- Zebulon Quux-Marker
- Aloysia Brandenburgh (accounting), aloysia.b@example.org

## Contact

| what | value |
|---|---|
| telephone | +1 555 0199 |
| customer | QX-7781-MARK |

contact: Wendelin Oberholtzer

The vault combination is written below the third stone of the garden wall near the old mill.
`;

/** What nobody may learn of it but the agent that it is for. */
export const MARKERS = [
	'Zebulon Quux-Marker',
	'aloysia.b@example.org',
	'+1 555 0199',
	'QX-7781-MARK',
	'Wendelin Oberholtzer',
	'third stone of the garden wall near the old mill',
];

/** Letters and digits only, whatever their case and Unicode form. On purpose not the broker's own folding. */
function fold(text: string): string {
	return text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}

function texts(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** Whether a text holds a marker in any folding. */
export function holdsMarker(text: string): boolean {
	const folded = fold(text);
	return MARKERS.some((marker) => folded.includes(fold(marker)));
}

/** The requests that hold one of some passages in any folding. */
export function holding(requests: readonly ModelRequest[], passages: readonly string[]): ModelRequest[] {
	const folded = passages.map(fold);
	return requests.filter(({ body }) => {
		const said = texts(body).map(fold);
		return folded.some((passage) => said.some((text) => text.includes(passage)));
	});
}

/** How messages end that are for the person alone. */
const FOR_PERSON = 'To switch this protection off';

/**
 * The requests that hold a marker in any folding, but for those of the agents that may have the file; and any that hold
 * what the person alone is told.
 */
export function leaks(requests: readonly ModelRequest[], ...entitled: readonly (readonly ModelRequest[])[]) {
	const theirs = new Set(entitled.flat());
	const others = requests.filter((request) => !theirs.has(request));
	return [...holding(others, MARKERS), ...holding(requests, [FOR_PERSON])];
}

/** Every file below the folders of a user, the temporary ones included, that holds a marker; but for the private file. */
export function filesThatLeak({ home }: Pick<Home, 'home'>): string[] {
	const entries = readdirSync(dirname(home), { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
	return files.filter((file) => !file.endsWith('/context-broker/catalog.md') && holdsMarker(textOf(file)));
}

/** The text of a file; empty if there is none at this moment, since it is written anew. */
export function textOf(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return '';
	}
}
