import { BrokerError } from './errors.ts';

/** Errors are ignored: a full disk must not stop the broker. Only here, since making the stream delays the start. */
export function print(text: string): void {
	if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
	process.stderr.write(text);
}

/** Without paths of the map, keys and content. */
export function warn(sentence: string): void {
	print(`context-broker: ${sentence}\n`);
}

export function report({ code, message, note }: Pick<BrokerError, 'code' | 'message'> & Partial<BrokerError>): void {
	warn(`${code}: ${message}${note === undefined ? '' : ` ${note}.`}`);
}

export function reportThrown(thrown: unknown): void {
	report(BrokerError.from(thrown));
}
