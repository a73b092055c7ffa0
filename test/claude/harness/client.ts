import { noteErrors } from '../../support/given-errors.ts';
import { resolveClient } from './installed-clients.ts';
import { type Finished, runProgram } from './program.ts';

/** How to run a command of the client. */
export interface ClientCommand {
	/** For example `2.1.332`. */
	readonly version: string;
	/** The user's home folder. The client also keeps its temporary files there. */
	readonly home: string;
	/** The project's folder. */
	readonly cwd: string;
	readonly args: readonly string[];
	/** Added to the clean environment, which has only PATH from this machine. */
	readonly env?: Readonly<Record<string, string>>;
	/** A command that runs the client's command, for example `['unshare', '--mount']`. */
	readonly within?: readonly string[];
	/** Time limit in milliseconds. Default: two minutes. */
	readonly timeoutMs?: number;
}

/** One headless session. */
export interface ClientSession extends Omit<ClientCommand, 'args'> {
	readonly model: { readonly url: string };
	/** The user's prompt. */
	readonly prompt: string;
	/** Arguments in addition to those for a headless session, for example `['--plugin-dir', folder]`. */
	readonly args?: readonly string[];
}

/** One line of the client's output. Its fields depend on the type. */
export interface ClientEvent {
	readonly type: string;
	readonly subtype?: string;
	readonly [field: string]: unknown;
}

/** The outcome of a headless session. */
export interface SessionResult extends Finished {
	/** The parsed lines of standard output. */
	readonly events: readonly ClientEvent[];
	/** The text of the last `result` event: the main agent's final answer, or the error. */
	readonly result: string | undefined;
}

/**
 * Runs one headless session to its end.
 *
 * @throws Error if it takes too long or prints something other than JSON
 */
export async function runClient({ model, prompt, args = [], ...command }: ClientSession): Promise<SessionResult> {
	const finished = await runClientCommand({
		...command,
		args: ['--print', '--output-format', 'stream-json', '--verbose', ...args, '--', prompt],
		env: { ...environmentOfModel(model), ...command.env },
	});
	return sessionResult(finished);
}

/** Directs a client to a scripted model. */
export function environmentOfModel({ url }: ClientSession['model']): Record<string, string> {
	return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'not-a-key' };
}

/** A session's parsed output. @throws Error if it is not JSON */
export function sessionResult(finished: Finished): SessionResult {
	noteErrors(finished.stdout);
	const lines = finished.stdout.split('\n').filter((line) => line.trim() !== '');
	const events = lines.map((line) => parseEvent(line, finished));
	const result = events.findLast(({ type }) => type === 'result')?.result;
	return { ...finished, events, result: typeof result === 'string' ? result : undefined };
}

/** Runs a client command that needs no model, for example `['plugin', 'list']`. @throws Error if it takes too long */
export async function runClientCommand(command: ClientCommand): Promise<Finished> {
	const { version, home, cwd, env = {}, within = [], timeoutMs = 120_000 } = command;
	const [program = '', ...args] = [...within, resolveClient(version), ...command.args];
	return runProgram({
		program,
		args,
		cwd,
		timeoutMs,
		env: { ...cleanEnvironment(home), ...env },
	});
}

/** Passes on none of this machine's accounts, settings or proxies; only PATH. */
export function cleanEnvironment(home: string): Record<string, string> {
	return {
		HOME: home,
		USERPROFILE: home,
		PATH: process.env.PATH ?? '',
		TERM: 'xterm-256color',
		LANG: 'C.UTF-8',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		// Otherwise the client leaves a link to each subagent's transcript in the machine's temporary folder.
		CLAUDE_CODE_TMPDIR: home,
	};
}

function parseEvent(line: string, { stderr }: Finished): ClientEvent {
	try {
		return JSON.parse(line) as ClientEvent;
	} catch (cause) {
		throw new Error(`The client printed a line that is not JSON: ${line}\n${stderr}`, { cause });
	}
}
