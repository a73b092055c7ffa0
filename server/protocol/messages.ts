/** JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

export const CANCELLED = 'notifications/cancelled';

export type RequestId = string | number;

export type Params = Readonly<Record<string, unknown>>;

export interface Request {
	readonly id: RequestId;
	readonly method: string;
	readonly params?: Params;
}

export interface Notification {
	readonly id?: undefined;
	readonly method: string;
	readonly params?: Params;
}

/** From the client. Never an answer, since the broker sends no requests. */
export type Message = Request | Notification;

/** To the client. */
export type Outgoing =
	| { readonly id: RequestId; readonly result: object }
	| { readonly id: RequestId | null; readonly error: RpcFault }
	| { readonly method: string; readonly params?: object };

export interface RpcFault {
	readonly code: number;
	readonly message: string;
	readonly data?: unknown;
}

/** Undefined for an answer. @throws RpcError `INVALID_REQUEST` if the value is not a JSON-RPC 2.0 message */
export function toMessage(value: unknown): Message | undefined {
	const { jsonrpc, id, method, params, result, error } = Object(value) as Record<string, unknown>;
	const isVersion = jsonrpc === '2.0' && !Array.isArray(value);
	if (isVersion && typeof method === 'string' && (params === undefined || isObject(params))) {
		const shared = params === undefined ? { method } : { method, params };
		if (id === undefined) return shared;
		if (isId(id)) return { id, ...shared };
	}
	if (isVersion && method === undefined && isId(id) && (isObject(result) || isObject(error))) return undefined;
	throw new RpcError(INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message');
}

/** The id for the answer to a broken message. JSON-RPC 2.0 requires null if it is unknown. */
export function idOf(value: unknown): RequestId | null {
	const { id } = Object(value) as { id?: unknown };
	return isId(id) ? id : null;
}

export function isObject(value: unknown): value is Params {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(id: unknown): id is RequestId {
	return typeof id === 'string' || Number.isSafeInteger(id);
}

/** A JSON-RPC error. A failed tool returns a result instead. */
export class RpcError extends Error implements RpcFault {
	readonly code: number;

	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}
