import { readFileSync, realpathSync, statSync } from 'node:fs';
import type { ContextMap } from '../context-map/context-map.ts';
import { type MapFault, MapSyntaxError } from '../context-map/map-fault.ts';
import type { MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { LastSession } from '../record/last-session.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import type { Patient } from './patient.ts';

const CHECK = 'map';

/** How many lines of the map stand around a fault, on each side. */
const AROUND = 1;

/** How many faults are listed: to find a place in a large map takes time. */
const MOST_FAULTS = 20;

/** The context map. @returns with what it holds, where it can be read */
export async function checkMap({ map }: Patient): Promise<{ findings: Finding[]; content: MapContent | undefined }> {
	try {
		const content = await map.read();
		const { entries, faults, hasObsolete } = content;
		const number = entries.size === 1 ? '1 key' : `${entries.size} keys`;
		const obsolete = hasObsolete ? [warning(CHECK, LOG_GONE, 'Remove it.')] : [];
		if (faults.length === 0) return { findings: [ok(CHECK, `${map.file}, ${number}`), ...obsolete], content };
		const findings = faults.slice(0, MOST_FAULTS).map((fault) => invalid(map.file, fault));
		const more = faults.length - findings.length;
		const others = more > 0 ? [failure(CHECK, `It has ${more} more faults.`, 'Correct these first.')] : [];
		return { findings: [...findings, ...others, ...obsolete], content };
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		return { findings: [unread(map.file, error)], content: undefined };
	}
}

const LOG_GONE = 'Its table [log] has no effect any more: the broker writes down no decisions.';

const CORRECT = 'Correct it there. No restart is needed.';

function unread(file: string, error: BrokerError): Finding {
	if (error.code === 'config_missing') return failure(CHECK, 'There is none yet.', createMap(file));
	if (error instanceof MapSyntaxError) return invalid(file, error.fault);
	return failure(CHECK, `${file}: ${error.message}`, 'Make it a file that your account may read.');
}

function invalid(file: string, fault: MapFault): Finding {
	const { line, column, problem } = fault.place();
	const next = fault.lacksKeys ? `Add these two lines, and the file that the second one names:\n${LINES}` : CORRECT;
	const finding = failure(CHECK, `${file}, line ${line}, column ${column}: ${problem}.`, next);
	return { ...finding, excerpt: excerptOf(file, line, column) };
}

/** Whether the last session of Claude Code has looked for the map elsewhere, or has found something wrong with it. */
export async function checkSessionMap({ data, map }: Patient): Promise<Finding[]> {
	const last = await new LastSession(data, Date.now).read();
	if (last?.map === undefined) return [];
	const { file, error } = last.map;
	const found = error === 'config_missing' ? ', and have found none there' : '';
	if (realPath(file) !== realPath(map.file)) {
		const message = `Sessions of Claude Code look for the map at ${file}${found}; here it is ${map.file}. XDG_CONFIG_HOME differs there.`;
		const next =
			'Start Claude Code with the XDG_CONFIG_HOME of this shell, or put a link to the one map in the place of the other.';
		return [warning(CHECK, message, next)];
	}
	const isSame = (statSync(map.file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < last.connected;
	if (error !== 'config_invalid' || !isSame || !(await isValid(map))) return [];
	const message =
		'It was not valid in the last session of Claude Code, and is here: probably a variable that it names is not set there.';
	return [warning(CHECK, message, 'Set the variable where Claude Code is started.')];
}

async function isValid(map: ContextMap): Promise<boolean> {
	return await map.read().then(
		({ faults }) => faults.length === 0,
		() => false,
	);
}

function realPath(file: string): string {
	try {
		return realpathSync(file);
	} catch {
		return file; // There is nothing.
	}
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
