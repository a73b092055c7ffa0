import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import type { Row, Run } from '../row.ts';
import { endBroker, prepareBroker, spawnBroker } from '../support/broker.ts';
import { withFolder } from '../support/folder.ts';
import { Lines } from './hostile-protocol/lines.ts';
import { Session } from './hostile-protocol/session.ts';

/** So many messages, then another broker gets the next ones. */
const OF_ONE_BROKER = 250;

/** At most so many are sent together. */
const OF_ONE_BATCH = 60;

/** The user's own: a key, names of files and folders, content. */
const KEY = 'vqx-key-marker-7731';
const SECRETS = [KEY, 'wzk-other-marker', 'jfh-file-marker', 'pgd-content-marker', 'context-broker-torture-'];

/** The clients that the broker tells apart. */
const CLIENTS = [
	{ name: 'torture', version: '1.0.0' },
	{ name: 'claude-code', version: '2.1.332' },
] as const;

/** Real brokers over stdio. */
export const hostileProtocol: Row = {
	name: 'hostile protocol input',
	holds: 'the right answer or silence, no leak, alive',
	full: 10_000,
	short: 1_500,
	seconds: [90, 20],
	run: async (run) => {
		await withFolder(async (folder) => {
			const [home, data] = [join(folder, 'home'), join(folder, 'data')];
			mkdirSync(data);
			writeMap(home);
			await prepareBroker(data);
			for (let first = 0; first < run.count && !run.isLate(); first += OF_ONE_BROKER) {
				const broker = spawnBroker(home, data);
				try {
					await talk(run, new Session(broker, SECRETS), first);
				} finally {
					await endBroker(broker);
				}
			}
		});
	},
};

function writeMap(home: string): void {
	const folder = join(home, '.config', 'context-broker');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'jfh-file-marker.md'), '# pgd-content-marker\n- Jane Doe, pgd-content-marker\n');
	const map = `[keys]\n${KEY} = "jfh-file-marker.md"\n[keys.wzk-other-marker]\npath = "jfh-file-marker.md"\nagents = ["none"]\n`;
	writeFileSync(join(folder, 'context-map.toml'), map);
}

async function talk(run: Run, session: Session, first: number): Promise<void> {
	const random = run.random(first);
	const lines = new Lines(random, SECRETS);
	const number = first / OF_ONE_BROKER;
	const client = number % 2 === 0 ? CLIENTS[0] : CLIENTS[1];
	let sent = 0;
	// Who has asked for a key before any introduction stays one who may be Claude Code.
	const isIntroducedFirst = number % 4 < 2;
	const wanted = Math.min(OF_ONE_BROKER, run.count - first);
	while (sent < wanted && !session.isOver && !run.isLate()) {
		const batch = Array.from({ length: Math.min(1 + random.below(OF_ONE_BATCH), wanted - sent) }, () => lines.next());
		if (sent === 0 && isIntroducedFirst) batch[0] = introduction(client, random);
		else if (sent > 0 && random.chance(0.3)) batch.splice(random.below(batch.length), 1, introduction(client, random));
		for (const fault of await session.send(batch, random)) run.fail(first + sent, fault);
		sent += batch.length;
		run.tried(batch.length);
	}
	for (const fault of await session.finish()) run.fail(first + sent, fault);
}

function introduction(clientInfo: object, random: Random): Buffer {
	const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
	const id = `introduction ${random.below(2 ** 31)}`;
	return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }));
}
