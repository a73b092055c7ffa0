import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { locateContextMap, resolveEntryPath } from '../../../server/context-map/locate.ts';

test.each([
	{ configHome: undefined, map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: '', map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: '/etc/xdg jo', map: '/etc/xdg jo/context-broker/context-map.toml' },
	{ configHome: 'relative/config', map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: './config', map: '/home/jo/.config/context-broker/context-map.toml' },
	// biome-ignore lint/suspicious/noTemplateCurlyInString: an unset variable of .mcp.json arrives as this text
	{ configHome: '${XDG_CONFIG_HOME}', map: '/home/jo/.config/context-broker/context-map.toml' },
])('the map of configuration folder $configHome is $map', ({ configHome, map }) => {
	expect(locateContextMap(configHome, '/home/jo', 'linux')).toBe(map);
});

test.each([
	{ configHome: undefined, map: 'C:\\Users\\jo\\.config\\context-broker\\context-map.toml' },
	{ configHome: 'D:\\xdg jo', map: 'D:\\xdg jo\\context-broker\\context-map.toml' },
	{ configHome: '\\\\srv\\share', map: '\\\\srv\\share\\context-broker\\context-map.toml' },
	// Another folder on each drive.
	{ configHome: '\\xdg', map: 'C:\\Users\\jo\\.config\\context-broker\\context-map.toml' },
])('on Windows the map of configuration folder $configHome is $map', ({ configHome, map }) => {
	expect(locateContextMap(configHome, 'C:\\Users\\jo', 'win32')).toBe(map);
});

const HOME = '/home/jo';
const MAP_FOLDER = '/home/jo/.config/context-broker';

test.each([
	['/data/catalog.md', '/data/catalog.md'],
	['~/private/catalog.md', '/home/jo/private/catalog.md'],
	['~//catalog.md', '/home/jo/catalog.md'],
	['catalog.md', '/home/jo/.config/context-broker/catalog.md'],
	['./notes/catalog.md', '/home/jo/.config/context-broker/notes/catalog.md'],
	['../shared.md', '/home/jo/.config/shared.md'],
	['a~/b.md', '/home/jo/.config/context-broker/a~/b.md'],
	['~', '/home/jo'],
	['~sam/private/catalog.md', '/home/sam/private/catalog.md'],
	['~\\catalog.md', '/home/jo/\\catalog.md'],
	['~x.md', '/home/jo/.config/context-broker/~x.md'],
	[' spaced .md', '/home/jo/.config/context-broker/ spaced .md'],
])('%s leads to %s', (path, resolved) => {
	expect(resolveEntryPath(path, MAP_FOLDER, HOME, 'linux')).toBe(resolved);
});

const WINDOWS_HOME = 'C:\\Users\\jo';
const WINDOWS_FOLDER = 'C:\\Users\\jo\\.config\\context-broker';

test.each([
	['~/private/catalog.md', 'C:\\Users\\jo\\private\\catalog.md'],
	['~\\private\\catalog.md', 'C:\\Users\\jo\\private\\catalog.md'],
	['~', 'C:\\Users\\jo'],
	['~sam\\catalog.md', 'C:\\Users\\sam\\catalog.md'],
	['D:\\data\\catalog.md', 'D:\\data\\catalog.md'],
	['D:/data/catalog.md', 'D:/data/catalog.md'],
	['\\\\srv\\share\\catalog.md', '\\\\srv\\share\\catalog.md'],
	['//srv/share/catalog.md', '//srv/share/catalog.md'],
	['\\\\?\\UNC\\srv\\share\\catalog.md', '\\\\?\\UNC\\srv\\share\\catalog.md'],
	['catalog.md', 'C:\\Users\\jo\\.config\\context-broker\\catalog.md'],
	['..\\shared.md', 'C:\\Users\\jo\\.config\\shared.md'],
	// On the drive of the map, whatever the process's is.
	['\\data\\catalog.md', 'C:\\data\\catalog.md'],
	['C:catalog.md', 'C:\\Users\\jo\\.config\\context-broker\\catalog.md'],
	// Only a path that is not served can be a URL.
	['file:///C:/data/catalog.md', 'C:\\data\\catalog.md'],
	['file://srv/share/catalog.md', '\\\\srv\\share\\catalog.md'],
	['/C:/data/catalog.md', 'C:\\data\\catalog.md'],
])('on Windows %s leads to %s', (path, resolved) => {
	expect(resolveEntryPath(path, WINDOWS_FOLDER, WINDOWS_HOME, 'win32')).toBe(resolved);
});

describe('for any path', () => {
	const path = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0'));

	test('the result is absolute', () => {
		fc.assert(fc.property(path, (text) => posix.isAbsolute(resolveEntryPath(text, MAP_FOLDER, HOME, 'linux'))));
	});

	test('an absolute path stays as it is', () => {
		fc.assert(fc.property(path, (text) => resolveEntryPath(`/${text}`, MAP_FOLDER, HOME, 'linux') === `/${text}`));
	});

	test('after ~/ it lies where the home folder says, whatever the map folder', () => {
		fc.assert(
			fc.property(path, (text) => {
				expect(resolveEntryPath(`~/${text}`, MAP_FOLDER, HOME, 'linux')).toBe(
					resolveEntryPath(`~/${text}`, '/elsewhere', HOME, 'linux'),
				);
				expect(resolveEntryPath(`~/${text}`, MAP_FOLDER, HOME, 'linux')).toBe(posix.join(HOME, text));
			}),
		);
	});

	test('a relative one does not depend on the process folder and stays within the map folder without ".."', () => {
		const names = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 });
		fc.assert(
			fc.property(names, (parts) => {
				const text = parts.join('/');
				expect(resolveEntryPath(text, MAP_FOLDER, HOME, 'linux')).toBe(posix.normalize(`${MAP_FOLDER}/${text}`));
			}),
		);
	});
});
