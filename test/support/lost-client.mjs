/**
 * A client for orphans.long.test.ts to kill. It starts the broker, and passes on its own input and the broker's answers.
 *
 *     lost-client.mjs pipe <program> <argument>...         the broker's input is a pipe that only this client holds
 *     lost-client.mjs fifo:<path> <program> <argument>...  a FIFO, which others can hold open
 *     lost-client.mjs fork:<path> <program> <argument>...  the same; a shell in between ends before the broker starts
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

const BESIDE = 'fifo="$1"; shift; exec "$@" <"$fifo"';
const FORK = `(sleep 0.1; ${BESIDE}) & exit`;

const [way = '', ...command] = process.argv.slice(2);
const [kind = '', fifo = ''] = way.split(':');
const [program = '', ...args] =
	kind === 'pipe' ? command : ['sh', '-c', kind === 'fork' ? FORK : BESIDE, 'sh', fifo, ...command];
const broker = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
broker.stdout?.pipe(process.stdout);
const input = kind === 'pipe' ? broker.stdin : createWriteStream(fifo);
if (input !== null) process.stdin.pipe(input);
