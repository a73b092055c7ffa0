/** What Claude Code itself says where it tells, in the user's place, that a task in the background is over. */
export interface NotificationHead {
	/** The id of the task: of an agent, its own. */
	readonly task: string;
	/** The call that started it. Older versions do not tell it. */
	readonly toolUse: string;
}

/** Of a prompt. */
const MAX_NOTIFICATIONS = 100;

/** The path can hold the user's name, and is known anyhow. */
const OUTPUT_FILE = /<output-file>[^<\n]*<\/output-file>/;

/**
 * The notifications in a prompt.
 *
 * @returns their heads, and all their text together, since what an agent says can look like the next notification
 */
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
