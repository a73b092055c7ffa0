/**
 * What a server has to answer to a line, by JSON-RPC 2.0 and MCP; written without a look at what the broker does, but
 * for what these leave open: an id is a text or a safe integer, `params` is an object, and a message is one line.
 */
export class Expectations {
	readonly #open = new Map<string, Expected>();
	/** Of those that have no id that an answer could bear. */
	readonly #nameless = { atLeast: 0, atMost: 0, answered: 0 };

	/** A line that is sent. */
	sent(line: Buffer): void {
		const text = line.toString('utf8');
		if (text.trim() === '') return;
		const message = parsed(text);
		if (isObject(message)) this.#sentObject(message);
		else this.#error(null);
	}

	#sentObject(message: Params): void {
		const { jsonrpc, id, method, params } = message;
		const isCall = jsonrpc === '2.0' && typeof method === 'string';
		if (isCall && (params === undefined || isObject(params))) {
			if (id === undefined) this.#notified(method, params);
			else if (isId(id))
				this.#add(id, { atLeast: 1, atMost: 1, judges: [(answer) => judge(method, params ?? {}, answer)] });
			else this.#error(null);
			return;
		}
		if (jsonrpc === '2.0' && method === undefined && isId(id) && (isObject(message.result) || isObject(message.error)))
			return;
		// Whether what is nearly a notification is one, JSON-RPC does not say.
		if (id === undefined) this.#nameless.atMost += 1;
		else this.#error(isId(id) ? id : null);
	}

	/** A line that came. @returns what is wrong with it */
	came(line: string): string | undefined {
		const answer = parsed(line);
		if (!isObject(answer) || answer.jsonrpc !== '2.0') return 'a line is no message of JSON-RPC 2.0';
		const { id, error } = answer;
		if ('method' in answer) return 'id' in answer ? 'the broker asks something' : undefined;
		if ('result' in answer === 'error' in answer) return 'an answer has not either result or error';
		if (id === null) {
			this.#nameless.answered += 1;
			return isError(error, [-32_700, -32_600]) ? undefined : 'an answer without an id is no error of a message';
		}
		const expected = this.#open.get(JSON.stringify(id));
		if (expected === undefined) return 'an answer to what was not asked';
		expected.answered += 1;
		if (expected.answered > expected.atMost) return 'an answer too many';
		const faults = expected.judges.map((judgeIt) => judgeIt(answer));
		// Of several with one id it can be the answer to any.
		return faults.includes(undefined) ? undefined : faults[0];
	}

	/** Whether each request has its answer. */
	get areMet(): boolean {
		const { atLeast, answered } = this.#nameless;
		return answered >= atLeast && this.missing === 0;
	}

	/** How many requests have none. */
	get missing(): number {
		return [...this.#open.values()].filter(({ answered, atLeast }) => answered < atLeast).length;
	}

	/** What is wrong at the end, when nothing more comes. */
	get fault(): string | undefined {
		const { atLeast, atMost, answered } = this.#nameless;
		if (this.missing > 0) return `${this.missing} requests have no answer`;
		if (answered < atLeast || answered > atMost)
			return `${answered} errors for ${atLeast} to ${atMost} broken messages`;
		return undefined;
	}

	#notified(method: string, params: Params | undefined): void {
		// From here on its answer can come or not.
		const id = method === 'notifications/cancelled' ? params?.requestId : undefined;
		const expected = isId(id) ? this.#open.get(JSON.stringify(id)) : undefined;
		if (expected !== undefined) expected.atLeast = 0;
	}

	#error(id: Id | null): void {
		if (id === null) {
			this.#nameless.atLeast += 1;
			this.#nameless.atMost += 1;
		} else {
			this.#add(id, { atLeast: 1, atMost: 1, judges: [(answer) => errorFault(answer, [-32_600, -32_602])] });
		}
	}

	#add(id: Id, added: Omit<Expected, 'answered'>): void {
		const key = JSON.stringify(id);
		const known = this.#open.get(key);
		if (known === undefined) {
			this.#open.set(key, { ...added, answered: 0 });
			return;
		}
		// One id for two at once is the client's fault; then one answer is enough.
		known.atMost += added.atMost;
		if (known.answered >= known.atLeast) known.atLeast = known.answered + 1;
		known.judges.push(...added.judges);
	}
}

type Id = string | number;

type Params = Readonly<Record<string, unknown>>;

/** Tells what is wrong with an answer. */
type Judge = (answer: Params) => string | undefined;

/** The answers that bear one id. */
interface Expected {
	atLeast: number;
	atMost: number;
	answered: number;
	readonly judges: Judge[];
}

const BROKEN = Symbol('no JSON');

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return BROKEN;
	}
}

/** What is wrong with the answer to a request. */
function judge(method: string, params: Params, answer: Params): string | undefined {
	const { _meta, name, arguments: input } = params;
	if (!['initialize', 'ping', 'tools/list', 'tools/call'].includes(method)) return errorFault(answer, [-32_601]);
	if (_meta !== undefined && !isObject(_meta)) return errorFault(answer, [-32_602]);
	if (method === 'initialize' && !introduces(params)) return errorFault(answer, [-32_602]);
	if (method !== 'tools/call')
		return 'result' in answer ? resultFault(method, answer.result) : `an error for ${method}`;
	if (typeof name !== 'string' || (input !== undefined && !isObject(input))) return errorFault(answer, [-32_602]);
	// The only tool that is there for whoever asks; whether the other is depends on who does.
	if (name === 'load_context') return refusalFault(answer.result);
	return name === 'guard' && 'result' in answer ? unforeseen(answer.result) : errorFault(answer, [-32_602]);
}

function introduces({ protocolVersion, capabilities, clientInfo }: Params): boolean {
	if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo)) return false;
	return typeof clientInfo.name === 'string' && typeof clientInfo.version === 'string';
}

function resultFault(method: string, result: unknown): string | undefined {
	if (!isObject(result)) return `a result of ${method} that is no object`;
	if (method === 'ping') return Object.keys(result).length === 0 ? undefined : 'a pong that holds something';
	if (method === 'tools/list') return Array.isArray(result.tools) ? undefined : 'a list without tools';
	return typeof result.protocolVersion === 'string' ? undefined : 'an introduction without a version';
}

/** Nobody here has the key. */
function refusalFault(result: unknown): string | undefined {
	if (!isObject(result) || result.isError !== true) return 'something is loaded';
	return typeof codeOf(result) === 'string' ? unforeseen(result) : 'a refusal without a code';
}

function unforeseen(result: unknown): string | undefined {
	return codeOf(result) === 'internal_error' ? 'an error that the broker did not foresee' : undefined;
}

/** Of the error that the result of a tool is. */
function codeOf(result: unknown): unknown {
	const { 'context-broker/error': error } = Object(Object(result)._meta) as { 'context-broker/error'?: unknown };
	return isObject(error) ? error.code : undefined;
}

function errorFault({ error }: Params, codes: readonly number[]): string | undefined {
	return isError(error, codes) ? undefined : `no error ${codes.join(' or ')}`;
}

function isError(error: unknown, codes: readonly number[]): boolean {
	return isObject(error) && codes.some((code) => code === error.code) && typeof error.message === 'string';
}

function isId(id: unknown): id is Id {
	return typeof id === 'string' || Number.isSafeInteger(id);
}

function isObject(value: unknown): value is Params {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
