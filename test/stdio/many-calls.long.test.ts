import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { residentOf } from '../bench/resident.mjs';
import { callRequest, conversation, guardRequest, initializeAs, outcomeOf, startBroker } from '../support/broker.ts';
import { random } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { createUser } from '../support/user.ts';

/** Agents of a session, who load again and again. */
const AGENTS = 20;

/** Megabytes that the second half may add. */
const MOST_GROWTH = 5;

/** Calls until the process has grown to what it works with. */
const WARM_UP = 10_000;

/** If memory grows, so many tenths at most: what V8 has not cleared away yet passes, a leak stays. */
const MOST_PARTS = 16;

/** A load of private data writes its mark to the disk and waits for it; most of these calls are to test the broker, not that. */
const MAP = '[keys]\nprivate = "k.md"\n[keys.open]\npath = "k.md"\nprivate = false\n';
const PRIVATE = 0.02;

const CONTENT = `# Entries\n\n${Array.from({ length: 60 }, (_, n) => `- Zuri Quell${n}, +1 555 ${1_000_000 + n}`).join('\n')}\n`;

test.skipIf(process.platform !== 'linux')(
	'with many calls, of which those with an approval are answered and no others, memory does not grow',
	async () => {
		const user = await createUser();
		await user.write('k.md', CONTENT);
		await user.writeMap(MAP);
		const broker = startBroker(user.home, { CLAUDE_CODE_SESSION_ID: 's1' });
		const { ask, received } = conversation(broker);
		const request = ({ method, params }: ReturnType<typeof callRequest>) => ask(method, params);
		await ask('initialize', initializeAs('claude-code', '2.1.332').params);
		const next = random(1);
		let uses = 0;

		/** @returns the least that the process held at one of several moments: V8 clears away when it likes */
		const make = async (count: number) => {
			let memory = Number.POSITIVE_INFINITY;
			for (let n = 0; n < count; n++) {
				const use = `toolu_${uses++}`;
				const isApproved = next() < 0.8;
				const key = next() < PRIVATE ? 'private' : 'open';
				const agent_id = `a${Math.floor(next() * AGENTS)}`;
				if (isApproved) await request(guardRequest(0, use, key, { session_id: 's1', agent_id }));
				const given = outcomeOf(await request(callRequest(0, 'load_context', { key }, use)));
				if (given !== (isApproved ? CONTENT : 'caller_unverified')) expect.fail(`${use} is answered with ${given}`);
				if (n % 100 !== 0) continue;
				memory = Math.min(memory, residentOf(broker.process.pid ?? 0));
				received.splice(0);
			}
			await delay(300);
			return Math.min(memory, residentOf(broker.process.pid ?? 0));
		};

		await make(WARM_UP);
		const parts: number[] = [];
		const growth = () => Math.min(...parts.slice(-3)) - Math.min(...parts.slice(2, 5));
		while (parts.length < 10 || (growth() > MOST_GROWTH && parts.length < MOST_PARTS)) {
			parts.push(await make(runs(1_000)));
		}
		expect(growth()).toBeLessThanOrEqual(MOST_GROWTH);
	},
);
