import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { withClient } from '../client.mjs';
import { interleave } from '../interleave.mjs';
import { residentOf } from '../resident.mjs';
import { ratio, value } from '../row.mjs';
import { median } from '../statistics.mjs';
import { ROOT, temporaryFolder, User } from '../user.mjs';

const COUNTS = [20, 300, 5_000];

/** Size of the searched tree in bytes. */
const TREE_LENGTH = 100_000_000;
const SHORT_TREE_LENGTH = 20_000_000;

/** Rounds of measurements. */
const ROUNDS = 5;

const TEXT = /\.(?:[cm]?[jt]s|json|md|map|css|html|txt)$/;

/**
 * A search in a tree of packages, compared with ripgrep for the same entries, if it is installed.
 *
 * @param {import('../run.mjs').Extent} extent
 */
export async function search({ isShort }) {
	const tree = treeOf(isShort ? SHORT_TREE_LENGTH : TREE_LENGTH);
	const lists = new Map(COUNTS.map((count) => [count, entries(count)]));
	const user = new User(
		Object.fromEntries([...lists].map(([count, list]) => [`k${count}`, `# Entries\n\n- ${list.join('\n- ')}\n`])),
	);
	user.build();
	const patterns = temporaryFolder();
	for (const [count, list] of lists) writeFileSync(join(patterns, String(count)), `${list.join('\n')}\n`);
	const hasRg = isInstalled('rg');
	const program = { ...user.broker, env: { ...user.env, CLAUDE_PROJECT_DIR: tree } };
	return await withClient(program, async (client) => {
		await client.introduce();
		/** @param {number} count */
		const find = async (count) => await client.time({ name: 'find_context', arguments: { key: `k${count}` } });
		/** @param {number} count */
		const rg = async (count) => {
			const before = performance.now();
			try {
				const args = ['-n', '-i', '-F', '--hidden', '--no-ignore', '-f', join(patterns, String(count)), tree];
				execFileSync('rg', args, { stdio: 'ignore' });
			} catch {
				// ripgrep's exit status if it finds nothing.
			}
			return performance.now() - before;
		};
		await find(20);
		const rows = [];
		/** @type {Map<number, number>} */
		const times = new Map();
		for (const count of COUNTS) {
			const measured = await interleave(isShort ? 3 : ROUNDS, {
				broker: async () => await find(count),
				rg: async () => (hasRg ? await rg(count) : 0),
			});
			const time = median(measured.broker);
			times.set(count, time);
			const figure = `a search of ${Math.round(sizeOf(tree) / 1e6)} MB for ${count} entries`;
			if (!hasRg) rows.push(value(figure, 'ms', time));
			else
				rows.push(
					ratio(figure, 'ms', time, ['ripgrep', median(measured.rg)], count === 300 && !isShort ? 2 : undefined),
				);
		}
		const [few, , many] = COUNTS.map((count) => times.get(count) ?? Number.NaN);
		rows.push(ratio('the same for 5,000 entries', 'ms', many ?? 0, ['for 20', few ?? 0], isShort ? undefined : 2));
		if (process.platform === 'linux') rows.push(value('memory after searches', 'MB', residentOf(client.pid), 300));
		return rows;
	});
}

/** The texts of installed packages, repeated if they are too few. @param {number} length in bytes */
function treeOf(length) {
	const tree = temporaryFolder();
	const packages = join(ROOT, 'test', 'node_modules');
	let size = 0;
	for (let copy = 0; size < length; copy++) {
		const before = size;
		for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
			if (size >= length) break;
			const file = join(entry.parentPath, entry.name);
			if (!entry.isFile() || !TEXT.test(entry.name) || statSync(file).size > 3_000_000) continue;
			const target = join(tree, String(copy), relative(packages, file));
			mkdirSync(dirname(target), { recursive: true });
			cpSync(file, target);
			size += statSync(target).size;
		}
		if (size === before) throw new Error('there are no packages: node test/setup.mjs all');
	}
	return tree;
}

/** @param {string} folder @returns {number} bytes */
function sizeOf(folder) {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const SYLLABLES = readFileSync(new URL(import.meta.url), 'utf8').match(/\b[a-z]{2,3}\b/g) ?? [];

/** Made-up names, addresses, numbers and hosts. @param {number} count @returns {string[]} */
function entries(count) {
	const word = (/** @type {number} */ n) => {
		const parts = [n, n * 7 + 3, n * 13 + 5].map((at) => SYLLABLES[at % SYLLABLES.length] ?? '');
		const text = `${parts.join('')}${n % 2 === 0 ? 'quell' : 'zorn'}`;
		return text.charAt(0).toUpperCase() + text.slice(1);
	};
	const kinds = [
		(/** @type {number} */ n) => `${word(n)} ${word(n + 1)}`,
		(/** @type {number} */ n) => `${word(n)}.${word(n + 2)}@${word(n + 3)}.example`.toLowerCase(),
		(/** @type {number} */ n) => `+49 228 ${5_000_000 + n * 17}`,
		(/** @type {number} */ n) => `KD-${4_711 + n * 13}-${word(n).slice(0, 3).toUpperCase()}`,
		(/** @type {number} */ n) => `${word(n)}.internal.example`.toLowerCase(),
	];
	return Array.from({ length: count }, (_, n) => kinds[n % kinds.length]?.(n) ?? '');
}

/** @param {string} program */
function isInstalled(program) {
	try {
		execFileSync(program, ['--version'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
