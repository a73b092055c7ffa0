import type { Invocation } from '../isolation/sandboxes.ts';
import { windowsProgram } from '../processes/system-program.ts';

/** @param environment the broker's own */
export function invocationOf(command: string, platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): Invocation {
	if (platform !== 'win32') return { program: 'bash', args: ['-c', unwrapCommand(command)] };
	const program = windowsProgram('WindowsPowerShell/v1.0/powershell.exe', environment);
	// Not encoded: PowerShell would print its errors as XML (https://github.com/PowerShell/PowerShell/pull/8115).
	const text = STARTS_A_SCRIPT.test(command) ? command : BEGIN + command;
	// By default Windows runs no scripts, so not even npm, which is npm.ps1 for PowerShell.
	return { program, args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-Command', text] };
}

/** Windows PowerShell would print in the code page of old consoles, and its progress bars slow down downloads. */
const BEGIN =
	"$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=[Text.UTF8Encoding]::new()}catch{};";

/** After blanks and comments, what PowerShell allows only as the first statement of a script. */
const STARTS_A_SCRIPT =
	/^(?:\s|#[^\n]*\n|<#(?:(?!#>)[\s\S])*#>)*(?:using\s|param\s*\(|\[\s*CmdletBinding\b|(?:begin|process|end|dynamicparam)\s*\{)/i;

/**
 * Removes a `bash -c WORD` that a model wrote around the whole command, and reads WORD exactly as bash does. The caller runs the
 * result with `bash -c` anyway, so only `$SHLVL`, `$PPID` and `$_` differ.
 *
 * @returns `command` unchanged if the result is not certain to be the same. Never throws.
 */
export function unwrapCommand(command: string): string {
	const wrapper = WRAPPER.exec(command)?.[0];
	if (wrapper === undefined || command.length > MAX_LENGTH || UNCERTAIN.test(command)) return command;
	const inner = evaluateWord(command, wrapper.length);
	return inner === undefined || STAYS_WRAPPED.test(inner) ? command : inner;
}

const WRAPPER = /^[ \t\n]*bash[ \t]+-c[ \t]+/;

/** In UTF-16 code units. No system takes a longer argument. */
const MAX_LENGTH = 1024 * 1024;

/** Control characters and lone surrogates: not every platform passes them to bash unchanged. */
const UNCERTAIN = /(?![\t\n])[\p{Control}\p{Surrogate}]/u;

/** An empty command; an option of bash (`bash -c '-x'` has no command); a second wrapper. */
const STAYS_WRAPPED = /^(?:[ \t\n]*$|[-+]|[ \t\n]*bash[ \t]+-[A-Za-z]*c)/;

/** A part of a word that bash does not expand: `'…'`, `"…"`, `\c`, or plain characters. */
const PART = /'([^']*)'|"([^"\\$`]*(?:\\.[^"\\$`]*)*)"|\\(.)|([\w./,:@%+-]+)/suy;

const ESCAPE_IN_DOUBLE_QUOTES = /\\([$`"\\\n])/g;

const BLANKS_TO_END = /[ \t\n]*$/y;

/** The value of the single word from `start` to the end. Undefined if there is more than one, or something to expand. */
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

/** Bash drops a backslash together with the line end behind it. */
function withoutLineEnd(character: string): string {
	return character === '\n' ? '' : character;
}
