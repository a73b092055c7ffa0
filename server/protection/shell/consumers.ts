import { isFilter, isReserved } from './programs.ts';
import type { Item, Word } from './syntax.ts';

const PIPE = /^\|&?$/;
const GROUP_ENDS = new Set(['done', '}', 'fi', 'esac']);

/** Whether what a command writes goes, through filters or not, to a program that can open the files named in it. */
export function isRead(items: readonly Item[], index: number): boolean {
	for (let at = index; ; at++) {
		const item = items[at];
		if (item?.kind !== 'command' || !PIPE.test(item.after)) return false;
		const reader = items[at + 1];
		if (reader?.kind !== 'command' || !isFilter(commandName(reader.words))) return reader !== undefined;
	}
}

/** Whether what a group of commands writes goes to another. Which commands are in it is not asked. */
export function hasPipedGroup(items: readonly Item[]): boolean {
	return items.some((item) => {
		if (item.kind === 'open' || !PIPE.test(item.after)) return false;
		return item.kind === 'close' || GROUP_ENDS.has(written(item.words[0]));
	});
}

function commandName(words: readonly Word[]): string {
	const names = words.map(written);
	return names.find((name) => !isReserved(name)) ?? '';
}

function written(word: Word | undefined): string {
	const text = (word ?? []).map((part) => (typeof part === 'string' ? part : '')).join('');
	return text.slice(text.lastIndexOf('/') + 1);
}
