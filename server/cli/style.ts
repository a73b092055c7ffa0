/** How text is set off on a terminal. Each function returns its text unchanged where colours are off. */
export interface Style {
	readonly heading: (text: string) => string;
	readonly shown: (text: string) => string;
	readonly hidden: (text: string) => string;
	readonly warning: (text: string) => string;
	readonly failure: (text: string) => string;
}

const PLAIN: Style = { heading: String, shown: String, hidden: String, warning: String, failure: String };

/** Bold, green, dim, yellow and red. Not util.styleText, which Node has since 20.12 only. */
const COLOURED: Style = {
	heading: (text) => `\u001b[1m${text}\u001b[22m`,
	shown: (text) => `\u001b[32m${text}\u001b[39m`,
	hidden: (text) => `\u001b[2m${text}\u001b[22m`,
	warning: (text) => `\u001b[33m${text}\u001b[39m`,
	failure: (text) => `\u001b[31m${text}\u001b[39m`,
};

/** Coloured on a terminal that can show it, unless the user has set NO_COLOR (https://no-color.org). */
export function styleFor(stdout: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Style {
	const wanted = (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb';
	return stdout.isTTY === true && wanted ? COLOURED : PLAIN;
}
