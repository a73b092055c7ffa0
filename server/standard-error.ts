import { BrokerError } from './errors.ts';

/**
 * On standard error. What nobody reads, or what finds the disk full, must not end a broker that somebody waits for. The
 * stream is touched only here, since to make it takes a part of the start.
 */
export function print(text: string): void {
	if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
	process.stderr.write(text);
}

/** What a person should know. @param sentence without the name of a key, and without content */
export function warn(sentence: string): void {
	print(`context-broker: ${sentence}\n`);
}

/** An error in one line: no path from the map, no key, no content. */
export function report({ code, message, note }: Pick<BrokerError, 'code' | 'message'> & Partial<BrokerError>): void {
	warn(`${code}: ${message}${note === undefined ? '' : ` ${note}.`}`);
}

/** The same of whatever was thrown. */
export function reportThrown(thrown: unknown): void {
	report(BrokerError.from(thrown));
}
