import { denyCall, endTurn, goOn, type HookAnswer, type HookEvent, withholdPrompt } from '../claude-code/hooks.ts';
import type { BrokerError } from '../errors.ts';
import { refusalForPerson, tellPerson, wayOff } from './for-person.ts';
import type { PolicyOptions } from './options.ts';

export type RefuseOptions = Pick<PolicyOptions, 'report'> & { readonly map: Pick<PolicyOptions['map'], 'file'> };

/**
 * Keeps what an event is about from being done: a call, a prompt, the rest of a turn, a compaction. The person learns why.
 *
 * @param by the code by which the protection that refuses is found, where another one can give the same error
 */
export function refuse(
	event: HookEvent,
	error: BrokerError,
	{ report, map }: RefuseOptions,
	by = error.code,
): HookAnswer {
	report(error);
	const message = refusalForPerson(event, error, map.file, by);
	switch (event.hook_event_name) {
		case 'PreToolUse':
			return tellPerson(denyCall(error), message);
		case 'PostToolBatch':
			// Why a turn ended a model can be told later.
			return tellPerson(endTurn(error.text), message);
		case 'UserPromptSubmit':
			// The person alone sees the reason, and no other message with it.
			return withholdPrompt(error.text + wayOff(by, '', map.file));
		default:
			return goOn(error.text + wayOff(by, '', map.file));
	}
}
