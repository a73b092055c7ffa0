import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { expect, test } from 'vitest';
import { ICON, renderIcon, SIZE } from '../images/icon.mjs';
import { PLUGIN_ROOT } from '../support/paths.ts';

const DOCS = join(PLUGIN_ROOT, 'docs');

test('the icon is the drawing in docs, as a square PNG of a size that the plugin directory takes', () => {
	const file = readFileSync(ICON);
	expect(file.subarray(1, 4).toString()).toBe('PNG');
	// Width and height, https://www.w3.org/TR/png-3/#11IHDR
	expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([SIZE, SIZE]);
	expect(SIZE).toBeGreaterThanOrEqual(512);
	expect(SIZE).toBeLessThanOrEqual(2048);

	const shown = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}"><image width="${SIZE}" height="${SIZE}" href="data:image/png;base64,${file.toString('base64')}"/></svg>`;
	const [is, should] = [new Resvg(shown).render().pixels, renderIcon().pixels];
	expect(is).toHaveLength(should.length);
	// Other processors may round otherwise.
	const different = should.filter((value, index) => Math.abs(value - (is[index] ?? 0)) > 2);
	expect(different, 'make it anew: npm --prefix test run images').toHaveLength(0);
});

test.each(readdirSync(DOCS).filter((name) => name.endsWith('.svg')))(
	'docs/%s says what it shows, and fetches nothing',
	(name) => {
		const drawing = readFileSync(join(DOCS, name), 'utf8');
		expect(drawing).toMatch(/<title>[^<]+<\/title>/);
		expect(drawing.replaceAll('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|href|@import|<script/);
		// What is no image would throw.
		expect(new Resvg(drawing).render().width).toBeLessThanOrEqual(700);
	},
);
