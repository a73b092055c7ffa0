import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LOAD_CONTEXT } from '../../server/claude-code/tools.ts';
import { INITIALIZE, initializeAs, startBroker } from '../support/broker.ts';
import { runs } from '../support/runs.ts';
import { createUser } from '../support/user.ts';
import { Expectations } from './expectations.ts';

/** The user's own: a key, names of files and folders, content. Their temporary folder stands for its path. */
const KEY = 'vqx-key-marker-7731';
const SECRETS = [KEY, 'wzk-other-marker', 'jfh-file-marker', 'pgd-content-marker'];

/** Any value, as JSON. */
const VALUES = [
	...['null', 'true', 'false', '0', '-0', '1.5', '1e400', '-1e-400', '9007199254740993', '"2.0"', '""', '[]', '{}'],
	...['"\\u0000"', '"\\ud800"', '"__proto__"', '"\u2028"', '"load_context"', '{"key":"x"}', '{"__proto__":null}'],
];
const NAMES = [
	...[
		'key',
		'name',
		'arguments',
		'_meta',
		'id',
		'method',
		'params',
		'__proto__',
		'constructor',
		'toString',
		'',
		'then',
	],
	...['hook_event_name', 'tool_name', 'tool_input', 'agent_id', 'session_id', 'transcript_path'],
];
const UNKNOWN = [
	...[
		'',
		' ',
		'*',
		'keys',
		'__proto__',
		'constructor',
		'toString',
		'hasOwnProperty',
		'then',
		'Ping',
		'ping ',
		'tools/',
	],
	...[
		'rpc.discover',
		'prompts/list',
		'resources/read',
		'logging/setLevel',
		'completion/complete',
		'\0',
		'\n',
		'\ud800',
	],
	...[
		'sampling/createMessage',
		'\u202e',
		'é',
		'../../etc/passwd',
		'~/.config/context-broker/context-map.toml',
		'$HOME',
	],
];
const TOOLS = [
	'"guard"',
	'"run_shell_command"',
	'"__proto__"',
	'"constructor"',
	'""',
	'"Load_Context"',
	'5',
	'null',
	'{}',
];
const METAS = [
	...['{}', 'null', '5', '"x"', '[]', '{"progressToken":1}', '{"progressToken":{}}', '{"progressToken":null}'],
	...['{"claudecode/toolUseId":"toolu_1"}', '{"claudecode/toolUseId":5}', '{"__proto__":{"progressToken":1}}'],
];
/** What can not be an id, at least not one that JavaScript keeps. */
const NO_IDS = ['null', '1.5', 'true', '{}', '[]', '[1]', '9007199254740993', '1e400', '-1e308', '{"toString":1}'];
/** The number of the line stands for `#`. */
const IDS = ['#', '-#', '"#"', '"é€😀 é€😀 #"', '"é\\u0000\\ud800 #"', '#.0', '#e3', '"__proto__#"'];
const NO_MESSAGES = [
	...['', ' ', '\t', '\r', '\0', 'null', 'true', '5', '"text"', '[]', '{}', '[[]]', '[1,2]', '{', '}', '"', '\ufeff{}'],
	...['{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"result":{}}', '\u0085', '\u2028'],
	...['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', '{"jsonrpc":"2.0","id":1,"result":5}', '{"a":1,}'],
	...['{"jsonrpc":"2.0","id":null,"error":{}}', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 'GET / HTTP/1.1', 'NaN'],
	...['Content-Length: 52', "{'jsonrpc':'2.0'}", '// {}', 'undefined'],
];
const DAMAGE = [
	...[[0], [0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [13], [34], [92], [123], [125], [44]],
	[0xef, 0xbb, 0xbf],
];

const { value } = fc.letrec<{ value: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, depthSize: 'small' },
		{ arbitrary: fc.constantFrom(...VALUES), weight: 4 },
		fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`),
		fc
			.array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 3 })
			.map((fields) => `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${each}`).join(',')}}`),
	),
}));
/** Mostly one that was not there before, else one of the lines before, or none at all; as JSON. */
const id = fc.oneof(
	{ arbitrary: fc.constantFrom(...IDS), weight: 18 },
	{ arbitrary: fc.constantFrom(...NO_IDS), weight: 1 },
	{
		arbitrary: fc.tuple(fc.constantFrom(...IDS), fc.nat(3)).map(([pattern, back]) => pattern.replace('#', `#${back}`)),
		weight: 1,
	},
);
const earlier = fc.oneof(
	{
		arbitrary: fc.tuple(fc.constantFrom(...IDS), fc.nat(3)).map(([pattern, back]) => pattern.replace('#', `#${back}`)),
		weight: 9,
	},
	fc.constantFrom(...NO_IDS),
);
/** A key that is none: without its last character, no change of a line makes a real one of it. */
const key = fc.oneof(
	fc
		.tuple(
			fc.constantFrom(...SECRETS).map((secret) => secret.slice(0, -1)),
			fc.constantFrom(
				(k: string) => k,
				(k: string) => `${k} `,
				(k: string) => k.toUpperCase(),
				(k: string) => `keys.${k}`,
				(k: string) => `\u200b${k}\0`,
			),
		)
		.map(([secret, near]) => JSON.stringify(near(secret))),
	fc.constantFrom(...UNKNOWN).map((text) => JSON.stringify(text)),
	value,
);
/** What Claude Code asks the guard, or nearly. */
const hookEvent = fc
	.record(
		{
			hook_event_name: fc.constantFrom('PreToolUse', 'PostToolUse', 'SubagentStop', 'UserPromptSubmit', '__proto__'),
			tool_name: fc.constantFrom('Read', 'Bash', 'Agent', 'WebFetch', LOAD_CONTEXT, 'mcp__none__tool', 'toString'),
			tool_use_id: fc.constantFrom('toolu_1', 'toolu_2', '../x', '\0'),
			agent_id: fc.constantFrom('', 'a1', '../../x', '__proto__', 'a'.repeat(300)),
			agent_type: fc.constantFrom('', 'context-broker:privacy-scanner', 'none', '__proto__'),
			session_id: fc.constantFrom('', 's1', '../../x', '\0', 's'.repeat(300)),
			transcript_path: fc.constantFrom('', '/none/x.jsonl', 'x', '\0'),
			tool_input: fc.oneof(
				key.map((own) => `{"key":${own}}`),
				value,
				fc.constantFrom('{', '{"file_path":"/etc/x"}'),
			),
			last_assistant_message: fc.constantFrom(...UNKNOWN),
			prompt: fc.constantFrom(...UNKNOWN),
		},
		{ requiredKeys: ['hook_event_name'] },
	)
	.map((event) => JSON.stringify(event));
const params = fc.oneof(
	{
		arbitrary: fc
			.tuple(key, fc.constantFrom('', ...METAS))
			.map(([own, meta]) => `{"name":"load_context","arguments":{"key":${own}}${meta && `,"_meta":${meta}`}}`),
		weight: 4,
	},
	{ arbitrary: hookEvent.map((event) => `{"name":"guard","arguments":${event}}`), weight: 1 },
	{
		arbitrary: fc
			.tuple(fc.constantFrom('"load_context"', ...TOOLS), value)
			.map(([name, input]) => `{"name":${name},"arguments":${input}}`),
		weight: 2,
	},
	{ arbitrary: value, weight: 1 },
);
const introduction = fc
	.constantFrom(initializeAs('claude-code', '2.1.332'), INITIALIZE)
	.map(({ params }) => JSON.stringify(params));
/** Method and parameters. */
const call = fc.oneof(
	{ arbitrary: params.map((each) => `"method":"tools/call","params":${each}`), weight: 4 },
	{
		arbitrary: fc
			.tuple(fc.constantFrom('ping', 'tools/list', 'initialize', ...UNKNOWN), fc.oneof(fc.constant(''), value))
			.map(([method, more]) => `"method":${JSON.stringify(method)}${more && `,"params":${more}`}`),
		weight: 4,
	},
	{ arbitrary: introduction.map((each) => `"method":"initialize","params":${each}`), weight: 1 },
);
const request = fc.tuple(id, call).map(([own, each]) => `{"jsonrpc":"2.0","id":${own},${each}}`);
const cancelled = fc
	.tuple(earlier, fc.option(value))
	.map(
		([of, reason]) =>
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${of}${reason === null ? '' : `,"reason":${reason}`}}}`,
	);
const notification = fc.oneof(
	call.map((each) => `{"jsonrpc":"2.0",${each}}`),
	fc
		.constantFrom('initialized', 'progress', 'roots/list_changed', 'none', '__proto__')
		.map((name) => `{"jsonrpc":"2.0","method":"notifications/${name}"}`),
);
/** Nearly a request: fields are missing, twice there, or of another kind. */
const odd = fc
	.tuple(
		fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 }),
		fc.constantFrom('"2.0"', '"2.0"', '"1.0"', '2.0', 'null'),
		id,
		fc.oneof(
			call,
			value.map((each) => `"method":${each}`),
		),
		fc.tuple(fc.constantFrom('result', 'error', 'params', 'id', '__proto__'), value),
	)
	.map(([order, version, own, each, [name, more]]) => {
		const fields = [`"jsonrpc":${version}`, `"id":${own}`, each, `"${name}":${more}`];
		return `{${order.map((at) => fields[at]).join(',')}}`;
	});
const deep = fc
	.tuple(
		fc.constantFrom(100, 1_000, 10_000, 100_000),
		fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"__proto__":', '}'], ['[', '']),
		fc.nat(5),
	)
	.map(([depth, [open = '', close = ''], at]) => {
		const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
		return [
			nested,
			...['load_context', 'guard'].map(
				(name) =>
					`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"${name}","arguments":{"key":${nested}}}}`,
			),
			`{"jsonrpc":"2.0","id":#,"method":"initialize","params":${nested}}`,
			`{"jsonrpc":"2.0","id":#,"method":"ping","params":{"_meta":{"progressToken":${nested}}}}`,
			`{"jsonrpc":"2.0","id":${nested},"method":"ping"}`,
		][at] as string;
	});
/** Some megabytes. */
const huge = fc
	.tuple(fc.constantFrom('k', 'é', ' ', '\\u0000', '\\\\'), fc.integer({ min: 500_000, max: 2_500_000 }), fc.nat(3))
	.map(([piece, count, at]) => {
		const long = piece.repeat(count);
		return [
			`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"load_context","arguments":{"key":"${long}"}}}`,
			`{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"${long}"}}`,
			`{"jsonrpc":"2.0","id":#,"method":"${long}"}`,
			long,
		][at] as string;
	});

/** A line without its end, by its number. */
type Line = (number: number) => Buffer;

const withNumber =
	(line: string): Line =>
	(number) =>
		Buffer.from(line.replaceAll(/#(\d?)/g, (_, back: string) => String(number - Number(back))));
const spoilt = fc.tuple(request, fc.nat(), fc.nat(5), fc.constantFrom([], ...DAMAGE)).map(
	([line, any, left, damage]): Line =>
		(number) => {
			const whole = withNumber(line)(number);
			const at = any % (whole.length + 1);
			return Buffer.concat([whole.subarray(0, at), Buffer.from(damage), whole.subarray(at + left)]);
		},
);
const noise = fc.uint8Array({ maxLength: 200 }).map(
	(bytes): Line =>
		() =>
			Buffer.from(bytes.filter((byte) => byte !== 10)),
);
const line = fc.oneof(
	{ arbitrary: request.map(withNumber), weight: 40 },
	{ arbitrary: cancelled.map(withNumber), weight: 15 },
	{ arbitrary: notification.map(withNumber), weight: 10 },
	{ arbitrary: spoilt, weight: 15 },
	{ arbitrary: fc.constantFrom(...NO_MESSAGES).map(withNumber), weight: 10 },
	{ arbitrary: odd.map(withNumber), weight: 4 },
	{ arbitrary: deep.map(withNumber), weight: 3 },
	{ arbitrary: noise, weight: 3 },
);

const session = fc.record({
	/** Who has asked for a key before any introduction stays one who may be Claude Code. */
	first: fc.option(
		introduction.map((each) => withNumber(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":${each}}`)),
		{ nil: undefined },
	),
	lines: fc.array(line, { minLength: 20, maxLength: 120, size: 'max' }),
	large: fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, huge.map(withNumber)),
	ends: fc.array(fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\r\n \r\n\t\n'), { minLength: 10, maxLength: 10 }),
	/** Where the bytes are cut into pieces. */
	cuts: fc.array(fc.nat(), { maxLength: 50 }),
});

test('whatever a client sends, each request has its answer and nothing else has one, and nothing of the user is told', async () => {
	const user = await createUser();
	await user.write('jfh-file-marker.md', '# pgd-content-marker\n- Jane Doe, pgd-content-marker\n');
	await user.writeMap(
		`[keys]\n${KEY} = "jfh-file-marker.md"\n[keys.wzk-other-marker]\npath = "jfh-file-marker.md"\nagents = ["none"]\n`,
	);
	await fc.assert(
		fc.asyncProperty(session, async ({ first, lines, large, ends, cuts }) => {
			const broker = startBroker(user.home);
			const expectations = new Expectations();
			// A broker that has ended is told by its exit.
			broker.process.stdin.on('error', () => {});
			let [output, partial] = ['', ''];
			const faults: string[] = [];
			broker.process.stdout.on('data', (text: string) => {
				output += text;
				const answers = (partial + text).split('\n');
				partial = answers.pop() ?? '';
				for (const answer of answers) {
					const fault = expectations.came(answer);
					if (fault !== undefined) faults.push(`${fault}: ${answer.slice(0, 200)}`);
				}
			});
			const all = [...(first ? [first] : []), ...lines, ...(large ? [large] : [])].map((each, at) => each(at + 10));
			for (const each of all) expectations.sent(each);
			const bytes = Buffer.concat(all.flatMap((each, at) => [each, Buffer.from(ends[at % ends.length] ?? '\n')]));
			const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
			for (const [at, place] of places.slice(1).entries()) {
				broker.send(bytes.subarray(places[at], place));
				// Else they go out as one.
				await new Promise(setImmediate);
			}
			// At its end it has a second and a half for what is still to be answered.
			await expect.poll(() => expectations.areMet || broker.process.exitCode !== null, { interval: 5 }).toBe(true);
			const { code, errors } = await broker.finish();
			expect([...faults, expectations.fault, partial]).toEqual([undefined, '']);
			expect(code).toBe(0);
			expect(errors).not.toContain('internal_error');
			for (const secret of [...SECRETS, user.home]) expect(output + errors).not.toContain(secret);
		}),
		// Each of the sessions that it would shrink to takes half a second.
		{ numRuns: runs(20), endOnFailure: true },
	);
});
