import { expect, test } from 'vitest';
import {
	createRecording,
	freePort,
	listen,
	loadPrivate,
	outcome,
	startBrokerWith,
	stdio,
} from '../../support/servers.ts';

/** In a file of its own: it waits for a minute, beside the others. */
test('by default an answer after 40 seconds comes, one that never does is given up, and nobody else waits', async () => {
	const [slow, overHttp] = [await createRecording(), await createRecording()];
	const [mute, quick] = [await createRecording(), await createRecording()];
	const port = await freePort();
	await listen(overHttp, port);
	const broker = await startBrokerWith({
		slow: stdio(slow),
		http: `url = "http://127.0.0.1:${port}/mcp"\n`,
		mute: `${stdio(mute)}env.UNANSWERED = "tools/call"\n`,
		quick: stdio(quick),
	});
	const ended: string[] = [];
	const note = async (name: string, answer: Promise<string | undefined>) => {
		const text = await answer;
		ended.push(name);
		return text;
	};
	const late = { steps: 1, ms: 40_000 };
	const calls = [
		note('late', outcome(broker, 'slow__slow', late)),
		note('late', outcome(broker, 'http__slow', late)),
		note('never', outcome(broker, 'mute__echo')),
		note('at once', outcome(broker, 'quick__echo')),
		note('at once', outcome(broker, 'slow__echo')),
		note(
			'at once',
			loadPrivate(broker).then(({ result }) => JSON.stringify(result)),
		),
	];
	expect(await Promise.all(calls)).toEqual([
		'slept',
		'slept',
		'upstream_timeout',
		'{}',
		'{}',
		expect.stringContaining('Jane'),
	]);
	expect(ended).toEqual(['at once', 'at once', 'at once', 'late', 'late', 'never']);
	// Neither is repeated, and the one that was given up is called off.
	expect([await slow.calls(), await overHttp.calls(), await mute.calls()]).toEqual([2, 1, 0]);
	expect((await mute.lines()).filter((line) => line.startsWith('cancelled'))).toHaveLength(1);
});
