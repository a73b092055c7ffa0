/** Prints every sentence that the product says, by reader, with file and line. It finds them in the sources. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';

const ROOT = new URL('../../', import.meta.url);
const SOURCE = /^server\/.*\.(?:ts|mjs|cjs)$/;
const AGENT = /^agents\/.*\.md$/;

/** What these have in words, nobody reads: code, and errors that are caught. */
const CODE = /^server\/(?:bootstrap\/(?:bundle|pack)|paths|redaction|text)\b/;

/** Who reads the sentences of a file: the first that fits. All that is left is for the model. */
const READERS = [
	{
		reader: 'The model and the person',
		files: /^server\/(?:context-map|errors|files|policy\/(?:after-tool|answer-hook|attachments|rules)|search)/,
	},
	{
		reader: 'The person',
		files:
			/^server\/(?:bootstrap|cli|doctor|env-file|exposure|isolation|policy\/(?:for-person|map-notice)|record|serve|terminal|traces|upstreams)/,
	},
	{ reader: 'The model', files: /./ },
];

/** Three words in a row, or a full stop at the end. Identifiers, paths, patterns and single words are no sentences. */
const SENTENCE =
	/^\p{Lu}[\p{L} ]+\.$|(?:^|[^\p{L}])\p{L}[\p{L}'’-]*[,:;]? (?:\$\{[^}]*\}|[\p{L}'’`"-]+)[,:;]? [\p{L}'’`"$-]+/u;

/** @typedef {{ file: string, line: number, text: string }} Sentence */

const sentences = ['server', 'agents'].flatMap(listFiles).flatMap(sentencesIn);
for (const group of READERS) {
	process.stdout.write(`\n# ${group.reader}\n`);
	for (const { file, line, text } of sentences) {
		if (READERS.find(({ files }) => files.test(file)) !== group) continue;
		process.stdout.write(`${file}:${line}  ${text.trim().replaceAll('\n', '\n    ')}\n`);
	}
}

/** @param {string} folder in the repository */
function listFiles(folder) {
	return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
		.map((name) => `${folder}/${name}`)
		.filter((file) => (SOURCE.test(file) && !CODE.test(file)) || AGENT.test(file))
		.sort();
}

/**
 * @param {string} file
 * @returns {Sentence[]}
 */
function sentencesIn(file) {
	const source = readFileSync(new URL(file, ROOT), 'utf8');
	if (AGENT.test(file)) return [{ file, line: 1, text: source }];
	/** @type {Sentence[]} */
	const found = [];
	visit(parseAst(source, { lang: file.endsWith('.ts') ? 'ts' : 'js' }), (node) => {
		const text = textOf(node, source);
		if (text === undefined || !SENTENCE.test(text)) return;
		found.push({ file, line: source.slice(0, node.start).split('\n').length, text });
	});
	return found;
}

/**
 * @param {any} node of the syntax tree
 * @param {(node: any) => void} see
 */
function visit(node, see) {
	if (node === null || typeof node !== 'object') return;
	if (typeof node.type === 'string') see(node);
	for (const child of Object.values(node)) visit(child, see);
}

/**
 * The text of a string or template, with `${…}` as written.
 * @param {any} node
 * @param {string} source
 */
function textOf(node, source) {
	if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
	if (node.type !== 'TemplateLiteral') return undefined;
	return node.quasis
		.map((/** @type {any} */ quasi, /** @type {number} */ index) => {
			const expression = node.expressions[index];
			return quasi.value.cooked + (expression ? `\${${source.slice(expression.start, expression.end)}}` : '');
		})
		.join('');
}
