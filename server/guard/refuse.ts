import type { BrokerError } from '../errors.ts';
import { denyCall, endTurn, goOn, type HookAnswer, type HookEvent, withholdPrompt } from './hook.ts';

/** Keeps what an event is about from being done: a call, a prompt, the rest of a turn, a compaction. */
export function keepOut({ hook_event_name }: HookEvent, error: BrokerError): HookAnswer {
	switch (hook_event_name) {
		case 'PreToolUse':
			return denyCall(error);
		case 'UserPromptSubmit':
			return withholdPrompt(error.text);
		case 'PostToolBatch':
			return endTurn(error.text);
		default:
			return goOn(error.text);
	}
}
