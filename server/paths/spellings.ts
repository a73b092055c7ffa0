import { posix, win32 } from 'node:path';
import { foldName } from './fold.ts';
import type { Pattern } from './pattern.ts';
import type { Place } from './place.ts';

/** A drive or a share of Windows, from which a path is absolute. */
const VOLUME = /^(?:[a-z]:(?=\/)|\/\/[^/]+\/[^/]+)/i;

/** `//?/`, `//./` and `/??/` only say that Windows takes the rest as it is. In patterns, `?` can be plain. */
const DEVICE = /^\/(?:\/(?:\\?\?|\.)|\\?\?\\?\?)\/(UNC\/)?/i;

/** The one spelling, of those that a system has for a path, in which paths are compared. Components are divided by `/`. */
export function canonical(path: Pattern, platform: NodeJS.Platform): Pattern {
	if (platform === 'darwin') {
		// A firmlink, which realpath leaves; and a stream of a file.
		return path.replace(/^\/System\/Volumes\/Data(?=\/|$)/i, '').replace(/\/\.\.namedfork(?:\/.*)?$/is, '') || '/';
	}
	if (platform !== 'win32') return path;
	const plain = path
		.replace(/(?!^)\/{2,}/g, '/')
		.replace(DEVICE, (_, share) => (share === undefined ? '' : '//'))
		.replace(/^\/+(?=[a-z]:)/i, '')
		// The administrator's share of a drive: another machine's file of that path counts as well.
		.replace(/^\/\/[^/]+\/([a-z])\$(?:\/|$)/i, '$1:/')
		.replace(/^(?:(?:\/proc)?\/cygdrive|\/\/wsl(?:\$|\.localhost)\/[^/]+\/mnt)?\/([a-z])(?:\/|$)/i, '$1:/');
	// No name has these; programs of Windows take them for wildcards even if a shell did not.
	const start = plain.indexOf('/') + 1;
	return start === 0 ? plain : plain.slice(0, start) + plain.slice(start).replace(/\\(?=[*?])/g, '');
}

/** An absolute pattern in its canonical spelling. @param path in that spelling, too */
export function fromFolder(path: Pattern, folder: Pattern, platform: NodeJS.Platform): Pattern {
	if (platform !== 'win32') return path.startsWith('/') ? path : `${folder}/${path}`;
	if (VOLUME.test(path)) return path;
	const [volume = ''] = VOLUME.exec(`${folder}/`) ?? [];
	if (path.startsWith('/')) return volume + path;
	const [, drive, rest = ''] = /^([a-z]:)(.*)$/is.exec(path) ?? [];
	if (drive === undefined) return `${folder}/${path}`;
	// From the working folder of that drive, which is known of one drive only.
	return drive.toLowerCase() === volume.toLowerCase() ? `${folder}/${rest}` : `${drive}/${rest}`;
}

/** The components of an absolute path in its canonical spelling. On Windows the drive or the share is one. */
export function componentsOf(path: Pattern, platform: NodeJS.Platform): Pattern[] {
	const [volume = ''] = (platform === 'win32' && VOLUME.exec(`${path}/`)) || [];
	const parts = path
		.slice(volume.length)
		.split('/')
		.filter((part) => part !== '' && part !== '.');
	return volume === '' ? parts : [volume, ...parts];
}

/** The components of an absolute path as a system writes it, folded. */
export function namesIn(path: string, platform: NodeJS.Platform): string[] {
	const divided = platform === 'win32' ? path.replaceAll('\\', '/') : path;
	return componentsOf(canonical(divided, platform), platform).map((name) => foldName(name, platform));
}

/** The path of a file URL; anything else as it is. */
export function withoutScheme(path: Pattern): Pattern {
	const [scheme] = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(path) ?? [];
	if (scheme === undefined) return path;
	const rest = path.slice(scheme.length);
	try {
		return decodeURIComponent(rest);
	} catch {
		return rest; // Not encoded as it should be: taken as it is written.
	}
}

/** Whether a path depends on no folder, and on Windows on no drive either. */
export function isAbsolutePath(path: string, platform: NodeJS.Platform): boolean {
	return platform === 'win32' ? /^(?:[a-z]:|[/\\])[/\\]/i.test(path) : posix.isAbsolute(path);
}

/** The absolute path that a text names. */
export function absolutePath(path: string, folder: string, { home, platform }: Omit<Place, 'cwd'>): string {
	const isWindows = platform === 'win32';
	const { resolve } = isWindows ? win32 : posix;
	// Claude Code takes `/c/` for the drive, as Git Bash does.
	const named = isWindows
		? withoutScheme(path)
				.replace(/^\/+(?=[a-z]:)/i, '')
				.replace(/^\/([a-z])(?=\/)/i, '$1:')
		: path;
	return resolve(
		folder,
		named.replace(/^~(?=$|[/\\])/, () => home),
	);
}

/** What shells on Windows take for the home folder, unless it is the profile: Git Bash, Windows PowerShell. */
export function shellHomes(
	{ HOME = '', HOMEDRIVE = '', HOMEPATH = '' }: NodeJS.ProcessEnv,
	home: string,
	platform: NodeJS.Platform,
): string[] {
	if (platform !== 'win32') return [];
	const known = namesIn(home, platform).join('/');
	return [HOME, HOMEDRIVE && HOMEPATH && HOMEDRIVE + HOMEPATH].filter(
		(each) => /^(?:[a-z]:)?[/\\]/i.test(each) && namesIn(each, platform).join('/') !== known,
	);
}

/**
 * A command on Windows, in which the home folder is `$HOME`, other known variables have their values, and the drives that
 * `wsl` mounts are as in Git Bash.
 *
 * @param isBash whether Git Bash runs it, in which `/tmp` is the temporary folder
 */
export function shellText(command: string, place: Omit<Place, 'cwd'>, isBash: boolean): string {
	if (place.platform !== 'win32') return command;
	const named = command
		.replace(/\$\{?(?:env:)?(?:HOMEDRIVE\}?\$\{?(?:env:)?HOMEPATH|USERPROFILE)\b\}?|%HOMEDRIVE%%HOMEPATH%/gi, '$$HOME')
		.replace(
			/(?:\$\{?(?:env:)?|%)(TEMP|TMP|LOCALAPPDATA)\b[}%]?/gi,
			(written, name) => folderIn(name.toUpperCase(), place) ?? written,
		)
		.replace(/(?<![\w./\\-])\/tmp(?![\w.-])/gi, (written) => (isBash && folderIn('TEMP', place)) || written);
	return /\bwsl\b/i.test(named) ? named.replace(/(?<![\w./\\-])\/mnt(?=\/[a-z](?![^/\s"']))/gi, '') : named;
}

/** The folder in a variable, as all shells take it. */
function folderIn(variable: string, { environment = {}, home }: Omit<Place, 'cwd'>): string | undefined {
	const [folder, start] = [environment[variable], home].map((each) => each?.replaceAll('\\', '/').replace(/\/$/, ''));
	// A space in the user's name would divide the path.
	const isBelow = folder?.toLowerCase().startsWith(`${start}/`.toLowerCase());
	return isBelow ? `$HOME${folder?.slice(start?.length)}` : folder;
}

const ARGUMENT = String.raw`("[^"\n]*"|'[^'\n]*'|[^\s"'(),;|]+)`;

const JOIN_PATH = new RegExp(String.raw`\bJoin-Path\s+(?:-Path\s+)?${ARGUMENT}\s+(?:-ChildPath\s+)?${ARGUMENT}`, 'gi');

/** A text in which the paths that PowerShell puts together are written in one. */
export function withJoinedPaths(text: string): string {
	const unquoted = (argument: string) => argument.replace(/^["']|["']$/g, '');
	return text.replace(JOIN_PATH, (_, folder, path) => `"${unquoted(folder)}\\${unquoted(path)}"`);
}
