import { type ForeignHook, readHookSettings, rewrites, seesAnswers, seesTool } from '../claude-code/hook-settings.ts';
import type { SettingsOwner } from '../claude-code/settings-files.ts';
import { LOAD_CONTEXT } from '../claude-code/tools.ts';
import type { MapContent } from '../context-map/parse.ts';
import { BUNDLED_AGENTS } from '../policy/entitlement.ts';
import { truncate } from '../text/truncate.ts';
import { type Finding, warning } from './finding.ts';

const CHECK = 'other hooks';

/** Reports hooks of the user or of other plugins that receive what private agents load or answer, or can change answers. */
export async function checkForeignHooks(owner: SettingsOwner, content: MapContent | undefined): Promise<Finding[]> {
	const { hooks, unreadable } = await readHookSettings(owner);
	const listed = [...(content?.entries.values() ?? [])].flatMap(({ agents = [] }) => agents);
	const agents = [...new Set([...BUNDLED_AGENTS, ...listed])];
	return [
		...unreadable.map((file) =>
			warning(CHECK, `${file} cannot be read as JSON, so its hooks are unknown.`, 'Correct the file.'),
		),
		...hooks.flatMap((hook) => {
			const found = [
				...(seesTool(hook, [LOAD_CONTEXT]) ? ['gets the text that agents load'] : []),
				...(seesAnswers(hook, agents) ? ['gets the answers of agents before quotations are replaced'] : []),
				...(rewrites(hook) ? ['can put the quotations back'] : []),
			];
			return found.length === 0 ? [] : [warning(CHECK, `${named(hook)} ${listOf(found)}.`, nextFor(hook, agents))];
		}),
	];
}

function named({ event, matcher, plugin, file, action }: ForeignHook): string {
	const which = typeof matcher === 'string' && matcher !== '' ? ` "${matcher}"` : '';
	const start = action.length > 40 ? `${truncate(action, 40)}…` : action;
	return `${event}${which} in ${file}${plugin === undefined ? '' : ` (plugin ${plugin})`}: ${start}. It`;
}

function listOf(parts: readonly string[]): string {
	return parts.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

/** Both matchers were tested with 2.1.126 and 2.1.332. */
function nextFor({ event }: ForeignHook, agents: readonly string[]): string {
	const harmless = 'Ignore this if it stores nothing and changes nothing.';
	if (event === 'PostToolBatch') return `Remove it: Claude Code ignores matchers for this event. ${harmless}`;
	const [what, pattern] =
		event === 'SubagentStop'
			? [agents.join(', '), `^(?!(${agents.map(escaped).join('|')})$)`]
			: [`Agent, Task and ${LOAD_CONTEXT}`, `^(?!(Agent|Task|${LOAD_CONTEXT})$)`];
	return `Exclude ${what} in its matcher; this one matches all others: "${pattern}". ${harmless}`;
}

function escaped(name: string): string {
	return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
