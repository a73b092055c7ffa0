import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Resvg } from '@resvg/resvg-js';

/** The drawing. */
export const DRAWING = new URL('../../docs/icon.svg', import.meta.url);
/** What the plugin directory and Claude Code show: they take no SVG. */
export const ICON = new URL('../../.claude-plugin/icon.png', import.meta.url);
/** Pixels on each side. */
export const SIZE = 1024;

/** The drawing as an image. */
export function renderIcon() {
	return new Resvg(readFileSync(DRAWING, 'utf8'), { fitTo: { mode: 'width', value: SIZE } }).render();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(ICON, renderIcon().asPng());
