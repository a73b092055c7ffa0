import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextMap } from '../../../server/context-map/context-map.ts';
import type { CommandOutput, DoctorContext } from '../../../server/doctor/context.ts';
import { examine } from '../../../server/doctor/doctor.ts';
import type { Finding } from '../../../server/doctor/finding.ts';
import type { ExposableTool } from '../../../server/exposure/policy.ts';
import { Upstreams } from '../../../server/upstreams/upstreams.ts';
import { createUser, type User } from '../../support/user.ts';

export const TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
];

/** What programs say, by the words of the command. Others are not there. */
export type Programs = Record<string, CommandOutput>;

/** Claude Code with the plugin, and npm. */
export const INSTALLED: Programs = {
	'npm --version': { status: 0, text: '11.0.0\n' },
	'claude --version': { status: 0, text: '2.1.332 (Claude Code)\n' },
	'claude plugin list --json': {
		status: 0,
		text: JSON.stringify([{ id: 'context-broker@context-broker', version: '1.2.3', enabled: true }]),
	},
};

/** Somebody whose home nobody else may enter, with what they have. */
export async function createContext(programs: Programs = INSTALLED, changes: Partial<DoctorContext> = {}) {
	const user: User = await createUser();
	await chmod(user.home, 0o700);
	await mkdir(join(user.home, 'project'), { recursive: true });
	const context: DoctorContext = {
		version: '1.2.3',
		node: '20.0.0',
		platform: 'linux',
		environment: {},
		home: user.home,
		project: join(user.home, 'project'),
		data: join(user.home, 'data'),
		map: new ContextMap(user.mapFile, user.home),
		envFile: () => join(user.configFolder, '.env'),
		tools: TOOLS,
		run: async (program, args) => programs[[program, ...args].join(' ')] ?? checkIgnore(args),
		isolate: async () => {},
		connect: async () => new Upstreams([], () => {}),
		...changes,
	};
	/** What the doctor finds that bears on a check. */
	const findings = async (check: string): Promise<Finding[]> =>
		(await examine(context)).filter((finding) => finding.check === check);
	return { user, context, findings };
}

/** git outside of a work tree. */
function checkIgnore(args: readonly string[]): CommandOutput | undefined {
	return args.includes('check-ignore') ? { status: 128, text: '' } : undefined;
}
