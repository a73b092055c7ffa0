import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Makes git ignore this machine's settings. */
export const GIT_ENVIRONMENT = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };

/** A commit's content. */
export interface Publication {
	/** Files to replace or to add: path within the folder, text. */
	readonly replace?: Readonly<Record<string, string>>;
}

/**
 * Commits a folder's files, except those that `.gitignore` excludes, to the branch `main` of a bare repository. Creates the
 * repository if needed. The folder need not be a repository, and is not changed.
 *
 * @returns the commit's id
 */
export async function publish(
	sourceFolder: string,
	bareRepository: string,
	message: string,
	{ replace = {} }: Publication = {},
): Promise<string> {
	const scratch = await mkdtemp(join(tmpdir(), 'context-broker-git-'));
	try {
		const git = gitIn(bareRepository, sourceFolder, join(scratch, 'index'));
		await runGit(['init', '--quiet', '--bare', '--initial-branch=main', bareRepository]);
		await git(['add', '--all', '.']);
		for (const [path, content] of Object.entries(replace)) {
			const blob = await git(['hash-object', '-w', '--stdin'], content);
			await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
		}
		const tree = await git(['write-tree']);
		const [parent] = (await git(['for-each-ref', '--format=%(objectname)', 'refs/heads/main'])).split('\n');
		const commit = await git(['commit-tree', tree, '-m', message, ...(parent ? ['-p', parent] : [])]);
		await git(['update-ref', 'refs/heads/main', commit]);
		return commit;
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

function gitIn(repository: string, workTree: string, index: string) {
	const env = {
		GIT_DIR: repository,
		GIT_WORK_TREE: workTree,
		GIT_INDEX_FILE: index,
		GIT_AUTHOR_NAME: 'Test',
		GIT_AUTHOR_EMAIL: 'test@example.org',
		GIT_COMMITTER_NAME: 'Test',
		GIT_COMMITTER_EMAIL: 'test@example.org',
	};
	return (args: readonly string[], input?: string) =>
		runGit(args, { cwd: workTree, env, ...(input === undefined ? {} : { input }) });
}

interface GitOptions {
	readonly cwd?: string;
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: string;
}

async function runGit(args: readonly string[], { cwd, env = {}, input }: GitOptions = {}): Promise<string> {
	const running = promisify(execFile)('git', [...args], {
		...(cwd === undefined ? {} : { cwd }),
		env: { PATH: process.env.PATH ?? '', ...GIT_ENVIRONMENT, ...env },
	});
	// Not `end()`: even without data it is a write, which fails if git has already ended.
	if (input === undefined) running.child.stdin?.destroy();
	else running.child.stdin?.end(input);
	return (await running).stdout.trim();
}
