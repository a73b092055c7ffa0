/** Prefers a false alarm (`MAX_TOKENS`) to a missed secret. Takes linear time. */
export function looksSecret(name: string, value: string): boolean {
	return isSecretName(name) || VALUES.some((pattern) => pattern.test(value));
}

function isSecretName(name: string): boolean {
	const upper = name.toUpperCase();
	if (PARTS.some((part) => upper.includes(part))) return true;
	// Shells keep the current and the previous folder there.
	if (upper === 'PWD' || upper === 'OLDPWD') return false;
	return wordsOf(name).some((word) => WORDS.has(word));
}

const PARTS = 'TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL APIKEY PRIVATEKEY ACCESSKEY'.split(' ');

/** These mean a secret only as whole words: not in `KEYBOARD`, `GIT_AUTHOR_NAME` or `PATH`. */
const WORDS = new Set(['KEY', 'KEYS', 'AUTH', 'PASS', 'CREDS', 'COOKIE', 'JWT', 'PAT', 'DSN', 'BEARER', 'PWD']);

/** Words in upper case, without a number at the end: `API` and `KEY` for `apiKey`, `APIKey`, `api-key` and `API_KEY2`. */
function wordsOf(name: string): string[] {
	const words = name.split(/[_.-]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
	return words.map((word) => word.replace(/(?<!\d)\d+$/, '').toUpperCase());
}

/** Tokens of well-known services: their prefix and minimum length. */
const TOKENS: readonly RegExp[] = [
	/sk-[A-Za-z0-9_-]{20}/, // Anthropic, OpenAI and others that follow them
	/A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])/, // AWS
	/dop_v1_[a-f0-9]{64}/, // DigitalOcean
	/gh[oprsu]_[A-Za-z0-9_]{36}/, // GitHub
	/github_pat_[A-Za-z0-9_]{22}/,
	/glpat-[A-Za-z0-9_-]{20}/, // GitLab
	/AIza[A-Za-z0-9_-]{35}/, // Google
	/ya29\.[A-Za-z0-9_-]{20}/,
	/hf_[A-Za-z0-9]{30}/, // Hugging Face
	/npm_[A-Za-z0-9]{36}/, // npm
	/pypi-[A-Za-z0-9_-]{50}/, // PyPI
	/SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/, // SendGrid
	/xox[a-z]-[A-Za-z0-9-]{10}/, // Slack
	/[rs]k_(?:live|test)_[A-Za-z0-9]{16}/, // Stripe
];

/** No pattern reads the same stretch of text once for each start, so time stays linear. */
const VALUES: readonly RegExp[] = [
	/-----BEGIN [A-Z0-9 ]*PRIVATE KEY/,
	// scheme://user:password@host; the user may be empty, the password may not.
	/:\/\/[^\s/?#@:"<>]*:[^\s/?#@"<>]+@/,
	// The `sk-` in `disk-` does not count.
	new RegExp(`(?<![A-Za-z0-9])(?:${TOKENS.map(({ source }) => source).join('|')})`),
	// A JWT: header, payload and signature. Matched from its first dot, because matching from each `eyJ` would not be linear.
	/\.eyJ(?<=eyJ[A-Za-z0-9_-]{8,}\.eyJ)[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]/,
	// HTTP's Authorization, with a blank or a percent-encoded one. Base64 has a capital or a digit, unlike `basic types`.
	/(?<![A-Za-z0-9])Bearer(?: +|%20)[A-Za-z0-9+/=._~-]{16}/i,
	/(?<![A-Za-z0-9])[Bb]asic(?: +|%20)(?=[a-z+/]{0,11}[A-Z0-9])[A-Za-z0-9+/=]{12}/,
	// Connection strings of databases and of Azure.
	/(?:Password|AccountKey|SharedAccessKey|(?<![A-Za-z0-9])Pwd) *= *[^\s;&]/i,
];
