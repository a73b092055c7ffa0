import { EnvFileError, readEnvFile } from '../env-file/env-file.ts';
import { quote } from '../text/terminal.ts';
import {
	checkOptions,
	type FoundCommand,
	findCommand,
	parseArguments,
	UsageError,
	unknownCommand,
	wantedSelectors,
} from './arguments.ts';
import { editLists } from './edit-lists.ts';
import { commandHelp, helpText } from './help.ts';
import { editLines, type KnownTools, obstacles, stateOf, toJson, toolLines } from './report.ts';
import { type ScanLine, scan } from './scan.ts';
import { type Style, styleFor } from './style.ts';

export interface CommandLine extends Pick<ScanLine, 'scan'> {
	/** Called only by commands about tools, because it starts servers. */
	readonly tools: () => Promise<KnownTools>;
	/** Runs the doctor. @returns its output and its exit status */
	readonly examine: (isForProgram: boolean, style: Style) => Promise<{ text: string; status: number }>;
	/** The env file's path. Most commands do not need it. @throws EnvFileError */
	readonly envFile: () => string;
	readonly environment: NodeJS.ProcessEnv;
	readonly version: string;
	readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
	readonly stderr: ScanLine['stderr'];
}

/** @returns the exit status: 0 done, 1 failed, 2 wrong use; `doctor` and `scan` have their own */
export async function runCommandLine(args: readonly string[], options: CommandLine): Promise<number> {
	try {
		return await run(args, options);
	} catch (error) {
		if (!(error instanceof UsageError || error instanceof EnvFileError)) throw error;
		report(error.message, options);
		const isWrongUse = error instanceof UsageError || error.code === 'not_absolute';
		return isWrongUse ? 2 : 1;
	}
}

async function run(args: readonly string[], line: CommandLine): Promise<number> {
	const { words, options, key } = parseArguments(args);
	const found = findCommand(words[0] === 'help' ? words.slice(1) : words);
	if (isHelp(words, options)) {
		const style = styleFor(line.stdout, line.environment);
		line.stdout.write(found === undefined ? helpText(envFileOrReason(line), style) : commandHelp(found.command, style));
	} else if (words.length === 0) {
		checkOptions(options, ['--help', '--version'], 'context-broker');
		line.stdout.write(`${line.version}\n`);
	} else if (found === undefined) {
		throw unknownCommand(words);
	} else {
		return await execute(found, options, key, line);
	}
	return 0;
}

function envFileOrReason({ envFile }: CommandLine): string {
	try {
		return envFile();
	} catch (error) {
		if (!(error instanceof EnvFileError)) throw error;
		return error.message;
	}
}

function isHelp([first, second]: readonly string[], options: readonly string[]): boolean {
	if (options.includes('--help') || options.includes('-h')) return true;
	if (first === undefined) return options.length === 0;
	return first === 'help' || (first === 'tools' && second === 'help');
}

async function execute(
	{ command, operands }: FoundCommand,
	options: readonly string[],
	key: string | undefined,
	line: CommandLine,
): Promise<number> {
	const { environment, stdout } = line;
	const isForProgram = options.includes('--json');
	checkOptions(options, command.options, command.name);
	if (command.name === 'doctor') {
		const [word] = operands;
		if (word !== undefined) throw new UsageError(`"doctor" checks everything: leave out ${quote(word)}.`);
		const { text, status } = await line.examine(isForProgram, styleFor(stdout, environment));
		stdout.write(text);
		return status;
	}
	if (command.name === 'scan') {
		const [path = '', extra] = operands;
		if (extra !== undefined) throw new UsageError(`"scan" takes one path: leave out ${quote(extra)}.`);
		if (isForProgram && options.includes('--sarif')) {
			throw new UsageError('"scan" takes either --json or --sarif: leave out one.');
		}
		return await scan(path, key, options, line, styleFor(stdout, environment));
	}
	const known = await line.tools();
	const selectors = wantedSelectors(command, operands, options, known);
	const { edit } = command;
	const envFile = line.envFile();
	const edited = edit && (await editLists(envFile, edit, selectors, environment));
	const state = stateOf(edited?.text ?? (await readEnvFile(envFile)), environment, known);
	if (isForProgram) {
		stdout.write(toJson(state, envFile, edited));
	} else {
		if (edited) stdout.write(`${editLines(edited, envFile)}\n`);
		stdout.write(toolLines(state.tools, styleFor(stdout, environment)));
	}
	for (const sentence of state.warnings) report(sentence, line);
	if (edit && edited) {
		for (const sentence of obstacles(edited, edit.shows, selectors, state.tools)) report(sentence, line);
	}
	return 0;
}

function report(sentence: string, { stderr }: CommandLine): void {
	stderr.write(`context-broker: ${sentence}\n`);
}
