import {
	appendFileSync,
	closeSync,
	linkSync,
	mkdirSync,
	openSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type HostileFile, type Kind, type Outcomes, type Place, uniqueText } from './file.ts';
import { fifo } from './places.ts';

/** What can be in the place of a file. */
interface Something extends Outcomes {
	/** Where it is kept until then. */
	readonly name: string;
}

/** Files to which something is done while they are read. */
export const CHANGES: Readonly<Record<string, Kind>> = {
	'a link led to another version': (place) => relinked(place, [file(place, 'a.md'), file(place, 'b.md')]),
	'a link led to a file of another kind': (place) =>
		relinked(place, [file(place, 'good.md'), { ...file(place, 'secret.txt'), texts: [], codes: ['not_markdown'] }]),
	'a link led to another name of the same file': (place) => {
		const good = file(place, 'good.md');
		linkSync(join(place.folder, 'good.md'), join(place.folder, 'good.txt'));
		return relinked(place, [good, { name: 'good.txt', codes: ['not_markdown'] }]);
	},
	'a link led to a FIFO': (place) => {
		fifo(place.folder, 'fifo.md');
		return relinked(place, [file(place, 'good.md'), { name: 'fifo.md', codes: ['not_a_file'] }]);
	},
	'a link led to a folder or a device': (place) => {
		mkdirSync(join(place.folder, 'folder.md'));
		const other = place.random.pick(['folder.md', '/dev/zero']);
		// A device has no name of a Markdown file, and which of both is found first depends on the moment.
		return relinked(place, [file(place, 'good.md'), { name: other, codes: ['not_a_file'] }], ['not_markdown']);
	},
	'a link led to nothing': (place) =>
		relinked(place, [file(place, 'good.md'), { name: 'none.md', codes: ['file_missing'] }]),
	'replaced by another version': ({ folder, random }) => {
		const versions = [uniqueText(random), uniqueText(random), uniqueText(random)];
		const path = join(folder, 'x.md');
		const put = (text: string) => {
			writeFileSync(`${path}.new`, text);
			renameSync(`${path}.new`, path);
		};
		put(versions[0] ?? '');
		return inTurns(
			path,
			versions.map((text) => ({ texts: [text], enter: () => put(text) })),
		);
	},
	'replaced by a FIFO': ({ folder, random }) => {
		const text = uniqueText(random);
		const [path, kept] = [join(folder, 'x.md'), fifo(folder, 'kept.md')];
		writeFileSync(path, text);
		return inTurns(
			path,
			[
				{ codes: ['not_a_file'], enter: () => exchange(path, kept, `${folder}/spare.md`) },
				{ texts: [text], enter: () => exchange(path, kept, `${folder}/spare.md`) },
			],
			['file_missing'],
		);
	},
	'removed and put there again': ({ folder, random }) => {
		const text = uniqueText(random);
		const path = join(folder, 'x.md');
		writeFileSync(path, text);
		return inTurns(path, [
			{ codes: ['file_missing'], enter: () => rmSync(path) },
			{
				texts: [text],
				enter: () => {
					writeFileSync(`${path}.new`, text);
					renameSync(`${path}.new`, path);
				},
			},
		]);
	},
	'its name changed to one of another kind': ({ folder, random }) => {
		const text = uniqueText(random);
		const [path, target] = [join(folder, 'x.md'), join(folder, 'target')];
		writeFileSync(`${target}.md`, text);
		symlinkSync('target.md', path);
		return inTurns(path, [
			{ codes: ['file_missing'], enter: () => renameSync(`${target}.md`, `${target}.txt`) },
			{ texts: [text], enter: () => renameSync(`${target}.txt`, `${target}.md`) },
		]);
	},
	'its folder exchanged': ({ folder, random }) => {
		const texts = [uniqueText(random), uniqueText(random)];
		const [one, two] = [join(folder, 'one'), join(folder, 'two')];
		for (const [index, name] of [one, two].entries()) {
			mkdirSync(name);
			writeFileSync(join(name, 'x.md'), texts[index] ?? '');
		}
		const swap = () => exchange(one, two, `${folder}/spare`);
		const turns = texts.toReversed().map((text) => ({ texts: [text], enter: swap }));
		return inTurns(join(one, 'x.md'), turns, ['file_missing']);
	},
	'written over in place': ({ folder, random }) => {
		const size = 1_000 + random.below(100_000);
		const versions = ['a', 'b'].map((letter) => `${random.below(2 ** 31)} `.padEnd(size, letter));
		const path = join(folder, 'x.md');
		writeFileSync(path, versions[0] ?? '');
		const open = openSync(path, 'r+');
		const turns = versions.map((text) => ({ texts: [text], enter: () => void writeSync(open, text, 0) }));
		return { ...inTurns(path, turns), close: () => closeSync(open) };
	},
	'written on and on': ({ folder, random }) => {
		const versions = [uniqueText(random)];
		const path = join(folder, 'x.md');
		writeFileSync(path, versions[0] ?? '');
		return {
			path,
			may: { texts: versions, codes: ['file_unreadable'] },
			meddle: () => {
				// More of them take too much memory.
				if (versions.length > 200) return;
				const line = `${random.below(2 ** 31)}\n`;
				versions.push(`${versions.at(-1)}${line}`);
				appendFileSync(path, line);
			},
			last: () => ({ texts: versions.slice(-1) }),
		};
	},
};

/** One of the states of a file, and how it gets there. */
interface Turn extends Outcomes {
	readonly enter: () => void;
}

/**
 * A file that goes from state to state, each of which may be met.
 *
 * @param between codes of what may be met between two states
 */
function inTurns(path: string, turns: readonly Turn[], between: Outcomes['codes'] = []): HostileFile {
	let step = 0;
	let now: Outcomes | undefined;
	const codes = turns.flatMap((turn) => turn.codes ?? []);
	return {
		path,
		may: { texts: turns.flatMap(({ texts }) => texts ?? []), codes: [...codes, ...between, 'file_unreadable'] },
		meddle: () => {
			const turn = turns[step++ % turns.length];
			turn?.enter();
			now = turn;
		},
		last: () => now ?? {},
	};
}

function relinked({ folder }: Place, targets: readonly Something[], between: Outcomes['codes'] = []): HostileFile {
	const path = join(folder, 'link.md');
	const lead = (target: string) => {
		symlinkSync(target, `${path}.new`);
		renameSync(`${path}.new`, path);
	};
	lead(targets[0]?.name ?? '');
	return inTurns(
		path,
		targets.map((target) => ({ ...target, enter: () => lead(target.name) })),
		between,
	);
}

function file({ folder, random }: Place, name: string): Something {
	const text = uniqueText(random);
	writeFileSync(join(folder, name), text);
	return { name, texts: [text] };
}

/** Lets two change places; for a moment the first is not there. */
function exchange(one: string, two: string, spare: string): void {
	renameSync(one, spare);
	renameSync(two, one);
	renameSync(spare, two);
}
