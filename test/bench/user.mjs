import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withClient } from './client.mjs';

/** The plugin's root. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @param {string} root the plugin's root */
export const bootstrapOf = (root) => join(root, 'server', 'bootstrap.cjs');

/** In characters: nearly the longest file that the broker loads. */
export const LARGE = 480_000;

/** Without the folders that `npm run` adds. */
const PATH = (process.env.PATH ?? '')
	.split(delimiter)
	.filter((folder) => !folder.includes('node_modules'))
	.join(delimiter);

/** @type {string[]} */
const folders = [];
process.on('exit', () => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A folder for the benchmark; removed when it ends. @returns {string} its path */
export function temporaryFolder() {
	const folder = mkdtempSync(join(tmpdir(), 'context-broker-bench-'));
	folders.push(folder);
	return folder;
}

/** A user with a home folder, a map and private files. */
export class User {
	/**
	 * @param {Record<string, string>} texts the files' texts, by key
	 * @param {number} keys the map's least number of keys; additional ones have no file
	 */
	constructor(texts, keys = 0) {
		const folder = temporaryFolder();
		this.home = join(folder, 'home');
		this.data = join(folder, 'data');
		this.files = join(this.home, '.config', 'context-broker');
		mkdirSync(this.files, { recursive: true });
		const names = Object.keys(texts);
		for (let n = names.length; n < keys; n++) names.push(`key-${n}`);
		writeFileSync(
			join(this.files, 'context-map.toml'),
			`[keys]\n${names.map((name) => `${name} = "${name}.md"\n`).join('')}`,
		);
		for (const [name, text] of Object.entries(texts)) writeFileSync(this.file(name), text);
	}

	/** @param {string} key */
	file(key) {
		return join(this.files, `${key}.md`);
	}

	/** Nothing from the benchmark's own environment except PATH. */
	get env() {
		return { PATH, HOME: this.home, USERPROFILE: this.home, CLAUDE_PLUGIN_DATA: this.data };
	}

	/** The command with which Claude Code starts the broker. @returns {import('./client.mjs').Program} */
	get broker() {
		return { args: [bootstrapOf(ROOT)], env: this.env };
	}

	/** @returns {import('./client.mjs').Program} */
	get floor() {
		return { args: [fileURLToPath(new URL('floor-server.mjs', import.meta.url)), this.files], env: this.env };
	}

	/** The broker's build; builds it if needed. */
	build() {
		execFileSync(process.execPath, [bootstrapOf(ROOT), 'prepare'], { env: this.env, stdio: 'ignore' });
		const builds = join(this.data, 'builds');
		return join(builds, readdirSync(builds).find((name) => name.endsWith('.cjs')) ?? '');
	}

	/** Runs a session that loads a key, so that later sessions have V8's compiled code. @param {string} key */
	async useOnce(key) {
		const code = this.build().replace(/cjs$/, 'code');
		const before = statSync(code).ino;
		await withClient(this.broker, async (client) => {
			await client.introduce();
			await client.call(load(key));
			while (statSync(code).ino === before) await delay(20);
		});
	}
}

/** @param {string} key @returns {import('./client.mjs').ToolCall} */
export function load(key) {
	return { name: 'load_context', arguments: { key } };
}

/** A private file with one entry a line. @param {number} length @returns {string} */
export function catalog(length) {
	let text = '# Entries\n\n';
	for (let n = 0; text.length < length; n++) {
		text += `- Zuri Quell${n} (sales), zuri.quell${n}@mail.example, +1 555 ${1_000_000 + n}\n`;
	}
	return `${text.slice(0, length - 1)}\n`;
}
