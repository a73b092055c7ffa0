import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateEnvFile } from '../../../server/env-file/env-file.ts';

const USUAL = join('/home/jo/.config/context-broker/.env');

test.each([
	{ named: undefined, file: USUAL },
	{ named: '', file: USUAL },
	{ named: '/etc/jo/broker env', file: '/etc/jo/broker env' },
	{ named: '~/.env', file: join('/home/jo/.env') },
	{ named: '~/a/../b.env', file: join('/home/jo/b.env') },
	// biome-ignore-start lint/suspicious/noTemplateCurlyInString: an unset variable of .mcp.json arrives as this text
	{ named: '${CONTEXT_BROKER_ENV_FILE}', file: USUAL },
	{ named: '${CONTEXT_BROKER_ENV_FILE:-}', file: USUAL },
	// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the same
	{ named: '/home/$USER/.env', file: '/home/$USER/.env' },
])('with CONTEXT_BROKER_ENV_FILE $named it is $file', ({ named, file }) => {
	expect(locateEnvFile({ CONTEXT_BROKER_ENV_FILE: named }, undefined, '/home/jo', 'linux')).toBe(file);
});

test.each([
	{ xdgConfig: undefined, file: USUAL },
	{ xdgConfig: '', file: USUAL },
	{ xdgConfig: 'config', file: USUAL },
	{ xdgConfig: '/etc/xdg jo', file: join('/etc/xdg jo/context-broker/.env') },
])('with the configuration folder $xdgConfig it is $file', ({ xdgConfig, file }) => {
	expect(locateEnvFile({}, xdgConfig, '/home/jo')).toBe(file);
});

test.each([
	['~\\broker.env', join('C:\\Users\\jo', 'broker.env')],
	['~/broker.env', join('C:\\Users\\jo', 'broker.env')],
	['C:\\broker.env', 'C:\\broker.env'],
	['d:/broker.env', 'd:/broker.env'],
	['\\\\srv\\share\\broker.env', '\\\\srv\\share\\broker.env'],
])('on Windows with CONTEXT_BROKER_ENV_FILE %s it is %s', (named, file) => {
	expect(locateEnvFile({ CONTEXT_BROKER_ENV_FILE: named }, undefined, 'C:\\Users\\jo', 'win32')).toBe(file);
});

test.each(['\\broker.env', '/broker.env', 'C:broker.env', '~sam\\broker.env', 'broker.env'])(
	'on Windows %s depends on a folder or a drive',
	(named) => {
		const locate = () => locateEnvFile({ CONTEXT_BROKER_ENV_FILE: named }, undefined, 'C:\\Users\\jo', 'win32');
		expect(locate).toThrow(expect.objectContaining({ code: 'not_absolute' }));
	},
);

test('the variable comes before the configuration folder', () => {
	const file = locateEnvFile({ CONTEXT_BROKER_ENV_FILE: '/a/.env' }, '/etc/xdg', '/home/jo', 'linux');
	expect(file).toBe('/a/.env');
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: what a user can have written
test.each(['~', '~ann/.env', '.env', './.env', ' /etc/.env', '${HOME}/.env', '   '])(
	'%j is an error, since what that file denies would be passed over',
	(named) => {
		const locate = () => locateEnvFile({ CONTEXT_BROKER_ENV_FILE: named }, undefined, '/home/jo');
		expect(locate).toThrow(expect.objectContaining({ code: 'not_absolute' }));
		expect(locate).toThrow(/is not an absolute path\. Start CONTEXT_BROKER_ENV_FILE with \/ or ~\//);
	},
);
