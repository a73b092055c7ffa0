import { spawnSync } from 'node:child_process';
import { type Sandbox, sandboxesOn } from '../../server/isolation/sandboxes.ts';
import { systemProgram } from '../../server/processes/system-program.ts';
import { BOOTSTRAP } from './paths.ts';

/** Whether this account is root: nothing is forbidden to it, and it may act as another one. */
export const IS_ROOT = process.getuid?.() === 0;

/** Whether it may mount: root may, but for one in most containers. */
export const MAY_MOUNT = IS_ROOT && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** Those that this machine may have. */
export const SANDBOXES = sandboxesOn(
	process.platform,
	{ user: process.getuid?.() ?? 0, group: process.getgid?.() ?? 0 },
	systemProgram,
);

/** Whether this account may use it: in many containers none may. */
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

/** Has a command run as another account. Takes root. */
export function asAccount(user: number, ...command: Command): Command {
	return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command];
}

/** Has a command run without the rights of root. */
export function withoutRights(...command: Command): Command {
	return IS_ROOT ? asAccount(NOBODY, ...command) : command;
}

/** An account that owns nothing. */
export const NOBODY = 65_534;

/** Whether another account may read a file: in the home of root it may not. @param file by default of this checkout */
export function isReadableFor(user: number, file = BOOTSTRAP): boolean {
	const [program, ...args] = asAccount(user, 'test', '-r', file);
	return spawnSync(program, args).status === 0;
}
