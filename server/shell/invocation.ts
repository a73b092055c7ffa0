import type { Invocation } from '../isolation/invocation.ts';
import { unwrapCommand } from './unwrap.ts';

/** How a command is run: by bash, without a bash around it; on Windows by PowerShell. */
export function invocationOf(command: string, platform: NodeJS.Platform): Invocation {
	if (platform !== 'win32') return { program: 'bash', args: ['-c', unwrapCommand(command)] };
	// Encoded, since Windows has no rule for quotes that all programs keep to.
	const encoded = Buffer.from(command, 'utf16le').toString('base64');
	return { program: 'powershell.exe', args: ['-NoProfile', '-NonInteractive', '-EncodedCommand', encoded] };
}
