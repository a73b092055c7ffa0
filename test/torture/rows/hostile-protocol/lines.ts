import type { Random } from '../../random.ts';

/** Makes lines, whole or broken. */
export class Lines {
	readonly #random: Random;
	/** Pieces of what the user has written: the broker must not repeat them. */
	readonly #secrets: readonly string[];
	#number = 0;
	/** The ids of late. */
	#ids: string[] = [];

	constructor(random: Random, secrets: readonly string[]) {
		this.#random = random;
		this.#secrets = secrets;
	}

	/** A line without its end. */
	next(): Buffer {
		const random = this.#random;
		const kind = random.below(100);
		if (kind < 40) return Buffer.from(this.#request());
		if (kind < 55) return Buffer.from(this.#cancelled(), 'utf8');
		if (kind < 65) return Buffer.from(this.#notification());
		if (kind < 80) return this.#spoilt(Buffer.from(this.#request()));
		if (kind < 90) return Buffer.from(random.pick(NO_MESSAGES));
		if (kind < 94) return Buffer.from(this.#oddEnvelope());
		if (kind < 97) return Buffer.from(this.#deep());
		return kind === 99 && random.chance(0.3) ? this.#huge() : this.#noise();
	}

	#request(): string {
		return `{"jsonrpc":"2.0","id":${this.#id()},${this.#call()}}`;
	}

	/** Method and parameters. */
	#call(): string {
		const random = this.#random;
		const kind = random.below(10);
		if (kind < 4) return `"method":"tools/call","params":${this.#callParams()}`;
		const method = random.pick(kind < 8 ? KNOWN : UNKNOWN);
		const params = random.chance(0.5) ? '' : `,"params":${random.chance(0.3) ? INTRODUCTION : this.#value()}`;
		return `"method":${JSON.stringify(method)}${params}`;
	}

	#callParams(): string {
		const random = this.#random;
		if (random.chance(0.15)) return `{"name":"guard","arguments":${this.#hookEvent()}}`;
		const name = random.chance(0.6) ? '"load_context"' : random.pick(TOOLS);
		const input = random.chance(0.7) ? `{"key":${this.#key()}}` : this.#value();
		const meta = random.chance(0.2) ? `,"_meta":${random.pick(METAS)}` : '';
		if (random.chance(0.1)) return this.#value();
		return random.chance(0.9) ? `{"name":${name},"arguments":${input}${meta}}` : `{"name":${name}${meta}}`;
	}

	/** What Claude Code asks the guard, or nearly, as JSON. */
	#hookEvent(): string {
		const random = this.#random;
		const input = random.pick([
			`{"key":${this.#key()}}`,
			this.#value(),
			'{',
			`{"file_path":"/etc/${random.pick(NAMES)}"}`,
		]);
		const fields = {
			hook_event_name: random.pick(['PreToolUse', 'PostToolUse', 'SubagentStop', 'UserPromptSubmit', '__proto__']),
			tool_name: random.pick(['Read', 'Bash', 'Agent', 'WebFetch', LOAD_CONTEXT, 'mcp__none__tool', 'toString']),
			tool_use_id: random.pick(['toolu_1', 'toolu_2', '../x', '\0']),
			agent_id: random.pick(['', 'a1', '../../x', '__proto__', 'a'.repeat(300)]),
			agent_type: random.pick(['', 'context-broker:privacy-scanner', 'none', '__proto__']),
			session_id: random.pick(['', 's1', '../../x', '\0', 's'.repeat(300)]),
			transcript_path: random.pick(['', '/none/x.jsonl', 'x', '\0']),
			tool_input: input,
			last_assistant_message: random.pick(UNKNOWN),
			prompt: random.pick(UNKNOWN),
		};
		const kept = random.shuffled(Object.entries(fields)).slice(random.pick([0, 0, 0, 1, 5]));
		return JSON.stringify(Object.fromEntries(kept));
	}

	/** A key that is none, as JSON. */
	#key(): string {
		const random = this.#random;
		// Without its last character: no change of a line makes a real one of it.
		const secret = random.pick(this.#secrets).slice(0, -1);
		const near = [secret, `${secret} `, secret.toUpperCase(), `${secret}\0`, `keys.${secret}`, `\u200b${secret}`];
		if (random.chance(0.4)) return JSON.stringify(random.pick(near));
		return random.chance(0.7) ? JSON.stringify(random.pick(UNKNOWN)) : this.#value();
	}

	/** Any value, as JSON. */
	#value(depth = 0): string {
		const random = this.#random;
		if (depth > 4 || random.chance(0.5)) return random.pick(VALUES);
		const parts = Array.from({ length: random.below(4) }, () => this.#value(depth + 1));
		if (random.chance(0.3)) return `[${parts.join(',')}]`;
		return `{${parts.map((part) => `${JSON.stringify(random.pick(NAMES))}:${part}`).join(',')}}`;
	}

	/** An id that was not there before, or now and then one that was, or none at all; as JSON. */
	#id(): string {
		const random = this.#random;
		if (random.chance(0.05)) return random.pick(NO_IDS);
		if (random.chance(0.05) && this.#ids.length > 0) return random.pick(this.#ids);
		this.#number += 1;
		const number = this.#number;
		const id = random.pick([
			`${number}`,
			`-${number}`,
			`"${number}"`,
			`"é€😀 é€😀 ${number}"`,
			`"é\\u0000\\ud800 ${number}"`,
			`${number}.0`,
			`${number}e3`,
			`"__proto__${number}"`,
		]);
		this.#ids = [...this.#ids.slice(-20), id];
		return id;
	}

	#cancelled(): string {
		const random = this.#random;
		const id = random.chance(0.9) && this.#ids.length > 0 ? random.pick(this.#ids) : random.pick(NO_IDS);
		const rest = random.chance(0.3) ? `,"reason":${this.#value()}` : '';
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}${rest}}}`;
	}

	#notification(): string {
		const random = this.#random;
		if (random.chance(0.5)) return `{"jsonrpc":"2.0",${this.#call()}}`;
		const method = random.pick(['initialized', 'progress', 'roots/list_changed', 'message', 'none', '__proto__']);
		return `{"jsonrpc":"2.0","method":"notifications/${method}"}`;
	}

	/** Nearly a request: fields are missing, twice there, or of another kind. */
	#oddEnvelope(): string {
		const random = this.#random;
		const fields = [
			`"jsonrpc":${random.pick(['"2.0"', '"2.0"', '"1.0"', '2.0', 'null'])}`,
			`"id":${this.#id()}`,
			random.chance(0.7) ? this.#call() : `"method":${this.#value()}`,
			`"${random.pick(['result', 'error', 'params', 'id', '__proto__'])}":${this.#value()}`,
		];
		const kept = random.shuffled(fields).slice(random.below(3));
		return random.chance(0.1) ? `[{${kept.join(',')}}]` : `{${kept.join(',')}}`;
	}

	#deep(): string {
		const random = this.#random;
		const depth = random.pick([100, 1_000, 10_000, 100_000]);
		const [open, close] = random.pick([
			['[', ']'],
			['{"a":', '}'],
			['{"__proto__":', '}'],
		] as const);
		const deep = `${open.repeat(depth)}1${random.chance(0.8) ? close.repeat(depth) : ''}`;
		const input = random.pick([`{"key":${deep}}`, `{"key":"x","more":${deep}}`, deep]);
		return random.pick([
			deep,
			`{"jsonrpc":"2.0","id":${this.#id()},"method":"tools/call","params":{"name":"load_context","arguments":${input}}}`,
			`{"jsonrpc":"2.0","id":${this.#id()},"method":"tools/call","params":{"name":"guard","arguments":${input}}}`,
			`{"jsonrpc":"2.0","id":${this.#id()},"method":"initialize","params":${deep}}`,
			`{"jsonrpc":"2.0","id":${this.#id()},"method":"ping","params":{"_meta":{"progressToken":${deep}}}}`,
			`{"jsonrpc":"2.0","id":${deep},"method":"ping"}`,
		]);
	}

	/** Some megabytes. */
	#huge(): Buffer {
		const random = this.#random;
		const long = random.pick(['k', 'é', ' ', '\\u0000', '\\\\']).repeat(500_000 + random.below(2_000_000));
		return Buffer.from(
			random.pick([
				`{"jsonrpc":"2.0","id":${this.#id()},"method":"tools/call","params":{"name":"load_context","arguments":{"key":"${long}"}}}`,
				`{"jsonrpc":"2.0","id":${this.#id()},"method":"tools/call","params":{"name":"${long}"}}`,
				`{"jsonrpc":"2.0","id":${this.#id()},"method":"${long}"}`,
				long,
			]),
		);
	}

	/** Changes some bytes of a line; it stays one. */
	#spoilt(line: Buffer): Buffer {
		const random = this.#random;
		const at = random.below(line.length + 1);
		const parts = random.pick([
			[line.subarray(0, at)],
			[line.subarray(0, at), line.subarray(at + 1 + random.below(5))],
			[line.subarray(0, at), Buffer.from(random.pick(DAMAGE)), line.subarray(at)],
			[line, line.subarray(at)],
		]);
		return withoutEnds(Buffer.concat(parts));
	}

	#noise(): Buffer {
		return withoutEnds(Buffer.from(Array.from({ length: this.#random.below(200) }, () => this.#random.below(256))));
	}
}

function withoutEnds(line: Buffer): Buffer {
	return Buffer.from(line.filter((byte) => byte !== 10));
}

const LOAD_CONTEXT = 'mcp__plugin_context-broker_broker__load_context';

const INTRODUCTION =
	'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"torture","version":"1.0.0"}}';

const KNOWN = ['ping', 'ping', 'tools/list', 'tools/list', 'initialize'] as const;

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
		'rpc.discover',
	],
	...['prompts/list', 'resources/read', 'logging/setLevel', 'completion/complete', 'sampling/createMessage', 'tools/'],
	...['\0', '\n', '\ud800', '\u202e', 'é', '../../etc/passwd', '~/.config/context-broker/context-map.toml', '$HOME'],
] as const;

/** As JSON. */
const TOOLS = [
	'"guard"',
	'"run_shell_command"',
	'"__proto__"',
	'"constructor"',
	'""',
	'"none__tool"',
	'"Load_Context"',
	'5',
	'null',
	'[]',
	'{}',
];

/** As JSON. */
const METAS = [
	...['{}', 'null', '5', '"x"', '[]', '{"progressToken":1}', '{"progressToken":{}}', '{"progressToken":null}'],
	...['{"claudecode/toolUseId":"toolu_1"}', '{"claudecode/toolUseId":5}', '{"__proto__":{"progressToken":1}}'],
];

/** As JSON. */
const VALUES = [
	...['null', 'true', 'false', '0', '-0', '1.5', '1e400', '-1e-400', '9007199254740993', '"2.0"', '""', '[]', '{}'],
	...['"\\u0000"', '"\\ud800"', '"__proto__"', '"\u2028"', '"load_context"', '{"key":"x"}', '{"__proto__":null}'],
];

const NAMES = [
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
	'hook_event_name',
	'tool_name',
	'tool_input',
	'agent_id',
	'session_id',
	'transcript_path',
];

/** As JSON; what can not be an id, at least not one that JavaScript keeps. */
const NO_IDS = ['null', '1.5', 'true', '{}', '[]', '[1]', '9007199254740993', '1e400', '-1e308', '{"toString":1}'];

const NO_MESSAGES = [
	...[
		'',
		' ',
		'\t',
		'\r',
		'\0',
		'null',
		'true',
		'5',
		'"text"',
		'[]',
		'{}',
		'[[]]',
		'[1,2]',
		'{',
		'}',
		'"',
		'{"jsonrpc":"2.0"}',
	],
	...[
		'{"jsonrpc":"2.0","id":1}',
		'{"jsonrpc":"2.0","id":1,"result":{}}',
		'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
	],
	...[
		'{"jsonrpc":"2.0","id":1,"result":5}',
		'{"jsonrpc":"2.0","id":null,"error":{}}',
		'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
	],
	...[
		'GET / HTTP/1.1',
		'Content-Length: 52',
		"{'jsonrpc':'2.0'}",
		'// {}',
		'\ufeff{}',
		'NaN',
		'undefined',
		'{"a":1,}',
		'\u0085',
		'\u2028',
	],
];

const DAMAGE: readonly (readonly number[])[] = [
	[0],
	[0xff, 0xfe],
	[0xc0, 0x80],
	[0xed, 0xa0, 0x80],
	[0xe2, 0x82],
	[13],
	[34],
	[92],
	[123],
	[125],
	[44],
	[0xef, 0xbb, 0xbf],
];
