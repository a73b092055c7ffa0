import { spawnSync } from 'node:child_process';
import { type Sandbox, sandboxesOn } from '../../server/isolation/sandboxes.ts';
import { systemProgram } from '../../server/processes/system-program.ts';
import { BOOTSTRAP } from './paths.ts';

/** Whether this account is root: it has all permissions and may act as another account. */
export const IS_ROOT = process.getuid?.() === 0;

/** Whether this account may mount file systems. Root may, but not in most containers. */
export const MAY_MOUNT = IS_ROOT && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** The sandboxes that may work on this machine. */
export const SANDBOXES = sandboxesOn(
	process.platform,
	{ user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 },
	systemProgram,
);

/** Whether this account may use a sandbox. In many containers no account may. */
export function mayUse(sandbox: Sandbox): boolean {
	const { program, args } = sandbox.wrap({ program: 'true', args: [] }, []);
	return spawnSync(program, args).status === 0;
}

/** Reasons to skip a test. */
export const ROOT_ALONE = 'root alone can try it';
export const NOT_FOR_ROOT = 'nothing is forbidden to root';
export const MAY_NOT_MOUNT = 'this account may not mount a file system';
export const MAY_NOT_ISOLATE = 'this account may not take the network from a program';
export const UNREADABLE = 'another account may not read these files, or can not be acted as';

type Command = [program: string, ...args: string[]];

/** A command that runs another as a different account. Needs root. */
export function asAccount(user: number, ...command: Command): Command {
	return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command];
}

/** A command that runs another without root's permissions. */
export function withoutRights(...command: Command): Command {
	return IS_ROOT ? asAccount(NOBODY, ...command) : command;
}

/** An account that owns nothing. */
export const NOBODY = 65_534;

/** Whether another account may read a file; in root's home folder it may not. @param file by default one of this checkout */
export function isReadableFor(user: number, file = BOOTSTRAP): boolean {
	const [program, ...args] = asAccount(user, 'test', '-r', file);
	return spawnSync(program, args).status === 0;
}
