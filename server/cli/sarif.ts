import type { Certainty } from '../redaction/occurrences.ts';
import type { Findings, FoundFile } from '../search/findings.ts';
import { CERTAINTIES, nameOf, notSearched, referenceTo, unsearchableSentence } from '../search/report.ts';

/** GitHub's limit for a run. */
const MAX_RESULTS = 25_000;

const LEVELS: Readonly<Record<Certainty, 'error' | 'warning' | 'note'>> = {
	exact: 'error',
	spelling: 'warning',
	part: 'note',
	likely: 'note',
};

const CERTAINTY = Object.keys(LEVELS) as Certainty[];

/** SARIF 2.1.0 (OASIS standard, 27 March 2020), for code scanning. */
export function toSarif(findings: Findings, version: string): string {
	const results = findings.files.flatMap(resultsOf);
	const left = findings.total - Math.min(results.length, MAX_RESULTS);
	const notes = [
		...(left > 0 ? [`${left} more places were found.`] : []),
		...notSearched(findings).map((reason) => `Not searched: ${reason}.`),
		unsearchableSentence(findings),
	];
	const run = {
		tool: { driver: { name: 'Context Broker', semanticVersion: version, rules: CERTAINTY.map(ruleOf) } },
		columnKind: 'utf16CodeUnits',
		invocations: [
			{
				executionSuccessful: true,
				toolExecutionNotifications: notes.map((text) => ({ level: 'note', message: { text } })),
			},
		],
		results: results.slice(0, MAX_RESULTS),
	};
	const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
	return `${JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function ruleOf(certainty: Certainty) {
	const text = `A line of the private file occurs here, ${CERTAINTIES[certainty]}.`;
	return {
		id: `private-entry/${certainty}`,
		name: `PrivateEntry${certainty[0]?.toUpperCase()}${certainty.slice(1)}`,
		shortDescription: { text },
		fullDescription: { text },
		help: { text: 'Look up the line in your private file, and remove this text before you publish it.' },
		defaultConfiguration: { level: LEVELS[certainty] },
		properties: { tags: ['privacy'] },
	};
}

function resultsOf(file: FoundFile) {
	const { path, commit, inName, places } = file;
	// A commit's texts have no path, so their name takes its place.
	const name = path === '' ? nameOf(file) : path;
	const where = commit === undefined ? '' : ` in commit ${commit}`;
	const uri = name.split('/').map(encodeURIComponent).join('/');
	const result = (entry: number, certainty: Certainty, what: string, region: object) => ({
		ruleId: `private-entry/${certainty}`,
		ruleIndex: CERTAINTY.indexOf(certainty),
		level: LEVELS[certainty],
		message: { text: `${referenceTo(entry)} of the private file occurs ${what}${where}, ${CERTAINTIES[certainty]}.` },
		locations: [{ physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region } }],
	});
	return [
		...inName.map(({ entry, certainty }) => result(entry, certainty, 'in this name', { startLine: 1 })),
		...places.map(({ line, column, entry, certainty }) =>
			result(entry, certainty, 'here', { startLine: line, startColumn: column }),
		),
	];
}
