import { type Dirent, promises as fs, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BrokerError } from '../errors.ts';

/** Where a link leads; '' for what is none, undefined for what is not there or may not be looked at. */
export type ReadLink = (path: string) => Promise<string | undefined>;

/** What was found, by path. */
export type Links = Map<string, ReturnType<ReadLink>>;

/** In milliseconds: so long what was found is taken for granted; and after so long a file system counts as silent. */
const FOUND_LAST = 5_000;
const SILENT_AFTER = 1_000;

/** How many looks at file systems that may not answer are under way: Node has four threads, unless told otherwise. */
const MAX_LOOKS = 3;

/** More links one behind the other are a circle. */
const MAX_LINKS = 40;

/** Those of which the kernel answers by itself, on a disk or of its own; all others may wait for somebody else. */
const LOCAL = new RegExp(
	`^(?:${[
		'ext[234]|xfs|btrfs|zfs|bcachefs|f2fs|jfs|reiserfs|squashfs|erofs|vfat|exfat|ntfs3|iso9660|udf|hfsplus|overlay|aufs',
		'tmpfs|ramfs|rootfs|devtmpfs|devpts|proc|sysfs|cgroup2?|mqueue|hugetlbfs|debugfs|tracefs|securityfs|configfs|selinuxfs',
		'pstore|bpf|fusectl|binfmt_misc|efivarfs|nsfs',
	].join('|')})$`,
);

/** A file system that may not answer is asked one thing at a time. */
interface Gate {
	last: Promise<unknown>;
	/** Since when it is asked what it is asked now; Infinity if it is asked nothing. */
	since: number;
}

/** Looks at the file system so that one that does not answer holds up only what names it. */
export class FileSystem {
	readonly #platform: NodeJS.Platform;
	readonly #now: () => number;
	readonly #readLink: ReadLink;
	readonly #gates = new Map<string, Gate>();
	/** By mount point, whether it is local. */
	#mounts: ReadonlyMap<string, boolean> = new Map();
	#links: Links = new Map();
	#since = Number.NEGATIVE_INFINITY;

	/** @param now a clock that is never set back, in milliseconds */
	constructor(platform: NodeJS.Platform, now: () => number, readLink: ReadLink = readLinkAt) {
		this.#platform = platform;
		this.#now = now;
		this.#readLink = readLink;
	}

	/**
	 * An absolute path with every link in it resolved, as far as it exists and may be looked at; the rest is appended
	 * unchanged.
	 *
	 * @param links where what is found is kept; by default it is taken for granted for a while
	 * @throws BrokerError `check_timeout`, if the path lies on a file system that has not answered for a while
	 */
	async realPath(path: string, links?: Links): Promise<string> {
		this.#refresh();
		if (this.#platform === 'win32') return await this.#look(path, () => findRealPath(path));
		const known = this.#links;
		return await this.#walk(path, async (next) => {
			// What is not found yet may never be.
			const gate = this.#gates.size === 0 ? undefined : this.#gates.get(this.#mountOf(next) ?? '');
			if (gate !== undefined) this.#requireAnswers(gate);
			const found = known.get(next) ?? links?.get(next) ?? this.#look(next, () => this.#readLink(next));
			(links === undefined || known.has(next) ? known : links).set(next, found);
			return await found;
		});
	}

	/** The same of a path that others are compared with: if nobody answers in time, as it is written. */
	async placeOf(path: string): Promise<string> {
		return await inTime(this.realPath(path), path);
	}

	/** Whether a path that others are compared with is a folder, as far as anybody answers in time. */
	async isFolder(path: string): Promise<boolean> {
		const look = async () => {
			const real = await this.realPath(path);
			return await this.#look(real, async () => (await fs.stat(real)).isDirectory());
		};
		return await inTime(look(), false);
	}

	/** What is in a folder; nothing if it can't be read. @throws BrokerError `check_timeout` */
	async entriesOf(folder: string): Promise<Dirent[]> {
		return await this.#look(await this.realPath(folder), () =>
			fs.readdir(folder, { withFileTypes: true }).catch(() => []),
		);
	}

	/** Waits until the file system of a path has answered. @throws BrokerError `check_timeout` */
	async answers(path: string): Promise<void> {
		this.#refresh();
		if (this.#platform === 'linux' && ![...this.#mounts.values()].includes(false)) return;
		const real = await this.realPath(path);
		if (this.#mountOf(real) !== undefined) await this.#look(real, () => fs.stat(real).catch(() => undefined));
	}

	async #walk(path: string, linkAt: ReadLink): Promise<string> {
		const rest = path.split('/').reverse();
		let [real, links] = ['', 0];
		for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
			if (name === '' || name === '.') continue;
			if (name === '..') {
				real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
				continue;
			}
			const next = `${real}/${name}`;
			const link = await linkAt(next);
			if (link === undefined) return join(next, ...rest.reverse());
			if (link === '') real = next;
			else if (++links > MAX_LINKS) return path;
			else {
				if (link.startsWith('/')) real = '';
				rest.push(...link.split('/').reverse());
			}
		}
		return real === '' ? '/' : real;
	}

	async #look<T>(path: string, ask: () => Promise<T>): Promise<T> {
		const mount = this.#mountOf(path);
		if (mount === undefined) return await ask();
		const gate: Gate = this.#gates.get(mount) ?? { last: Promise.resolve(), since: Number.POSITIVE_INFINITY };
		this.#gates.set(mount, gate);
		this.#requireAnswers(gate);
		const turn = gate.last.then(async () => {
			for (let busy = this.#busy; busy.length >= MAX_LOOKS; busy = this.#busy) {
				for (const each of busy) this.#requireAnswers(each);
				await Promise.race(busy.map(({ last }) => last));
			}
			gate.since = this.#now();
			return await ask().finally(() => {
				gate.since = Number.POSITIVE_INFINITY;
			});
		});
		gate.last = turn.catch(() => {});
		return await turn;
	}

	get #busy(): Gate[] {
		return [...this.#gates.values()].filter(({ since }) => Number.isFinite(since));
	}

	#requireAnswers({ since }: Gate): void {
		if (this.#now() - since > SILENT_AFTER) throw new BrokerError('check_timeout');
	}

	/** The file system that a path lies on, if it is one that may not answer. */
	#mountOf(path: string): string | undefined {
		if (this.#platform === 'darwin') return /^\/(?:Volumes|net)\/[^/]+/.exec(path)?.[0];
		if (this.#platform === 'win32') return /^[\\/]{2}[^\\/]+/.exec(path)?.[0];
		this.#refresh();
		const mounts = this.#mounts;
		for (let folder = path; ; folder = dirname(folder)) {
			const isLocal = mounts.get(folder);
			if (isLocal !== undefined) return isLocal ? undefined : folder;
			if (folder === dirname(folder)) return undefined;
		}
	}

	#refresh(): void {
		if (this.#now() - this.#since <= FOUND_LAST) return;
		this.#since = this.#now();
		this.#links = new Map();
		if (this.#platform === 'linux') this.#mounts = readMounts();
	}
}

/** What comes of a look, if something does so in time. */
export async function inTime<T>(look: Promise<T>, otherwise: T): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<T>((resolve) => {
		timer = setTimeout(() => resolve(otherwise), SILENT_AFTER / 2).unref();
	});
	return await Promise.race([look.catch(() => otherwise), late]).finally(() => clearTimeout(timer));
}

const readLinkAt: ReadLink = (path) =>
	fs.readlink(path).catch((error: NodeJS.ErrnoException) => (error.code === 'EINVAL' ? '' : undefined));

/** What the kernel says of its mounts, which asks none of them; so it can hold nothing up. */
function readMounts(): ReadonlyMap<string, boolean> {
	let text = '';
	try {
		text = readFileSync('/proc/self/mountinfo', 'utf8');
	} catch {
		// Where there is no such file, all count as local.
	}
	const lines = text.split('\n').filter((line) => line.includes(' - '));
	return new Map(
		lines.map((line) => {
			const [mount = '', type = ''] = line.split(' - ');
			const point = mount.split(' ')[4] ?? '';
			const path = point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
			return [path, LOCAL.test(type.split(' ')[0] ?? '')] as const;
		}),
	);
}

/** As Windows resolves it, as far as it exists. */
async function findRealPath(path: string): Promise<string> {
	const rest: string[] = [];
	for (let prefix = path; ; prefix = dirname(prefix)) {
		const real = await fs.realpath(prefix).catch(() => undefined);
		if (real !== undefined) return join(real, ...rest);
		// Whatever the reason, the folder above may still be resolved: a missing name, a circle of links, no rights.
		if (dirname(prefix) === prefix) return path;
		rest.unshift(basename(prefix));
	}
}
