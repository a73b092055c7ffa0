/** Prints every sentence that the product says, by reader, with file and line. It finds them in the sources. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';

const ROOT = new URL('../../', import.meta.url);
const SOURCE = /^server\/.*\.(?:ts|mjs|cjs)$/;
const AGENT = /^agents\/.*\.md$/;

/** Files whose sentences go to a person: those of the terminal and of the start, and what hooks show. All others speak to a model. */
const FOR_PERSON =
	/^server\/(?:bootstrap|cli\/|context-map\/|doctor\/|exposure\/|env-file\/|isolation\/|record\/|traces\/|main|serve|standard-error|terminal|base|programs|claude-code\/(?:client|hook-settings|sandbox)|policy\/(?:for-person|map-notice|last-map))/;

/** Three words in a row. Identifiers, paths, patterns and single words are no sentences. */
const SENTENCE = /(?:^|[^\p{L}])\p{L}[\p{L}'’-]*[,:;]? (?:\$\{[^}]*\}|[\p{L}'’`"-]+)[,:;]? [\p{L}'’`"$-]+/u;

/** @typedef {{ file: string, line: number, text: string }} Sentence */

const sentences = ['server', 'agents'].flatMap(listFiles).flatMap(sentencesIn);
for (const [reader, isRead] of /** @type {[string, (file: string) => boolean][]} */ ([
	['For the model', (file) => !FOR_PERSON.test(file)],
	['For the person', (file) => FOR_PERSON.test(file)],
])) {
	process.stdout.write(`\n# ${reader}\n`);
	for (const { file, line, text } of sentences.filter((sentence) => isRead(sentence.file))) {
		process.stdout.write(`${file}:${line}  ${text.trim().replaceAll('\n', '\n    ')}\n`);
	}
}

/** @param {string} folder in the repository */
function listFiles(folder) {
	return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
		.map((name) => `${folder}/${name}`)
		.filter((file) => SOURCE.test(file) || AGENT.test(file))
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
