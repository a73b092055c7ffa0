import { BrokerError } from './errors.ts';

/** Ignores write errors: a full disk must not stop the broker. Done here, since creating the stream slows the start. */
export function print(text: string): void {
	if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
	process.stderr.write(text);
}

/** @param sentence without paths of the map, keys and content */
export function warn(sentence: string): void {
	print(`context-broker: ${sentence}\n`);
}

export function report({ code, message, note }: Pick<BrokerError, 'code' | 'message'> & Partial<BrokerError>): void {
	warn(`${code}: ${message}${note === undefined ? '' : ` ${note}.`}`);
}

export function reportThrown(thrown: unknown): void {
	report(BrokerError.from(thrown));
}
