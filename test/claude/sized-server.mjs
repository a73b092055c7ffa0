/**
 * An MCP server whose tool `give` returns a letter as many times as asked. Its listing asks for results of `limit`
 * characters to be delivered whole.
 *
 *     node sized-server.mjs <limit>
 */
import { serve } from './plain-server.mjs';

const meta = { 'anthropic/maxResultSizeChars': Number(process.argv[2]) };
serve('sized', ({ letter, count }) => ({ content: [{ type: 'text', text: letter.repeat(count) }] }), meta);
