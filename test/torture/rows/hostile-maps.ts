import { configInvalid } from '../../../server/context-map/map-fault.ts';
import { parseContextMap } from '../../../server/context-map/parse.ts';
import { BrokerError } from '../../../server/errors.ts';
import type { Row } from '../row.ts';
import { type HostileMap, hostileMap } from './hostile-maps/map.ts';

/** Milliseconds. */
const LIMIT = 1_000;

/** So many characters of a user's own text are an excerpt. */
const EXCERPT = 6;

/** So often a map that took too long is tried before that counts: the machine may have been busy with something else. */
const ATTEMPTS = 3;

/** Variables of the maps that name one. */
const ENVIRONMENT = { HOME: '/home/user', TOKEN: 'abc', EMPTY: '' };

/** The map parser, in process. */
export const hostileMaps: Row = {
	name: 'hostile maps',
	holds: 'a map or a place, no excerpt, under 1 s',
	full: 10_000,
	short: 1_500,
	seconds: [100, 15],
	run: async (run) => {
		for (let index = 0; index < run.count && !run.isLate(); index++) {
			const map = hostileMap(run.random(index));
			const fault = faultOf(map);
			if (fault !== undefined) run.fail(index, `${map.kind}: ${fault}`);
			run.tried();
			// The parser leaves no turn to anything else.
			if (index % 100 === 0) await new Promise(setImmediate);
		}
	},
};

/** What does not hold for a map. */
function faultOf(map: HostileMap): string | undefined {
	const { error, ms } = parsed(map);
	if (ms > LIMIT && fastest(map) > LIMIT) return `${Math.round(ms)} ms for ${map.bytes.length} bytes`;
	if (Object.keys(Object.prototype).length > 0) return 'objects have inherited something of it';
	if (error === undefined) return undefined;
	if (!(error instanceof BrokerError)) return `ended with ${error instanceof Error ? error.name : typeof error}`;
	if (error.code !== 'config_invalid') return `ended with ${error.code}`;
	return placeFault(error.message, map.bytes.toString('utf8')) ?? excerptFault(error, map);
}

function fastest(map: HostileMap): number {
	return Math.min(...Array.from({ length: ATTEMPTS }, () => parsed(map).ms));
}

/** What is wrong with a map first, and how long it took to find that. */
function parsed({ bytes }: HostileMap): { readonly error: unknown; readonly ms: number } {
	// The decoded text of a buffer is remembered, and so would be all of them.
	const content = Buffer.from(bytes);
	const start = performance.now();
	let error: unknown;
	try {
		const [fault] = parseContextMap(content, ENVIRONMENT).faults;
		error = fault && configInvalid(fault);
	} catch (thrown) {
		error = thrown;
	}
	return { error, ms: performance.now() - start };
}

/** Whether the place in a message is one of the text. */
function placeFault(message: string, text: string): string | undefined {
	const [, line, column] = /Line (\d+), column (\d+): /.exec(message) ?? [];
	if (line === undefined || column === undefined) return 'no line and column';
	const there = text.split('\n')[Number(line) - 1];
	if (there === undefined) return `line ${line} is outside of the text`;
	// The place after the last character is one, too.
	if (Number(column) < 1 || Number(column) > there.length + 1) return `column ${column} is outside of line ${line}`;
	return undefined;
}

/** Whether something of the user's own words is in what is told. */
function excerptFault({ message, next, note = '', text }: BrokerError, { markers }: HostileMap): string | undefined {
	const told = [message, next, note, text].join('\n').toLowerCase();
	for (const marker of markers) {
		for (let start = 0; start + EXCERPT <= marker.length; start++) {
			if (told.includes(marker.slice(start, start + EXCERPT))) return 'an excerpt of the map is told';
		}
	}
	return undefined;
}
