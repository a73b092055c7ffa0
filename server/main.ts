import { CLEAN_TRACES, SEARCH, WATCH_COMMANDS } from './base.ts';
import { serve } from './serve.ts';
import { report } from './standard-error.ts';

export interface Start {
	readonly parent: number;
	readonly data: string;
	readonly saveCompileCache: () => void;
}

/** Without arguments: the broker on standard input and output. With arguments: a helper process, or the command line. */
export async function main(start: Start): Promise<void> {
	const args = process.argv.slice(2);
	// Before the handler below: an error in a thread has to reach the code that waits for the thread.
	if (args[0] === SEARCH) return (await import('./search/thread.ts')).runThread();
	process.on('uncaughtException', (error) => {
		report({ code: 'internal_error', message: error.name });
		process.exit(1);
	});
	if (args[0] === WATCH_COMMANDS) {
		await (await import('./programs.ts')).watch(process, () => performance.now());
	} else if (args[0] === CLEAN_TRACES) {
		const { cleanTraces } = await import('./traces/clean-traces.ts');
		const { Journal } = await import('./record/journal.ts');
		const journal = new Journal(start.data, Date.now, () => {});
		const { stdin: orders, stdout: output } = process;
		await cleanTraces({
			orders,
			output,
			client: Number(args[1]),
			forget: async (agents) => await journal.forget(agents),
		});
	} else if (args.length > 0) {
		process.exitCode = await (await import('./terminal.ts')).runInTerminal(args, start.data);
	} else {
		await serve(start);
	}
}
