import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	type ClientSession,
	cleanEnvironment,
	environmentOfModel,
	type SessionResult,
	sessionResult,
} from './client.ts';
import { resolveClient } from './installed-clients.ts';
import { endGroup } from './program.ts';

/** A prompt. A function is called when its turn comes, and can change files first. */
export type PromptSource = string | (() => string | Promise<string>);

/** One headless session with several prompts in one process. Each is sent when the turn before it is over. */
export interface Conversation extends Omit<ClientSession, 'prompt' | 'within'> {
	readonly prompts: readonly PromptSource[];
}

/** Runs a conversation to its end. @throws Error if it takes too long */
export async function runConversation(conversation: Conversation): Promise<SessionResult> {
	const { version, home, cwd, model, prompts, args = [], env = {}, timeoutMs = 120_000 } = conversation;
	const json = ['--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];
	const child = spawn(resolveClient(version), ['--print', ...json, ...args], {
		...{ cwd, detached: true, stdio: 'pipe' },
		env: { ...cleanEnvironment(home), ...environmentOfModel(model), ...env },
	});
	const printed = { stdout: '', stderr: '' };
	let said = 0;
	const sayNext = async () => {
		const next = prompts[said++];
		if (next === undefined) return void child.stdin.end();
		const content = typeof next === 'string' ? next : await next();
		child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
	};
	const isResult = (line: string) => (JSON.parse(line) as { type: string }).type === 'result';
	const over = () => printed.stdout.split('\n').slice(0, -1).filter(isResult).length;
	child.stderr.on('data', (chunk) => {
		printed.stderr += chunk;
	});
	child.stdout.on('data', (chunk) => {
		printed.stdout += chunk;
		if (over() >= said) void sayNext();
	});
	const timer = setTimeout(() => endGroup(child.pid), timeoutMs);
	void sayNext();
	const [exitCode] = (await once(child, 'close')) as [number | null];
	clearTimeout(timer);
	endGroup(child.pid);
	if (exitCode === null) throw new Error(`Not done within ${timeoutMs} ms:\n${printed.stdout}\n${printed.stderr}`);
	return sessionResult({ exitCode, ...printed });
}
