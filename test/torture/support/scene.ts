import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesNaming } from './processes.ts';

/** A folder of its own, and what is started and mounted in it: all gone in the end, also where something fails. */
export class Scene {
	readonly folder = mkdtempSync(join(tmpdir(), 'context-broker-torture-'));
	readonly #started: ChildProcess[] = [];
	readonly #mounted: string[] = [];

	path(...parts: readonly string[]): string {
		return join(this.folder, ...parts);
	}

	/** Starts a process that ends with the scene at the latest. */
	start(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
		const child = spawn(program, args, options);
		child.on('error', () => {});
		child.stdin?.on('error', () => {});
		this.#started.push(child);
		return child;
	}

	/** Mounts a file system there of so many bytes, with `k` behind it for KiB. Takes root. */
	mountSmall(place: string, size: string): void {
		execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', place], { stdio: 'ignore' });
		this.#mounted.push(place);
	}

	/** Makes a folder one that nobody can write to, not even root. Takes root. */
	makeReadOnly(place: string): void {
		execFileSync('mount', ['--bind', place, place], { stdio: 'ignore' });
		this.#mounted.push(place);
		execFileSync('mount', ['-o', 'remount,ro,bind', place], { stdio: 'ignore' });
	}

	end(): void {
		for (const child of this.#started) child.kill('SIGKILL');
		// What those have started names the folder in its environment.
		for (const pid of processesNaming(this.folder)) tryToKill(pid);
		for (const place of this.#mounted.reverse()) execFileSync('umount', ['--lazy', place], { stdio: 'ignore' });
		rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
	}
}

/** @param use what is done in a scene of its own */
export async function inScene<T>(use: (scene: Scene) => Promise<T>): Promise<T> {
	const scene = new Scene();
	try {
		return await use(scene);
	} finally {
		scene.end();
	}
}

/** Ends one at once, if it is still there. @returns whether it was */
export function tryToKill(pid: number): boolean {
	try {
		return process.kill(pid, 'SIGKILL');
	} catch {
		return false;
	}
}
