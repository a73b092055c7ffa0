import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../random.ts';
import { Expectations } from './expectations.ts';

/** Milliseconds that an answer may take. */
const PATIENCE = 20_000;

/** One broker, spoken to in bytes. */
export class Session {
	readonly #broker: ChildProcessWithoutNullStreams;
	readonly #secrets: readonly string[];
	readonly #expectations = new Expectations();
	readonly #faults: string[] = [];
	readonly #closed: Promise<void>;
	#partial = '';
	#isClosed = false;
	#pings = 0;
	#wake = () => {};

	/** @param secrets what must not be in what comes */
	constructor(broker: ChildProcessWithoutNullStreams, secrets: readonly string[]) {
		this.#broker = broker;
		this.#secrets = secrets;
		broker.stdout.setEncoding('utf8').on('data', (text: string) => this.#came(text));
		broker.stderr.setEncoding('utf8').on('data', (text: string) => this.#told(text));
		// A broker that has ended is told by its exit.
		broker.stdin.on('error', () => {});
		this.#closed = new Promise((resolve) => {
			broker.once('close', () => {
				this.#isClosed = true;
				this.#wake();
				resolve();
			});
		});
	}

	/** Sends lines, cut anywhere, and waits for what they are answered with. @returns what did not hold */
	async send(lines: readonly Buffer[], random: Random): Promise<string[]> {
		for (const line of lines) this.#expectations.sent(line);
		const ping = Buffer.from(`{"jsonrpc":"2.0","id":"alive ${this.#pings++}","method":"ping"}`);
		this.#expectations.sent(ping);
		const ends = ['\n', '\n', '\r\n', '\n\n', '\r\n \r\n\t\n'];
		const bytes = Buffer.concat([...lines, ping].flatMap((line) => [line, Buffer.from(random.pick(ends))]));
		for (const chunk of chunks(bytes, random)) {
			this.#broker.stdin.write(chunk);
			// Else they go out as one.
			if (random.chance(0.3)) await new Promise(setImmediate);
		}
		await this.#until(() => this.#expectations.areMet);
		if (this.#isClosed) this.#faults.push('the broker has ended');
		else if (!this.#expectations.areMet) this.#faults.push(this.#expectations.fault ?? 'no answer');
		return this.#faults.splice(0);
	}

	/** Ends the input. @returns what did not hold until then */
	async finish(): Promise<string[]> {
		this.#broker.stdin.end();
		await this.#until(() => this.#isClosed);
		if (!this.#isClosed) return [...this.#faults, 'the broker does not end'];
		await this.#closed;
		const { exitCode } = this.#broker;
		if (exitCode !== 0) this.#faults.push(`the broker ended with ${exitCode ?? this.#broker.signalCode}`);
		if (this.#partial !== '') this.#faults.push('the last line is cut off');
		const { fault } = this.#expectations;
		return fault === undefined ? this.#faults : [...this.#faults, fault];
	}

	get isOver(): boolean {
		return this.#isClosed;
	}

	#came(text: string): void {
		const lines = (this.#partial + text).split('\n');
		this.#partial = lines.pop() ?? '';
		for (const line of lines) {
			const fault = this.#expectations.came(line);
			if (fault !== undefined) this.#faults.push(fault);
			if (this.#secrets.some((secret) => line.includes(secret))) this.#faults.push('something of the user is told');
		}
		this.#wake();
	}

	/** On standard error. A piece of it can end anywhere; over so many, that hides nothing. */
	#told(text: string): void {
		if (text.includes('internal_error')) this.#faults.push('the broker tells of an error that it did not foresee');
		if (this.#secrets.some((secret) => text.includes(secret))) this.#faults.push('something of the user is logged');
	}

	async #until(isMet: () => boolean): Promise<void> {
		const over = AbortSignal.timeout(PATIENCE);
		while (!isMet() && !this.#isClosed && !over.aborted) {
			const woken = new AbortController();
			this.#wake = () => woken.abort();
			await delay(PATIENCE, undefined, { signal: AbortSignal.any([over, woken.signal]) }).catch(() => {});
		}
	}
}

/** The bytes in one piece, in several, or at the start one by one. */
function chunks(bytes: Buffer, random: Random): Buffer[] {
	const count = random.pick([1, 5, 50]);
	const ends = new Set(Array.from({ length: count }, () => random.below(bytes.length)));
	if (random.chance(0.2)) for (let end = 1; end < 200; end++) ends.add(end);
	const sorted = [...ends, bytes.length].sort((a, b) => a - b);
	return sorted.map((end, index) => bytes.subarray(sorted[index - 1] ?? 0, end));
}
