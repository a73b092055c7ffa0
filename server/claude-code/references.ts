/** For Claude Code, an `@` is a reference at the beginning, after white space, and after one of these marks. */
const BEFORE = String.raw`(?<=^|[\s\u3001\u3002\uFF01\uFF1F])`;

const MENTION = new RegExp(String.raw`${BEFORE}@(?:"([^"]+)"|((?:\\.|[^\s\\])+))`, 'g');

const MAX_REFERENCES = 1_000;

const MAX_PATH_LENGTH = 4_096;

/** The paths behind an `@`, each in all ways in which it can be read: `notes.md#L3.` is also `notes.md`. */
export function mentionsIn(text: string): string[] {
	const found = new Set<string>();
	for (const [, quoted, plain = ''] of text.matchAll(MENTION)) {
		if (found.size >= MAX_REFERENCES) break;
		if ((quoted ?? plain).length > MAX_PATH_LENGTH) continue;
		const whole = quoted ?? plain.replaceAll('\\ ', ' ');
		const [path = ''] = whole.split('#', 1);
		const [word = ''] = /^.*[\p{L}\p{N}_]/su.exec(path) ?? [];
		for (const reading of [whole, path, word]) if (reading !== '') found.add(reading);
	}
	return [...found];
}

/** The shell commands in the body of a skill or command: `` !`command` `` or a block. Claude Code runs them first. */
export function commandsIn(body: string): string[] {
	const found = [...body.matchAll(/```!([\s\S]*?)```|(?<=^|\s)!`([^`]+)`/gm)].slice(0, MAX_REFERENCES);
	return found.map(([, block, inline = '']) => block?.trim() ?? inline);
}

/** A Markdown text without its code: an `@` in code imports nothing. */
export function withoutCode(markdown: string): string {
	return markdown
		.replace(/^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1/gm, ' ')
		.replace(/(?<!`)(`+)(?!`)[\s\S]{0,1000}?(?<!`)\1(?!`)/g, ' ');
}
