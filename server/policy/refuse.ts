import {
	blockEvent,
	denyCall,
	endTurn,
	type HookAnswer,
	type HookEvent,
	withholdPrompt,
} from '../claude-code/hooks.ts';
import type { BrokerError } from '../errors.ts';
import { refusalForPerson, switchHint, tellPerson } from './for-person.ts';
import type { PolicyOptions } from './options.ts';

export type RefuseOptions = Pick<PolicyOptions, 'report'> & { readonly map: Pick<PolicyOptions['map'], 'file'> };

/** Refuses a call, a prompt, the rest of a turn or a compaction. @param by as in {@link refusalForPerson} */
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
			// Without the switch: a model can learn later why a turn ended.
			return tellPerson(endTurn(error.text), message);
		case 'UserPromptSubmit':
			// Only the person sees the reason, and no other message.
			return withholdPrompt(error.text + switchHint(by, '', map.file));
		default:
			return blockEvent(error.text + switchHint(by, '', map.file));
	}
}
