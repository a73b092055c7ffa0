/** How a check came out: as it should be; works, but look at it; does not work. */
export type Status = 'ok' | 'warning' | 'failure';

/** What a check found. */
export interface Finding {
	/** What was looked at, in a word or two. */
	readonly check: string;
	readonly status: Status;
	readonly message: string;
	/** What to do. */
	readonly next?: string;
	/** Lines of the map around a fault, or what a server printed: for the user's own terminal. */
	readonly excerpt?: readonly string[];
}

/** @param message without a full stop where it is no sentence */
export function ok(check: string, message: string): Finding {
	return { check, status: 'ok', message };
}

export function warning(check: string, message: string, next: string): Finding {
	return { check, status: 'warning', message, next };
}

export function failure(check: string, message: string, next: string): Finding {
	return { check, status: 'failure', message, next };
}

/** The worst of them. */
export function worst(findings: readonly Finding[]): Status {
	if (findings.some(({ status }) => status === 'failure')) return 'failure';
	return findings.some(({ status }) => status === 'warning') ? 'warning' : 'ok';
}
