const CODES = { heading: [1, 22], shown: [32, 39], hidden: [2, 22], warning: [33, 39], failure: [31, 39] } as const;

/** Highlights text on a terminal. Each function returns its text unchanged if colours are off. */
export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

/** Respects NO_COLOR (https://no-color.org). Not util.styleText, which Node has only since 20.12. */
export function styleFor(stdout: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Style {
	const isWanted = stdout.isTTY === true && (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
	const styles = Object.entries(CODES).map(([name, [on, off]]) => [
		name,
		(text: string) => (isWanted ? `\u001b[${on}m${text}\u001b[${off}m` : text),
	]);
	return Object.fromEntries(styles) as Style;
}
