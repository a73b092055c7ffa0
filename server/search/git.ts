import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { BrokerError } from '../errors.ts';

/** No setting of the repository or the user may run a program or write anything. */
const SETTINGS = [
	...['core.fsmonitor=false', 'core.quotepath=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'],
	// Nor may settings hide anything.
	...[
		'log.showRoot=true',
		'log.showSignature=false',
		'log.diffMerges=separate',
		'i18n.logOutputEncoding=UTF-8',
		'diff.orderFile=/dev/null',
	],
];

export class GitError extends BrokerError {
	constructor(command = '') {
		super('git_failed', { note: `The command was git ${command}` });
	}
}

const running = new Set<ChildProcess>();
let isEnding = false;

export interface GitOptions {
	readonly stdin?: 'pipe' | 'ignore';
	/** Receives standard error, in English. */
	readonly onWarning?: (text: string) => void;
}

/** Starts git in a folder. @throws GitError if this thread ends */
export function startGit(
	git: string,
	folder: string,
	args: readonly string[],
	{ stdin = 'ignore', onWarning }: GitOptions = {},
) {
	if (isEnding) throw new GitError(args[0]);
	const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
	const child = spawn(git, ['--no-pager', '-C', folder, ...settings, ...args], {
		stdio: [stdin, 'pipe', onWarning ? 'pipe' : 'ignore'],
		windowsHide: true,
		env: {
			...withoutGit(process.env),
			...{ GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
			// The objects themselves, not replacements for them.
			...{ GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null' },
		},
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => onWarning?.(text));
	running.add(child);
	child.on('close', () => running.delete(child));
	return child;
}

/** Ends all git processes of this thread: nothing else waits for them once the thread is gone. */
export async function endGit(): Promise<void> {
	isEnding = true;
	const closed = [...running].map(async (child) => {
		child.kill();
		await once(child, 'close');
	});
	await Promise.all(closed);
}

/** In a git hook, these variables point to the hook's repository. */
function withoutGit(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')));
}

/** Git's output, split at each separator. @throws GitError if git fails */
export async function* partsOf(...args: Parameters<typeof listsOfParts>): AsyncGenerator<Buffer> {
	for await (const parts of listsOfParts(...args)) yield* parts;
}

/** The same in batches, one for each chunk: awaiting every single part takes longer than reading it. */
export async function* listsOfParts(
	git: string,
	folder: string,
	args: readonly string[],
	separator = '\0',
	options: GitOptions = {},
): AsyncGenerator<Buffer[]> {
	const child = startGit(git, folder, args, options);
	const ended = new Promise<number | null>((resolve) => {
		child.on('close', resolve).on('error', () => resolve(null));
	});
	try {
		let rest: Buffer = Buffer.alloc(0);
		for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
			const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
			const parts: Buffer[] = [];
			let from = 0;
			for (let to = all.indexOf(separator); to >= 0; to = all.indexOf(separator, from)) {
				parts.push(all.subarray(from, to));
				from = to + 1;
			}
			yield parts;
			rest = all.subarray(from);
		}
		if (rest.length > 0) yield [rest];
		if ((await ended) !== 0) throw new GitError(args[0]);
	} finally {
		child.kill();
	}
}
