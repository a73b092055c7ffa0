import { join } from 'node:path';

export function configFolder(environment: NodeJS.ProcessEnv, home: string): string {
	return environment.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

export function managedFolder(platform: NodeJS.Platform): string {
	if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
	return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

/** The folder in a project, or in that of an administrator, with settings, agents and instructions. */
export function ownFolder(folder: string): string {
	return join(folder, '.claude');
}

/** The folder with a data folder for each plugin. */
export function pluginDataFolder(environment: NodeJS.ProcessEnv, home: string): string {
	return join(configFolder(environment, home), 'plugins', 'data');
}
