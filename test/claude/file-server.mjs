/**
 * An MCP server whose tool `give` returns a file: as one text, a text a line, or structured content.
 *
 *     node file-server.mjs <file>
 */
import { readFileSync } from 'node:fs';
import { serve } from './plain-server.mjs';

const text = readFileSync(process.argv[2] ?? '', 'utf8');
const lines = text.split('\n').filter((line) => line !== '');

/** @type {Record<string, object>} */
const given = {
	text: { content: [{ type: 'text', text }] },
	lines: { content: lines.map((line) => ({ type: 'text', text: line })) },
	structured: { content: [{ type: 'text', text: JSON.stringify({ lines }) }], structuredContent: { lines } },
	number: { content: [{ type: 'text', text: '{"number":7}' }], structuredContent: { number: 7 } },
};

serve('file', ({ as }) => given[as]);
