import { join } from 'node:path';

/** The folder of Claude Code's own files. */
export function configFolder(environment: NodeJS.ProcessEnv, home: string): string {
	return environment.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

/** The folder in which an administrator keeps settings and instructions. */
export function managedFolder(platform: NodeJS.Platform): string {
	if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
	return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}
