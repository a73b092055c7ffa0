/** Input that arrived while the run-time was made ready; put back for the broker to read. */
export class HeldInput {
	/**
	 * @param {NodeJS.ReadStream} stdin
	 * @param {() => void} onEnd the client is gone
	 */
	constructor(stdin, onEnd) {
		this.stdin = stdin;
		/** @type {Buffer[]} */
		this.chunks = [];
		/** @param {Buffer} chunk */
		this.onData = (chunk) => void this.chunks.push(chunk);
		this.onEnd = onEnd;
		stdin.on('data', this.onData).on('end', onEnd).on('error', onEnd);
	}

	giveBack() {
		this.stdin.pause();
		this.stdin.off('data', this.onData).off('end', this.onEnd).off('error', this.onEnd);
		if (this.chunks.length > 0) this.stdin.unshift(Buffer.concat(this.chunks));
	}
}
