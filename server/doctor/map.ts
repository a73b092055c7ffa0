import { readFileSync, realpathSync, statSync } from 'node:fs';
import { type MapFault, MapSyntaxError } from '../context-map/map-fault.ts';
import type { MapContent } from '../context-map/parse.ts';
import { BrokerError } from '../errors.ts';
import { LastSession } from '../record/last-session.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const CHECK = 'map';

const LINES_AROUND = 1;

/** Limit, because locating faults in a large map is slow. */
const MAX_FAULTS = 20;

/** @returns the findings, and the map's content if it can be read */
export async function checkMap({
	map,
}: DoctorContext): Promise<{ findings: Finding[]; content: MapContent | undefined }> {
	try {
		const content = await map.read();
		const { entries, faults, hasObsolete } = content;
		const number = entries.size === 1 ? '1 key' : `${entries.size} keys`;
		const obsolete = hasObsolete ? [warning(CHECK, LOG_GONE, 'Remove it.')] : [];
		if (faults.length === 0) return { findings: [ok(CHECK, `${map.file}, ${number}`), ...obsolete], content };
		const findings = faults.slice(0, MAX_FAULTS).map((fault) => invalid(map.file, fault));
		const more = faults.length - findings.length;
		const others = more > 0 ? [failure(CHECK, `It has ${more} more faults.`, 'Correct these first.')] : [];
		return { findings: [...findings, ...others, ...obsolete], content };
	} catch (error) {
		if (!(error instanceof BrokerError)) throw error;
		return { findings: [unread(map.file, error)], content: undefined };
	}
}

const LOG_GONE = 'Its table [log] has no effect any more: the broker logs no decisions.';

const CORRECT = 'Correct it there. No restart is needed.';

function unread(file: string, error: BrokerError): Finding {
	if (error.code === 'config_missing') {
		const next = `Create ${file} with these two lines, and the file that the second one names:\n${MAP_LINES}`;
		return failure(CHECK, 'There is none yet.', next);
	}
	if (error instanceof MapSyntaxError) return invalid(file, error.fault);
	return failure(CHECK, `${file}: ${error.message}`, 'Make it a file that your account can read.');
}

function invalid(file: string, fault: MapFault): Finding {
	const { line, column, problem } = fault.place();
	const next = fault.lacksKeys ? `Add these two lines, and the file that the second one names:\n${MAP_LINES}` : CORRECT;
	const finding = failure(CHECK, `${file}, line ${line}, column ${column}: ${problem}.`, next);
	return { ...finding, excerpt: excerptOf(file, line, column) };
}

/** Whether the last session of Claude Code looked for the map elsewhere, or found a fault in it. */
export async function checkSessionMap({ data, map }: DoctorContext): Promise<Finding[]> {
	const last = await new LastSession(data, Date.now).read();
	if (last?.map === undefined) return [];
	const { file, error } = last.map;
	const found = error === 'config_missing' ? ', where there is none' : '';
	if (realPath(file) !== realPath(map.file)) {
		const message = `Claude Code looks for the map at ${file}${found}; this shell has it at ${map.file}. Their XDG_CONFIG_HOME differs.`;
		const next =
			'Start Claude Code with the XDG_CONFIG_HOME of this shell, or put a link to one map in place of the other.';
		return [warning(CHECK, message, next)];
	}
	const isSame = (statSync(map.file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < last.connected;
	const content = error === 'config_invalid' && isSame ? await map.read().catch(() => undefined) : undefined;
	if (content?.faults.length !== 0) return [];
	const message =
		'It was not valid in the last session of Claude Code, but is valid here. Probably a variable that it names is not set there.';
	return [warning(CHECK, message, 'Set the variable where Claude Code is started.')];
}

function realPath(file: string): string {
	try {
		return realpathSync(file);
	} catch {
		return file; // It does not exist.
	}
}

/** An example for the plugin's scanner. */
const MAP_LINES = '[keys]\ncatalog-q7v2mx9k = "~/private/catalog.md"';

function excerptOf(file: string, line: number, column: number): string[] {
	const lines = readFileSync(file, 'utf8').split(/\r?\n/);
	const first = Math.max(1, line - LINES_AROUND);
	const width = String(line + LINES_AROUND).length;
	return lines.slice(first - 1, line + LINES_AROUND).flatMap((text, index) => {
		const number = first + index;
		const shown = `${String(number).padStart(width)} | ${text}`;
		// Tabs are kept, so that the mark stands below the right character.
		const blanks = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
		return number === line ? [shown, `${' '.repeat(width)} | ${blanks}^`] : [shown];
	});
}
