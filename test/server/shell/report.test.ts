import { expect, test } from 'vitest';
import { errorOf, progressOf, textOf } from '../../../server/shell/report.ts';
import type { StopReason } from '../../../server/shell/run-command.ts';
import type { CommandResult } from '../../../server/shell/shell.ts';

const LIMITS = { idle: 90_000, total: 1_500 };

function result(more: Partial<CommandResult> = {}): CommandResult {
	return {
		command: 'make',
		directory: '/project',
		output: 'one\ntwo\n\n',
		bytes: 9,
		isTruncated: false,
		isNetworkIsolated: false,
		exitCode: 0,
		signal: undefined,
		stopped: undefined,
		background: [12, 13],
		group: 11,
		durationMs: 5,
		...more,
	};
}

test('the lines for a model', () => {
	expect(textOf(result(), LIMITS)).toBe(
		'Command: make\nDirectory: /project\nOutput: one\ntwo\n\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: 12, 13\nProcess Group PGID: 11',
	);
	const nothing = { output: '', exitCode: undefined, background: [], group: undefined, stopped: 'cancelled' } as const;
	expect(textOf(result(nothing), LIMITS)).toBe(
		'Command: make\nDirectory: /project\nOutput: (empty)\nError: The command was cancelled before it started.\nExit Code: (none)\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: (none)',
	);
});

test.each<[StopReason, string]>([
	['idle', 'The command was stopped after 90 seconds without output (idle_timeout).'],
	['timeout', 'The command was stopped after 1.5 seconds (timeout).'],
	['cancelled', 'The command was cancelled.'],
	['closing', 'The command was stopped because Context Broker is shutting down.'],
])('why a command was ended: %s', (stopped, error) => {
	expect(errorOf(result({ stopped }), LIMITS)).toBe(error);
});

test('how far it is', () => {
	expect(progressOf({ elapsedMs: 61_400, bytes: 1_234_567 })).toBe('Running for 61 s, 1,234,567 bytes of output');
});
