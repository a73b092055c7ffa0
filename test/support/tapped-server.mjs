// Runs an MCP server on standard input and output, and logs each line that it prints.
// Arguments: the log file, then the command.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

const [log = '', program = '', ...args] = process.argv.slice(2);
const server = spawn(program, args, { stdio: ['inherit', 'pipe', 'inherit'] });
server.stdout.pipe(process.stdout);
server.stdout.pipe(createWriteStream(log, { flags: 'a' }));
server.on('exit', (code) => process.exit(code ?? 1));
process.on('SIGTERM', () => server.kill());
