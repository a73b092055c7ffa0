import type { Invocation } from '../isolation/sandboxes.ts';
import { windowsProgram } from '../processes/system-program.ts';

/** @param environment the broker's own */
export function invocationOf(command: string, platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): Invocation {
	if (platform !== 'win32') return { program: 'bash', args: ['-c', unwrapCommand(command)] };
	// Encoded: Windows has no rule for quotes that all programs keep to.
	const encoded = Buffer.from(BEGIN + command, 'utf16le').toString('base64');
	const program = windowsProgram('WindowsPowerShell/v1.0/powershell.exe', environment);
	return { program, args: ['-NoProfile', '-NonInteractive', '-EncodedCommand', encoded] };
}

/**
 * Windows PowerShell would print in the code page of old consoles, and its progress as XML
 * (https://github.com/PowerShell/PowerShell/issues/5912).
 */
const BEGIN =
	"$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new()}catch{};";

/**
 * A command without the `bash -c WORD` that a model wrote around the whole of it, exactly as bash would read WORD. For a
 * caller that runs it with `bash -c` anyway: it differs only in `$SHLVL`, `$PPID` and `$_`.
 *
 * @returns `command` itself if that is not certain to be the same. Never throws.
 */
export function unwrapCommand(command: string): string {
	const wrapper = WRAPPER.exec(command)?.[0];
	if (wrapper === undefined || command.length > MAX_LENGTH || UNCERTAIN.test(command)) return command;
	const inner = evaluateWord(command, wrapper.length);
	return inner === undefined || STAYS_WRAPPED.test(inner) ? command : inner;
}

const WRAPPER = /^[ \t\n]*bash[ \t]+-c[ \t]+/;

/** No system takes a longer argument. */
const MAX_LENGTH = 1024 * 1024;

/** Control characters and lone surrogates, which do not reach bash unchanged on every platform. */
const UNCERTAIN = /(?![\t\n])[\p{Control}\p{Surrogate}]/u;

/** Nothing; an option of bash (`bash -c '-x'` has no command); a second wrapper. */
const STAYS_WRAPPED = /^(?:[ \t\n]*$|[-+]|[ \t\n]*bash[ \t]+-[A-Za-z]*c)/;

/** A part of a word in which bash expands nothing: `'…'`, `"…"`, `\c`, or plain characters. */
const PART = /'([^']*)'|"([^"\\$`]*(?:\\.[^"\\$`]*)*)"|\\(.)|([\w./,:@%+-]+)/suy;

const ESCAPE_IN_DOUBLE_QUOTES = /\\([$`"\\\n])/g;

const BLANKS_TO_END = /[ \t\n]*$/y;

/** The value of the one word from `start` to the end; undefined if there is more, or something that bash expands. */
function evaluateWord(text: string, start: number): string | undefined {
	let value = '';
	for (let at = start; ; at = PART.lastIndex) {
		PART.lastIndex = at;
		const part = PART.exec(text);
		if (part === null) {
			BLANKS_TO_END.lastIndex = at;
			return BLANKS_TO_END.test(text) ? value : undefined;
		}
		const [, single, double, escaped, plain = ''] = part;
		value += single ?? double?.replace(ESCAPE_IN_DOUBLE_QUOTES, (_, next) => withoutLineEnd(next)) ?? plain;
		if (escaped !== undefined) value += withoutLineEnd(escaped);
	}
}

/** Bash drops a line end behind `\`. */
function withoutLineEnd(character: string): string {
	return character === '\n' ? '' : character;
}
