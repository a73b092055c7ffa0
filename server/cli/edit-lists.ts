import { editEnvFile } from '../env-file/edit.ts';
import { whileLocked } from '../env-file/lock.ts';
import { parseEnvFile } from '../env-file/parse.ts';
import { readEnvFile } from '../env-file/read.ts';
import { writeEnvFile } from '../env-file/write.ts';
import type { Selector } from '../exposure/selectors.ts';
import { VARIABLES } from '../exposure/settings.ts';
import type { Edit } from './commands.ts';
import type { Lists } from './lists.ts';

/** A variable that was given another value; undefined where it was removed. */
export interface Written {
	readonly variable: string;
	readonly value: string | undefined;
}

/** What became of an edit. */
export interface Edited {
	/** The env file's text, now. */
	readonly text: string;
	/** Nothing where the file said all of this before; it is not written then. */
	readonly written: readonly Written[];
	/** The variables that were to be decided, but that the environment sets as well: there they win. */
	readonly overridden: readonly string[];
}

/**
 * @param path of the env file
 * @throws EnvFileError where it can't be read or written; then it is as it was
 */
export async function editLists(
	path: string,
	edit: Edit,
	selectors: readonly Selector[],
	environment: NodeJS.ProcessEnv,
): Promise<Edited> {
	const made = (text: string) => editedText(text, edit, selectors, environment);
	const before = await readEnvFile(path);
	const first = made(before);
	if (first.text === before) return first;
	return await whileLocked(path, async () => {
		const edited = made(await readEnvFile(path));
		await writeEnvFile(path, edited.text);
		return edited;
	});
}

function editedText(
	before: string,
	{ change, decides }: Edit,
	selectors: readonly Selector[],
	environment: NodeJS.ProcessEnv,
): Edited {
	const variables = parseEnvFile(before);
	const lists: Lists = {
		enabled: variables.get(VARIABLES.enabled),
		disabled: variables.get(VARIABLES.disabled),
	};
	const wanted = change(lists, selectors);
	const changed = (['enabled', 'disabled'] as const).filter((list) => wanted[list] !== lists[list]);
	const written = changed.map((list) => ({ variable: VARIABLES[list], value: wanted[list] }));
	const text = written.reduce((edited, { variable, value }) => editEnvFile(edited, variable, value), before);
	const decided = [...new Set([...decides, ...changed])].map((list) => VARIABLES[list]);
	return { text, written, overridden: decided.filter((variable) => (environment[variable] ?? '') !== '') };
}
