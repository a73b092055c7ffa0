import { BrokerError } from '../errors.ts';
import type { Findings } from '../search/findings.ts';
import {
	CERTAINTIES,
	count,
	nameOf,
	notSearched,
	referenceTo,
	searchedFiles,
	unsearchableSentence,
} from '../search/report.ts';
import type { Progress } from '../search/search.ts';
import { cleaned } from '../text/terminal.ts';
import { toSarif } from './sarif.ts';
import type { Style } from './style.ts';

export interface ScanRequest {
	/** As typed; '' for the working folder. */
	readonly path: string;
	/** Undefined for the privacy scanner's key. */
	readonly key: string | undefined;
	readonly history: boolean;
	readonly ignored: boolean;
	readonly onProgress: ((progress: Progress) => void) | undefined;
}

export interface ScanLine {
	/** @throws BrokerError */
	readonly scan: (request: ScanRequest) => Promise<Findings>;
	readonly environment: NodeJS.ProcessEnv;
	readonly version: string;
	readonly stdout: { write(text: string): unknown };
	readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number | undefined };
}

const BAR_LENGTH = 20;

/** @returns the exit status: 0 nothing found, 1 found, 2 could not search */
export async function scan(
	path: string,
	key: string | undefined,
	options: readonly string[],
	{ scan: find, environment, version, stdout, stderr }: ScanLine,
	style: Style,
): Promise<number> {
	let isShown = false;
	const hasLine = stderr.isTTY === true && environment.TERM !== 'dumb';
	const onProgress = (progress: Progress) => {
		isShown = true;
		// A line that wraps could not be erased.
		stderr.write(`\r\x1b[K${progressLine(progress).slice(0, (stderr.columns ?? 80) - 1)}`);
	};
	try {
		const findings = await find({
			...{ path, key },
			history: options.includes('--history'),
			ignored: options.includes('--ignored'),
			onProgress: hasLine ? onProgress : undefined,
		});
		if (isShown) stderr.write('\r\x1b[K');
		if (options.includes('--sarif')) stdout.write(toSarif(findings, version));
		else stdout.write(options.includes('--json') ? toJson(findings, version) : findingLines(findings, style));
		return findings.total > 0 ? 1 : 0;
	} catch (error) {
		if (isShown) stderr.write('\r\x1b[K');
		const failure = BrokerError.from(error);
		const { code, message } = failure;
		stderr.write(`context-broker: Nothing was searched (${code}): ${message} ${nextForPerson(failure)}\n`);
		return 2;
	}
}

/** An error's next step is written for an agent. */
function nextForPerson({ code, next }: BrokerError): string {
	if (code === 'unknown_key') return 'Add it to the [keys] table of context-map.toml, or give another one with --key.';
	return next.replace(/^Ask the user to ([a-z])/, (_, first: string) => first.toUpperCase());
}

function progressLine({ files, places, done, total }: Progress): string {
	const counts = `${count(files, 'file')} searched, ${count(places, 'place')} found …`;
	if (total === undefined || total === 0) return counts;
	const share = Math.min(done / total, 1);
	const bar = '#'.repeat(share * BAR_LENGTH).padEnd(BAR_LENGTH, '-');
	return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${counts}`;
}

function findingLines(findings: Findings, style: Style): string {
	const { files, moreFiles, total, searched } = findings;
	const lines = files.flatMap((file) => {
		const { inName, places, count: all } = file;
		const name = cleaned(nameOf(file));
		const more = all - inName.length - places.length;
		return [
			...inName.map(({ entry, certainty }) => `${name}: name ${referenceTo(entry)} ${CERTAINTIES[certainty]}`),
			...places.map(
				({ line, column, entry, certainty }) =>
					`${name}:${line}:${column}: ${referenceTo(entry)} ${CERTAINTIES[certainty]}`,
			),
			...(more > 0 ? [`${name}: ${count(more, 'more place')}`] : []),
		];
	});
	if (moreFiles > 0) lines.push(`… and ${count(moreFiles, 'more file')} with places`);
	const left = notSearched(findings).map((reason) => style.hidden(`not searched: ${cleaned(reason)}`));
	const end = `${total === 0 ? 'No places' : count(total, 'place')}; ${searchedFiles(searched)} searched.`;
	return `${[...lines, ...left, style.hidden(unsearchableSentence(findings)), end].join('\n')}\n`;
}

function toJson({ files, moreFiles, total, searched, entries, unsearched, unsearchable }: Findings, version: string) {
	const document = {
		version,
		...{ total, searched },
		files,
		moreFiles,
		entries: Object.fromEntries(entries),
		notSearched: Object.fromEntries(unsearched),
		unsearchableLines: unsearchable,
	};
	return `${JSON.stringify(document, null, 2)}\n`;
}
