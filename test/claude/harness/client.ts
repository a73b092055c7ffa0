import { resolveClient } from './installed-clients.ts';
import { type Finished, runProgram } from './program.ts';

/** Where and how the client is to be run. */
export interface ClientCommand {
	/** E.g. `2.1.332`. */
	readonly version: string;
	/** The user's home folder. The client keeps its own files there, temporary ones too. */
	readonly home: string;
	/** The project. */
	readonly cwd: string;
	readonly args: readonly string[];
	/** Put over the clean environment, which has nothing of this machine's but PATH. */
	readonly env?: Readonly<Record<string, string>>;
	/** A command that runs the client's, e.g. `['unshare', '--mount']`. */
	readonly within?: readonly string[];
	/** Milliseconds until it is ended, by default two minutes. */
	readonly timeoutMs?: number;
}

/** One headless session. */
export interface ClientSession extends Omit<ClientCommand, 'args'> {
	readonly model: { readonly url: string };
	/** What the user says. */
	readonly prompt: string;
	/** Beyond what makes it headless, e.g. `['--plugin-dir', folder]`. */
	readonly args?: readonly string[];
}

/** One line of the client's output. Fields depend on the type. */
export interface ClientEvent {
	readonly type: string;
	readonly subtype?: string;
	readonly [field: string]: unknown;
}

/** What a headless session came to. */
export interface SessionResult extends Finished {
	/** The lines of standard output, parsed. */
	readonly events: readonly ClientEvent[];
	/** The text of the last `result` event: what the main agent said in the end, or the error. */
	readonly result: string | undefined;
}

/**
 * Runs one headless session to its end.
 *
 * @throws Error if it takes too long or prints something that is not JSON
 */
export async function runClient({ model, prompt, args = [], ...command }: ClientSession): Promise<SessionResult> {
	const finished = await runClientCommand({
		...command,
		args: ['--print', '--output-format', 'stream-json', '--verbose', ...args, '--', prompt],
		env: { ...environmentOfModel(model), ...command.env },
	});
	return sessionResult(finished);
}

/** What leads a client to a scripted model. */
export function environmentOfModel({ url }: ClientSession['model']): Record<string, string> {
	return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'not-a-key' };
}

/** What a session printed, parsed. @throws Error where it is not JSON */
export function sessionResult(finished: Finished): SessionResult {
	const lines = finished.stdout.split('\n').filter((line) => line.trim() !== '');
	const events = lines.map((line) => parseEvent(line, finished));
	const result = events.findLast(({ type }) => type === 'result')?.result;
	return { ...finished, events, result: typeof result === 'string' ? result : undefined };
}

/** Runs a command of the client that needs no model, e.g. `['plugin', 'list']`. @throws Error if it takes too long */
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

/** No variable of this machine's is passed on: no account, no settings, no proxy that leads off the loopback interface. */
export function cleanEnvironment(home: string): Record<string, string> {
	return {
		HOME: home,
		PATH: process.env.PATH ?? '',
		TERM: 'xterm-256color',
		LANG: 'C.UTF-8',
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
		DISABLE_AUTOUPDATER: '1',
		// Else a link to each subagent's transcript is left in the machine's temporary folder.
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
