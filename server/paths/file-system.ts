import { type Dirent, promises as fs, readFileSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { BrokerError } from '../errors.ts';

/** A link's target; '' if the path is no link; undefined if it does not exist or must not be read. */
export type ReadLink = (path: string) => Promise<string | undefined>;

/** Results by path. */
export type Links = Map<string, ReturnType<ReadLink>>;

/** In milliseconds: how long results are reused, and after how long a file system counts as silent. */
const CACHE_LIFETIME_MS = 5_000;
const ANSWER_TIMEOUT_MS = 1_000;

/** Concurrent requests to file systems that may not answer: by default Node has four threads for them. */
const MAX_LOOKS = 3;

/** With more links in one path, it is a loop. */
const MAX_LINKS = 40;

/** File systems for which the kernel itself answers. All others may wait for another program or machine. */
const LOCAL = new RegExp(
	`^(?:${[
		'ext[234]|xfs|btrfs|zfs|bcachefs|f2fs|jfs|reiserfs|squashfs|erofs|vfat|exfat|ntfs3|iso9660|udf|hfsplus|overlay|aufs',
		'tmpfs|ramfs|rootfs|devtmpfs|devpts|proc|sysfs|cgroup2?|mqueue|hugetlbfs|debugfs|tracefs|securityfs|configfs|selinuxfs',
		'pstore|bpf|fusectl|binfmt_misc|efivarfs|nsfs',
	].join('|')})$`,
);

/** For a file system that may not answer: allows one request at a time. */
interface Gate {
	last: Promise<unknown>;
	/** When the current request began; Infinity if there is none. */
	since: number;
}

/** Reads the file system such that one that does not answer delays only the calls that name it. */
export class FileSystem {
	readonly #platform: NodeJS.Platform;
	readonly #now: () => number;
	readonly #readLink: ReadLink;
	readonly #gates = new Map<string, Gate>();
	/** Whether the file system is local, by mount point. */
	#mounts: ReadonlyMap<string, boolean> = new Map();
	#links: Links = new Map();
	#since = Number.NEGATIVE_INFINITY;

	/** @param now a monotonic clock, in milliseconds */
	constructor(platform: NodeJS.Platform, now: () => number, readLink: ReadLink = readLinkAt) {
		this.#platform = platform;
		this.#now = now;
		this.#readLink = readLink;
	}

	/**
	 * Resolves every link in an absolute path, as far as it exists and may be read. The rest is appended unchanged.
	 *
	 * @param links keeps the results; by default they are reused for a while
	 * @throws BrokerError `check_timeout` if the path's file system has not answered for a while
	 */
	async realPath(path: string, links?: Links): Promise<string> {
		this.#refresh();
		if (this.#platform === 'win32') return await this.#look(path, () => findRealPath(path));
		const known = this.#links;
		return await this.#walk(path, async (next) => {
			// A path that is not in the cache may be on a silent file system: refuse before asking it.
			const gate = this.#gates.size === 0 ? undefined : this.#gates.get(this.#mountOf(next) ?? '');
			if (gate !== undefined) this.#requireAnswers(gate);
			const found = known.get(next) ?? links?.get(next) ?? this.#look(next, () => this.#readLink(next));
			(links === undefined || known.has(next) ? known : links).set(next, found);
			return await found;
		});
	}

	/** The same for a protected path: as written if its file system does not answer in time. */
	async placeOf(path: string): Promise<string> {
		return await withTimeout(this.realPath(path), path);
	}

	/** Whether a protected path is a folder; false if its file system does not answer in time. */
	async isFolder(path: string): Promise<boolean> {
		const look = async () => {
			const real = await this.realPath(path);
			return await this.#look(real, async () => (await fs.stat(real)).isDirectory());
		};
		return await withTimeout(look(), false);
	}

	/** A folder's entries; none if it cannot be read. @throws BrokerError `check_timeout` */
	async entriesOf(folder: string): Promise<Dirent[]> {
		return await this.#look(await this.realPath(folder), () =>
			fs.readdir(folder, { withFileTypes: true }).catch(() => []),
		);
	}

	/** Waits until a path's file system answers. @throws BrokerError `check_timeout` */
	async answers(path: string): Promise<void> {
		this.#refresh();
		if (this.#platform === 'linux' && ![...this.#mounts.values()].includes(false)) return;
		const real = await (this.#platform === 'win32' ? this.#realVolume(parse(path).root) : this.realPath(path));
		if (this.#mountOf(real) !== undefined) await this.#look(real, () => fs.stat(real).catch(() => undefined));
	}

	/** A drive or a share: on Windows it answers for all that is on it. To resolve each path would take long. */
	async #realVolume(root: string): Promise<string> {
		const found = this.#links.get(root) ?? this.realPath(root);
		this.#links.set(root, found);
		return (await found) ?? root;
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
		if (this.#now() - since > ANSWER_TIMEOUT_MS) throw new BrokerError('check_timeout');
	}

	/** The mount point of a path's file system, if that may not answer. */
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
		if (this.#now() - this.#since <= CACHE_LIFETIME_MS) return;
		this.#since = this.#now();
		this.#links = new Map();
		if (this.#platform === 'linux') this.#mounts = readMounts();
	}
}

/** The result, or `otherwise` if it fails or does not come in time. */
export async function withTimeout<T>(look: Promise<T>, otherwise: T): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<T>((resolve) => {
		timer = setTimeout(() => resolve(otherwise), ANSWER_TIMEOUT_MS / 2).unref();
	});
	return await Promise.race([look.catch(() => otherwise), late]).finally(() => clearTimeout(timer));
}

const readLinkAt: ReadLink = (path) =>
	fs.readlink(path).catch((error: NodeJS.ErrnoException) => (error.code === 'EINVAL' ? '' : undefined));

/** Reads the kernel's list of mounts. This touches no mount, so it cannot block. */
function readMounts(): ReadonlyMap<string, boolean> {
	let text = '';
	try {
		text = readFileSync('/proc/self/mountinfo', 'utf8');
	} catch {
		// Without this file, all mounts count as local.
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

/** Windows: resolves a path as far as it exists. */
async function findRealPath(path: string): Promise<string> {
	const rest: string[] = [];
	for (let prefix = path; ; prefix = dirname(prefix)) {
		const real = await fs.realpath(prefix).catch(() => undefined);
		if (real !== undefined) return join(real, ...rest);
		// For any reason (a missing name, a loop of links, no permission), the parent folder may still resolve.
		if (dirname(prefix) === prefix) return path;
		rest.unshift(basename(prefix));
	}
}
