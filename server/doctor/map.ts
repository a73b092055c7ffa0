import { readFileSync } from 'node:fs';
import type { MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { type Finding, failure, ok } from './finding.ts';
import type { Patient } from './patient.ts';

const CHECK = 'map';

/** How many lines of the map stand around a fault, on each side. */
const AROUND = 1;

/** The context map. @returns with what it holds, where it can be read */
export async function checkMap({ map }: Patient): Promise<{ findings: Finding[]; content: MapContent | undefined }> {
	try {
		const content = await map.read();
		const { size } = content.entries;
		return { findings: [ok(CHECK, `${map.file}, ${size === 1 ? '1 key' : `${size} keys`}`)], content };
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		return { findings: [faultOf(error, map.file)], content: undefined };
	}
}

function faultOf(error: BrokerError, file: string): Finding {
	if (error.code === 'config_missing') return failure(CHECK, 'There is none yet.', createMap(file));
	const [, line, column, problem] = /Line (\d+), column (\d+): ([\s\S]*)$/.exec(error.message) ?? [];
	if (line === undefined || column === undefined) {
		return failure(CHECK, `${file}: ${error.message}`, 'Make it a file that your account may read.');
	}
	const next = problem?.startsWith('the table [keys]')
		? `Add these two lines, and the file that the second one names:\n${LINES}`
		: 'Correct it there. No restart is needed.';
	const finding = failure(CHECK, `${file}, line ${line}, column ${column}: ${problem}`, next);
	return { ...finding, excerpt: excerptOf(file, Number(line), Number(column)) };
}

/** For the scanner that the plugin brings. */
const LINES = '[keys]\ncatalog-q7v2mx9k = "~/private/catalog.md"';

/** What to write where there is no map. */
function createMap(file: string): string {
	return `Create ${file} with these two lines, and the file that the second one names:\n${LINES}`;
}

function excerptOf(file: string, line: number, column: number): string[] {
	const lines = readFileSync(file, 'utf8').split(/\r?\n/);
	const first = Math.max(1, line - AROUND);
	const width = String(line + AROUND).length;
	return lines.slice(first - 1, line + AROUND).flatMap((text, index) => {
		const number = first + index;
		const shown = `${String(number).padStart(width)} | ${text}`;
		// Tabs stay, so that the mark stands below the place.
		const blanks = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
		return number === line ? [shown, `${' '.repeat(width)} | ${blanks}^`] : [shown];
	});
}
