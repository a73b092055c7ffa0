import type { Receipt } from '../session-state/receipts.ts';
import { cleanedName as cleaned } from '../text/cleaned.ts';
import type { Style } from './style.ts';

/** Whose receipts there are to see. */
export interface ReceiptSource {
	/** Those of a session. */
	of(session: string): Promise<Receipt[]>;
	/** The session that has got one last. */
	newest(): Promise<string | undefined>;
}

/** The receipts of a session. */
export interface SessionReceipts {
	/** Undefined where no session has any. */
	readonly session: string | undefined;
	readonly receipts: readonly Receipt[];
}

/**
 * Reads the receipts of a session.
 *
 * @param wanted its id; else that of the session around a command, else the one that has got a receipt last
 */
export async function readReceipts(
	source: ReceiptSource,
	wanted: string | undefined,
	{ CLAUDE_CODE_SESSION_ID: around = '' }: NodeJS.ProcessEnv,
): Promise<SessionReceipts> {
	const session = wanted ?? (around === '' ? await source.newest() : around);
	return { session, receipts: session === undefined ? [] : await source.of(session) };
}

/** For a program. */
export function receiptsJson({ session, receipts }: SessionReceipts): string {
	const list = receipts.map(({ at, agent, type, tool, arguments: digest, asAsked, outcome, bytes, sha256 }) => ({
		time: new Date(at).toISOString(),
		agent,
		type,
		tool,
		arguments: digest,
		asAsked: asAsked ?? null,
		outcome,
		bytes: bytes ?? null,
		sha256: sha256 ?? null,
	}));
	return `${JSON.stringify({ session: session ?? null, receipts: list }, null, 2)}\n`;
}

/** For a person: four lines for each call. Names that a project gives its agents can mean nothing to the terminal. */
export function receiptLines({ session, receipts }: SessionReceipts, style: Style): string {
	if (session === undefined) return 'No session has receipts.\n';
	const heading = style.heading(`Session ${cleaned(session)}`);
	if (receipts.length === 0) return `${heading}\nIt has no receipts.\n`;
	return `${heading}\n${receipts.map((receipt) => receiptText(receipt, style)).join('')}`;
}

function receiptText({ at, agent, type, tool, outcome, bytes, ...receipt }: Receipt, style: Style): string {
	const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
	const paint = outcome === 'ok' ? style.shown : style.hidden;
	const size = bytes === undefined ? '' : `  ${bytes} bytes`;
	const other = receipt.asAsked === false ? ' (other than asked)' : '';
	return `${time}Z  ${paint(outcome.padEnd(7))}  ${cleaned(tool)}${size}
    agent      ${cleaned(type)} ${cleaned(agent)}
    arguments  sha256 ${receipt.arguments}${other}
    result     ${receipt.sha256 === undefined ? 'not seen' : `sha256 ${receipt.sha256}`}
`;
}
