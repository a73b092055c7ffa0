import { sep } from 'node:path';
import { readJson } from './settings-files.ts';

/** No input of a tool leaves the sandbox, and no session starts without it. */
const STRICT = { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false };

/**
 * Which files Claude Code's sandbox hides from shell commands.
 *
 * @param settings the settings files, lowest precedence first
 * @returns a test for a path with links resolved
 */
export async function hiddenBy(settings: readonly string[], home: string): Promise<(file: string) => boolean> {
	const all = await Promise.all(settings.map(sandboxIn));
	const merged = Object.assign({}, ...all);
	const isStrict = Object.entries(STRICT).every(([name, value]) => merged[name] === value);
	const filesystems = all.map(({ filesystem }) => Object(filesystem));
	const isOff = filesystems.some(({ disabled }) => disabled === true);
	const denied = filesystems.flatMap(({ denyRead }) => texts(denyRead)).map((path) => absolute(path, home));
	// A pattern counts as its whole folder, so that no file counts as hidden by mistake.
	const patterns = filesystems.flatMap(({ allowRead }) => texts(allowRead));
	const allowed = patterns.map((path) => absolute(path.replace(/[*?[].*/s, ''), home));
	return (file) => isStrict && !isOff && isBelow(file, denied) && !isBelow(file, allowed);
}

/** The value of `sandbox` for settings that hide files as well. 2.1.126 runs no command if a path leads through a link. */
export async function sandboxThatHides(files: readonly string[], settings: string, home: string): Promise<object> {
	const sandbox = await sandboxIn(settings);
	const filesystem = Object(sandbox.filesystem);
	const short = files.map((file) => (file.startsWith(home + sep) ? `~${file.slice(home.length)}` : file));
	const denyRead = [...new Set([...texts(filesystem.denyRead), ...short])];
	return { ...sandbox, ...STRICT, filesystem: { ...filesystem, denyRead } };
}

async function sandboxIn(settings: string) {
	return Object(Object(await readJson(settings).catch(() => undefined)).sandbox);
}

function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The path of a file or folder, which can be written as `~/…`, `//…`, `…/` or `…/**`. Other patterns stay. */
function absolute(path: string, home: string): string {
	return path
		.replace(/^~(?=\/|$)/, () => home)
		.replace(/^\/\//, '/')
		.replace(/(\/\*\*)?\/*$/, '');
}

function isBelow(file: string, paths: readonly string[]): boolean {
	return paths.some((path) => path !== '' && (file === path || file.startsWith(path + sep)));
}
