import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { type ClientSession, cleanEnvironment, environmentOfModel } from './client.ts';
import { resolveClient } from './installed-clients.ts';

/** A session with a user in a terminal. */
export interface InteractiveSession {
	/** Everything drawn so far, without cursor movements and blanks, because the client draws words separately. */
	drawn(): string;
	/** Types a line and presses Enter. */
	say(text: string): Promise<void>;
	/** Presses keys, e.g. `\x02` for Ctrl+B. */
	press(keys: string): void;
	/** Resolves when a condition holds. @throws Error after a minute, with the end of the drawn text */
	until(holds: () => boolean): Promise<void>;
	/** Ends the client. */
	end(): Promise<void>;
}

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;

/** Starts the client in a terminal, which util-linux's `script` creates. The session ends with the test. */
export async function startInteractive(session: Omit<ClientSession, 'prompt' | 'within'>): Promise<InteractiveSession> {
	const { version, home, cwd, model, args = [], env = {} } = session;
	await skipOnboarding(home, cwd);
	const command = [resolveClient(version), '--permission-mode', 'default', ...args]
		.map((word) => `'${word.replaceAll("'", "'\\''")}'`)
		.join(' ');
	const child = spawn('script', ['-qefc', `stty cols 150 rows 50; exec ${command}`, '/dev/null'], {
		cwd,
		env: { ...cleanEnvironment(home), ...environmentOfModel(model), ...env },
		stdio: ['pipe', 'pipe', 'ignore'],
		detached: true,
	});
	const exited = once(child, 'exit');
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		output += text;
	});
	child.stdin.on('error', () => {}); // It has ended; `until` reports it.
	const end = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		// Killing `script` closes the terminal, which ends the client.
		child.kill('SIGKILL');
		await exited;
	};
	onTestFinished(end);
	const drawn = () => stripVTControlCharacters(output).replace(/\s+/g, '');
	const until = async (holds: () => boolean) => {
		for (const since = Date.now(); !holds(); await new Promise((resolve) => setTimeout(resolve, POLL_MS))) {
			if (Date.now() - since > TIMEOUT_MS)
				throw new Error(`Not so within a minute: ${holds}\n${drawn().slice(-3_000)}`);
		}
	};
	const press = (keys: string) => void child.stdin.write(keys);
	const say = async (text: string) => {
		press(text);
		const shown = text.replace(/\s+/g, '').slice(-20);
		await until(() => drawn().includes(shown));
		press('\r');
	};
	await until(() => drawn().includes('❯') || drawn().includes('>'));
	return { drawn, say, press, until, end };
}

/** Answers the questions of the client's first start in its settings. */
async function skipOnboarding(home: string, project: string): Promise<void> {
	const file = join(home, '.claude.json');
	const settings = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
	const projects = { ...settings.projects, [project]: { hasTrustDialogAccepted: true } };
	const answers = { hasCompletedOnboarding: true, customApiKeyResponses: { approved: ['not-a-key'], rejected: [] } };
	await writeFile(file, JSON.stringify({ ...settings, ...answers, projects }));
}
