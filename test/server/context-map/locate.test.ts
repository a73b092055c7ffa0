import { expect, test } from 'vitest';
import { locateContextMap } from '../../../server/context-map/locate.ts';

test.each([
	{ configHome: undefined, map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: '', map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: '/etc/xdg jo', map: '/etc/xdg jo/context-broker/context-map.toml' },
	{ configHome: 'relative/config', map: '/home/jo/.config/context-broker/context-map.toml' },
	{ configHome: './config', map: '/home/jo/.config/context-broker/context-map.toml' },
	// biome-ignore lint/suspicious/noTemplateCurlyInString: an unset variable of .mcp.json arrives as this text
	{ configHome: '${XDG_CONFIG_HOME}', map: '/home/jo/.config/context-broker/context-map.toml' },
])('the map of configuration folder $configHome is $map', ({ configHome, map }) => {
	expect(locateContextMap(configHome, '/home/jo')).toBe(map);
});
