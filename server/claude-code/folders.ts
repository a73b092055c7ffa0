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

/** The folder of a project, or of an administrator, with settings, agents and instructions. */
export function ownFolder(folder: string): string {
	return join(folder, '.claude');
}

/** The folder in which plugins keep data, each in one of its own. */
export function pluginDataFolder(environment: NodeJS.ProcessEnv, home: string): string {
	return join(configFolder(environment, home), 'plugins', 'data');
}
