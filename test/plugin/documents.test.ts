import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseContextMap } from '../../server/context-map/parse.ts';
import { PROTECTIONS } from '../../server/context-map/schema.ts';
import { ERROR_CODES } from '../../server/errors.ts';
import { KNOWN_VARIABLES } from '../../server/exposure/settings.ts';
import { CONTENT_LIMIT } from '../../server/files/read-markdown.ts';
import { RUN_SHELL_COMMAND } from '../../server/guard/announced-calls.ts';
import { CLAUDE_CODE_VARIABLES, OLDEST_CLAUDE_CODE } from '../../server/guard/client.ts';
import { BUNDLED_AGENTS } from '../../server/guard/entitlement.ts';
import { clientVersions } from '../claude/harness/installed-clients.ts';
import { PLUGIN_ROOT } from '../support/paths.ts';
import { FULL_TOOL_NAMES } from './tool-names.ts';

function text(file: string): string {
	return readFileSync(join(PLUGIN_ROOT, file), 'utf8');
}

const README = text('README.md');
const [, SCANNER_KEY = ''] = /the key `([^`]+)`/.exec(text('agents/privacy-scanner.md')) ?? [];

test('the README explains every error code, in the order of the list', () => {
	const rows = [...README.matchAll(/^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, code]) => code);
	expect(rows.filter((code) => code !== 'agents')).toEqual(ERROR_CODES);
});

test('the maps in the README are valid and hold the key of the scanner', () => {
	const maps = [...README.matchAll(/```toml\n(.*?)```/gs)].map(([, map = '']) => map.replace(/^ {2,3}/gm, ''));
	const [first, reference, ownAgent, switchedOff, privateData, shell, servers, isolated, ...others] = maps.map(
		(map) => parseContextMap(Buffer.from(map), { DATA_TOKEN: 'x' }).entries,
	);
	expect(others).toEqual([]);
	for (const map of [privateData, shell, isolated]) expect(map?.size).toBe(0);
	expect(servers?.has(SCANNER_KEY)).toBe(true);
	for (const map of [first, reference, switchedOff]) expect(map?.has(SCANNER_KEY)).toBe(true);
	const [[key, { agents }] = ['', { agents: [] }]] = ownAgent ?? [];
	const [, agent = ''] = /```markdown\n(.*?)```/s.exec(README) ?? [];
	expect(agent).toContain(`the key \`${key}\``);
	expect(agent).toContain(`name: ${agents?.join()}\n`);
	const demo = text('test/demo/config/context-broker/context-map.toml');
	expect([...parseContextMap(Buffer.from(demo)).entries.keys()]).toEqual([SCANNER_KEY]);
});

test('names and figures in the README are those of the code', () => {
	expect(README).toContain(`tools: ${FULL_TOOL_NAMES[0]}\n`);
	expect(README).toContain(`add \`${RUN_SHELL_COMMAND}\` to`);
	for (const name of PROTECTIONS) expect(README).toContain(`| \`${name}\` |`);
	expect(clientVersions().at(-1)).toBe(OLDEST_CLAUDE_CODE);
	expect(README).toContain(`| Claude Code | ${OLDEST_CLAUDE_CODE} or newer |`);
	for (const name of [...CLAUDE_CODE_VARIABLES, ...BUNDLED_AGENTS, ...KNOWN_VARIABLES])
		expect(README).toContain(`\`${name}\``);
	expect(README).toContain(`more than ${CONTENT_LIMIT.toLocaleString('en')} characters`);
});

test.each(['README.md', 'CONTRIBUTING.md'])('what %s links to in the repository exists', (file) => {
	const links = [...text(file).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
	const headings = [...text(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w\s-]/g, '')
			.replaceAll(' ', '-'),
	);
	expect(links.length).toBeGreaterThan(0);
	for (const link of links) {
		if (link.startsWith('#')) expect(headings).toContain(link.slice(1));
		else if (!link.startsWith('https://')) expect(existsSync(join(PLUGIN_ROOT, link)), link).toBe(true);
	}
});
