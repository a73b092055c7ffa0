/** Claude Code's own part of a prompt that reports the end of a task in the background. */
export interface NotificationHead {
	/** For an agent, its own id. */
	readonly task: string;
	/** The call that started it, in newer versions. */
	readonly toolUse: string;
}

const MAX_NOTIFICATIONS = 100;

/** Its path can hold the user's name, and is known anyhow. */
const OUTPUT_FILE = /<output-file>[^<\n]*<\/output-file>/;

/** @returns their heads, and all their text together, since an agent's words can look like the next notification */
export function notificationsIn(prompt: string): { readonly heads: NotificationHead[]; readonly text: string } {
	const [, ...parts] = prompt.split('<task-notification>');
	const split = parts.map((part) => part.split('<result>'));
	const heads = split
		.slice(0, MAX_NOTIFICATIONS)
		.map(([head = '']) => ({ task: field(head, 'task-id'), toolUse: field(head, 'tool-use-id') }));
	const texts = split.map(([head = '', ...result]) => [head.replace(OUTPUT_FILE, ''), ...result].join('<result>'));
	return { heads, text: texts.join('\n') };
}

function field(head: string, name: string): string {
	return new RegExp(`<${name}>([^<]*)</${name}>`).exec(head)?.[1] ?? '';
}
