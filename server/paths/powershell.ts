import { collectCommand, collectText, withHome } from './command.ts';
import { absolutePattern, literalPath, type Pattern } from './pattern.ts';
import type { Touches } from './touches.ts';

/** A command of a text, without what separates it from others. Only a `|` stays, at the beginning. */
const COMMAND = /(?:(?<!\|)\|)?(?:'[^']*'|"(?:`.|[^"`])*"|`.|(?<![^\s;|&(){}])#[^\n]*|[^;|&\n(){}])+/gs;

/** A text of several lines, such as a commit message. Bounded, because each beginning would be looked through to the end. */
const HERE_STRING = /@(['"])\r?\n.{0,1000}?\n\1@/gs;

/** Changes of the working folder, with the folder. */
const MOVE = /^(?:cd|chdir|sl|set-location|pushd|push-location)\s+(?:-(?:literal)?path\s+)?("[^"]*"|'[^']*'|\S+)/i;
const MOVE_BACK = /^(?:popd|pop-location|(?:cd|sl|set-location)\s+-$)/i;

/** Programs that search folders recursively. Their arguments are as in other shells, but for `\` in paths. */
const SEARCH = /^["']?(?:[^\s"']*[\\/])?(?:rga?|ag|ack|ug|[a-z]*grep|fd|git)(?:\.exe)?["']?(?:\s|$)/i;

/** A list of all files below folders, and a command that reads the files listed. */
const LIST = /^(?:gci|ls|dir|get-childitem)\s(?=.*(?<=\s)-r(?:ec(?:urse)?)?(?:\s|$))/is;
const READER = /^\|\s*(?:sls|select-string|gc|cat|type|get-content)(?:\s|$)/i;

/** Collects what searches reach, and what is named from another folder than the first. @throws TooComplexError */
export function collectPowerShell(text: string, cwd: Pattern, touches: Touches): void {
	const { place } = touches;
	const plain = text.replace(/`\r?\n/g, ' ').replace(HERE_STRING, "''");
	const commands = (plain.match(COMMAND) ?? []).map((each) => each.trim());
	let folder = cwd;
	for (const [at, each] of commands.entries()) {
		const command = each.replace(/^\$[\w:]+\s*=\s*/, '');
		const [, target] = MOVE.exec(command) ?? [];
		if (MOVE_BACK.test(command)) folder = cwd;
		else if (target !== undefined) {
			const path = withHome(target.replace(/^["']|["']$/g, ''));
			folder = absolutePattern(literalPath(path, place.platform), folder, place);
			touches.spend(folder.length);
		} else {
			const isRead = LIST.test(command) && READER.test(commands[at + 1] ?? '');
			const search = isRead ? searchOfList(command) : command;
			if (isRead || SEARCH.test(command)) {
				collectCommand(search.replaceAll('`', '').replaceAll('\\', '/'), folder, touches);
			}
			if (folder !== cwd) collectText(command, folder, touches);
		}
	}
}

/** The search of the files that `Get-ChildItem -Recurse` lists, as another shell has it. */
function searchOfList(list: string): string {
	const each = (option: string) => (_: string, values: string) =>
		` ${values
			.split(',')
			.map((value) => `--${option}=${value}`)
			.join(' ')}`;
	const options = list
		.replace(/^\S+/, '')
		.replace(/\s-(?:filter|include)\s+(\S+)/gi, each('include'))
		.replace(/\s-exclude\s+(\S+)/gi, each('exclude'))
		.replace(/\s-(?:ea|erroraction|depth)\s+\S+|\s-\w+(?=\s|$)/gi, '');
	return `grep -r x${options}`;
}
