/** The head of a notification that a background task has ended: Claude Code's own words. */
export interface NotificationHead {
	/** The task's id; for an agent, the agent's id. */
	readonly task: string;
	/** The id of the call that started it; "" in older versions. */
	readonly toolUse: string;
}

const MAX_NOTIFICATIONS = 100;

/** Removed before texts are compared: the path can contain the user's name, and the main agent knows it anyway. */
const OUTPUT_FILE = /<output-file>[^<\n]*<\/output-file>/;

/** @returns the heads, and the text of all in one, since an agent's words can look like the next notification */
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
