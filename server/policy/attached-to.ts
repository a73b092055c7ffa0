import type { HookEvent } from '../claude-code/hooks.ts';
import { privateEntries, type State } from './state.ts';

/** What to do about a private file that Claude Code would put into a request by itself; undefined if there is none. */
export async function attachedTo(event: HookEvent, { map, attachments }: State): Promise<string | undefined> {
	return map.isOn('files') ? await (await attachments()).judge(event, privateEntries(map)) : undefined;
}
