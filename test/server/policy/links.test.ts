import { expect, test } from 'vitest';
import type { FileSystem } from '../../../server/paths/file-system.ts';
import type { Place } from '../../../server/paths/place.ts';
import { targetOf, touchesOf } from '../../../server/paths/reached-by.ts';
import { leadsTo, linksInReach } from '../../../server/policy/links.ts';
import { hookEvent } from '../../support/guard.ts';

const WINDOWS: Place = { cwd: 'C:\\Users\\u\\project', home: 'C:\\Users\\u', platform: 'win32' };

test.each([
	['cat "C:\\links\\*"', 'C:/links', '\\\\srv\\share\\catalog.md', 1],
	['cat /c/links/*', 'C:/links', 'c:\\users\\u\\private\\catalog.md', 0],
	['cat /c/*', 'c:/', '\\\\?\\UNC\\srv\\share\\catalog.md', 1],
	['cat //srv/share/*', '//srv/share', 'C:\\Users\\u\\private\\catalog.md', 0],
	['cat "C:\\links\\*"', 'C:/links', '\\\\srv\\share\\other.md', undefined],
	['cat "C:\\links\\*"', 'C:/links', 'C:\\srv\\share\\catalog.md', undefined],
])('on Windows a wildcard is looked up: %s', async (command, folder, real, index) => {
	const asked: string[] = [];
	const system: Pick<FileSystem, 'realPath' | 'entriesOf'> = {
		realPath: async () => real,
		entriesOf: async (path) => {
			asked.push(path);
			return [{ name: 'link', isSymbolicLink: () => true }] as Awaited<ReturnType<FileSystem['entriesOf']>>;
		},
	};
	const event = hookEvent('PreToolUse', {
		tool_name: 'Bash',
		tool_input: JSON.stringify({ command }),
		cwd: WINDOWS.cwd,
	});
	const links = await linksInReach(event, touchesOf('Bash', { command }, WINDOWS), system);
	expect(asked.map((path) => path.toLowerCase())).toEqual([folder.toLowerCase()]);
	const paths = ['C:\\Users\\u\\private\\catalog.md', '\\\\srv\\share\\catalog.md'];
	const targets = await Promise.all(
		paths.map((path) => targetOf({ path, isFolder: false }, WINDOWS, async (same) => same)),
	);
	expect(links.map((link) => leadsTo(targets, 'win32')(link.real))).toEqual([index]);
});
