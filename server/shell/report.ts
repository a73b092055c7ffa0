import type { Limits } from './run-command.ts';
import type { CommandProgress, CommandResult } from './shell.ts';

const NONE = '(none)';

export function textOf(result: CommandResult, limits: Limits): string {
	const { command, directory, output, exitCode, signal, background, group } = result;
	return [
		`Command: ${command}`,
		`Directory: ${directory}`,
		`Output: ${output === '' ? '(empty)' : output.replace(/\n$/, '')}`,
		`Error: ${errorOf(result, limits) ?? NONE}`,
		`Exit Code: ${exitCode ?? NONE}`,
		`Signal: ${signal ?? NONE}`,
		`Background PIDs: ${background.length === 0 ? NONE : background.join(', ')}`,
		`Process Group PGID: ${group ?? NONE}`,
	].join('\n');
}

export function errorOf({ stopped, group }: CommandResult, limits: Limits): string | undefined {
	switch (stopped) {
		case undefined:
			return undefined;
		case 'idle':
			return `The command was stopped after ${limits.idle / 1_000} seconds without output (idle_timeout).`;
		case 'timeout':
			return `The command was stopped after ${limits.total / 1_000} seconds (timeout).`;
		case 'cancelled':
			return group === undefined ? 'The command was cancelled before it started.' : 'The command was cancelled.';
		case 'closing':
			return 'The command was stopped because Context Broker is shutting down.';
	}
}

export function progressOf({ elapsedMs, bytes }: CommandProgress): string {
	return `Running for ${Math.round(elapsedMs / 1_000)} s, ${bytes.toLocaleString('en')} bytes of output`;
}
