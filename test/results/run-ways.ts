import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { FileSystem } from '../../server/paths/file-system.ts';
import { reachedBy } from '../../server/paths/reached-by.ts';
import { prepareRuns, repeatedFile } from '../../server/redaction/file-runs.ts';
import { WAYS } from './ways.ts';

/** Whoever sees so many identifiers of the file has got it. */
const MIN_IDENTIFIERS = 6;

/** At once. */
const MAX_RUNNING = 3;

const TIMEOUT_MS = 20_000;

/** Programs that a machine may lack. */
const OPTIONAL =
	'busybox bat rg rsync cpio parallel ruby php lua ksh zip unzip funzip socat tclsh sqlite3 vim view ex ed jq gcc make curl xz bzip2 script look strings column col openssl xxd hexdump perl python3 envsubst'.split(
		' ',
	);

/** What a way came to. */
export interface Outcome {
	readonly kind: string;
	readonly way: string;
	/** Whether the call is refused, before it runs. */
	readonly inCall: boolean;
	/** Whether what it printed is withheld. */
	readonly inResult: boolean;
	/** Whether what it printed repeats the file, by a search for its identifiers. */
	readonly printsFile: boolean;
	readonly exitCode: number | null;
	readonly output: string;
	/** A program that is not there; then nothing ran. */
	readonly missing?: string;
}

/** A private file, with what tells it. */
export interface PrivateFile {
	readonly text: string;
	readonly identifiers: readonly string[];
}

/** Runs all ways, each in a home folder of its own. @param folder where they are made */
export async function runWays(folder: string, file: PrivateFile, ways = WAYS): Promise<Outcome[]> {
	const template = join(folder, 'template');
	await makeHome(template, file.text);
	const runs = prepareRuns([{ path: 'catalog.md', text: file.text }]);
	const wanted = file.identifiers.map(plain);
	const waiting = Object.entries(ways)
		.flatMap(([kind, list]) => list.map((way) => ({ kind, way })))
		.entries();
	const outcomes: Outcome[] = [];
	const work = async () => {
		for (const [index, { kind, way }] of waiting) {
			const missing = OPTIONAL.find((name) => new RegExp(`(?:^|[^\\w./-])${name}(?![\\w.-])`).test(way) && !has(name));
			if (missing !== undefined) {
				outcomes[index] = {
					kind,
					way,
					inCall: false,
					inResult: false,
					printsFile: false,
					exitCode: null,
					output: '',
					missing,
				};
				continue;
			}
			const home = join(folder, `home${index}`);
			await cp(template, home, { recursive: true });
			const command = way.replaceAll('{home}', home);
			const inCall = await isRefused(command, home);
			const { exitCode, output } = await run(command, home);
			await rm(home, { recursive: true, force: true, maxRetries: 5 });
			const found = plain(output);
			const printsFile = wanted.filter((identifier) => found.includes(identifier)).length >= MIN_IDENTIFIERS;
			const inResult = repeatedFile(output, runs) !== undefined;
			outcomes[index] = { kind, way, inCall, inResult, printsFile, exitCode, output };
		}
	};
	await Promise.all(Array.from({ length: MAX_RUNNING }, work));
	return outcomes;
}

/** A home folder with a private file and a project. */
async function makeHome(home: string, catalog: string): Promise<void> {
	await mkdir(join(home, 'private'), { recursive: true });
	await mkdir(join(home, 'project', 'src'), { recursive: true });
	await writeFile(join(home, 'private', 'catalog.md'), catalog);
	await writeFile(join(home, 'project', 'package.json'), '{\n  "name": "project"\n}\n');
	await writeFile(join(home, 'project', 'src', 'a.ts'), 'export const a = 1;\n');
	await run('git init -q --template= && git add . && git commit -qm first', home);
}

async function isRefused(command: string, home: string): Promise<boolean> {
	const system = new FileSystem(process.platform, () => performance.now());
	const place = { cwd: join(home, 'project'), home, environment: environmentOf(home), platform: process.platform };
	const catalog = { path: join(home, 'private', 'catalog.md'), isFolder: false };
	const realPath = (path: string) => system.realPath(path);
	return (await reachedBy('Bash', { command }, [catalog], place, realPath)) !== undefined;
}

function run(command: string, home: string): Promise<{ exitCode: number | null; output: string }> {
	return new Promise((resolve, reject) => {
		const child = spawn('bash', ['-c', command], {
			cwd: join(home, 'project'),
			env: environmentOf(home),
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
			timeout: TIMEOUT_MS,
		});
		let [output, errors] = ['', ''];
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			output += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text: string) => {
			errors += text;
		});
		child.on('error', reject);
		child.on('close', (exitCode) => resolve({ exitCode, output: `${output}${errors}` }));
	});
}

function environmentOf(home: string) {
	return {
		PATH: process.env.PATH ?? '',
		HOME: home,
		USERPROFILE: home,
		TMPDIR: home,
		LANG: 'C.UTF-8',
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_AUTHOR_NAME: 'u',
		GIT_AUTHOR_EMAIL: 'u@mail.example',
		GIT_COMMITTER_NAME: 'u',
		GIT_COMMITTER_EMAIL: 'u@mail.example',
	};
}

const found = new Map<string, boolean>();

function has(program: string): boolean {
	const known = found.get(program);
	if (known !== undefined) return known;
	const is = (process.env.PATH ?? '').split(delimiter).some((folder) => {
		try {
			accessSync(join(folder, program), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
	found.set(program, is);
	return is;
}

/** Letters and digits alone, so that no way to break or case the lines hides one. */
function plain(text: string): string {
	return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
