import { describe, expect, test } from 'vitest';
import { looksSecret } from '../../../server/text/secrets.ts';

const DIGITS = '0123456789';
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const LETTERS = `${ALPHABET}${ALPHABET.toUpperCase()}${DIGITS}`;

/** Joined at run time: what looks like a token in a repository is blocked, and reported, by many a host. */
function token(...parts: readonly string[]): string {
	return parts.join('');
}

/** So many letters and digits. */
function letters(length: number): string {
	return LETTERS.repeat(Math.ceil(length / LETTERS.length)).slice(0, length);
}

describe('a name tells a secret', () => {
	test.each([
		...['ANTHROPIC_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'GITHUB_TOKEN', 'NPM_TOKEN', 'PGPASSWORD'],
		...['MYSQL_PWD', 'DB_PASS', 'SSH_AUTH_SOCK', 'githubToken', 'my-api-key', 'DOCKER_AUTH_CONFIG'],
		...['GOOGLE_APPLICATION_CREDENTIALS', 'SENTRY_DSN', 'npm_config__authToken', 'SESSION_COOKIE'],
		// Parts of it.
		...['GHTOKEN', 'TOKEN', 'MYSECRETS', 'DBPASSWORDFILE', 'ROOTPASSWD', 'KEYPASSPHRASE', 'GCREDENTIALS', 'MYAPIKEYS'],
		...['RSAPRIVATEKEY', 'AWSACCESSKEYID', 'token', 'my_Secret', 'npm_config_//registry.npmjs.org/:_authToken'],
		// Words of it.
		...['KEY', 'SIGNING_KEYS', 'AUTH', 'BASIC_AUTH', 'PASS', 'CREDS', 'GCP_CREDS_JSON', 'COOKIE', 'JWT', 'MY_JWT_X'],
		...['GITHUB_PAT', 'PAT', 'DSN', 'BEARER', 'ODBC_PWD', 'PWD_DB', 'key', 'db_pass', 'db-pass', 'db.pass', 'DB__PASS'],
		...['dbPass', 'dbPASS', 'passOfDb', 'APIKey', 'HTTPAuth', 'openAIKeyId', 's3Key', 'Pass'],
		...['API_KEY2', 'API_KEY_2', 'apiKey10', 'DB_PASS1'],
	])('%s', (name) => {
		expect(looksSecret(name, '')).toBe(true);
	});
});

describe('a name tells no secret', () => {
	test.each([
		...['PATH', 'HOME', 'PWD', 'OLDPWD', 'INIT_CWD', 'KEYBOARD', 'KEYMAP', 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL'],
		...['XAUTHORITY', 'MANPATH', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'XDG_SESSION_ID', 'CLAUDECODE'],
		...['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_PROJECT_DIR'],
		...['CLAUDE_CODE_SESSION_ID', 'LANG', 'LC_ALL', 'TERM', 'SHELL', 'USER', 'LOGNAME', 'TMPDIR', 'PASSENGER_ROOT'],
		...['COMPASS', 'PATTERN', 'MONKEY', 'TURKEY'],
		...[
			'',
			'_',
			'Path',
			'pwd',
			'Pwd',
			'OldPwd',
			'keyboardLayout',
			'monkeyPatch',
			'gitAuthor',
			'PATCH',
			'DSNOW',
			'KEYED',
		],
		...['COOKIECUTTER_HOME', 'BEARERS', 'JWTS', 'CREDSTORE', 'SystemRoot', 'ComSpec', 'ProgramFiles(x86)', 'APPDATA'],
		...['LS_COLORS', 'SHLVL', 'NODE_OPTIONS', 'VIRTUAL_ENV', 'CONTEXT_BROKER_ENV_FILE', '__proto__', 'constructor'],
	])('%j', (name) => {
		expect(looksSecret(name, '')).toBe(false);
		expect(looksSecret(name, '/usr/bin:/bin')).toBe(false);
	});
});

const JWT = token('eyJ', letters(20), '.', 'eyJ', letters(40), '.', letters(43));

/** `[what it is, value]` */
const SECRETS: readonly (readonly [kind: string, value: string])[] = [
	['a private key', token('-----BEGIN PRIVATE', ' KEY-----\nMII\n-----END PRIVATE', ' KEY-----')],
	['a private key of a kind', token('-----BEGIN RSA PRIVATE', ' KEY-----')],
	['a private key of OpenSSH', token('-----BEGIN OPENSSH PRIVATE', ' KEY-----\\nMII')],
	['a private key that is encrypted', token('-----BEGIN ENCRYPTED PRIVATE', ' KEY-----')],
	['a private key of PGP', token('-----BEGIN PGP PRIVATE', ' KEY BLOCK-----')],
	['a password in a URL', 'https://user:pass@host/path'],
	['a password in a URL without user', 'redis://:pass@localhost:6379/0'],
	['a password in a URL of any scheme', 'mongodb+srv://a.b%40c:p%3As$w!@cluster.example'],
	['a password with :', 'amqp://a:b:c@host'],
	['a password with an @', 'postgres://a:p@ss@host/db'],
	['a token with all its characters', token('sk-', 'ant-api03-', letters(93), '-_AA')],
	['a token of GitHub with a JWT', token('ghs_', '123_', JWT)],
	['a token of SendGrid', token('SG.', letters(20), '_-.', letters(41), '-_')],
	['a token that is longer', token('pypi-', 'AgEIcHlwaS5vcmcC', letters(140))],
	['a JWT', JWT],
	['a bearer token', `Bearer ${letters(16)}`],
	['a bearer token with all its characters', 'bearer a.b-c_d~e+f/g1234='],
	['a bearer token, percent-encoded', `Bearer%20${letters(16)}`],
	['Basic', 'Basic dXNlcjpwYXNz'],
	['Basic in lower case', 'basic dXNlcjpwYXNzd29yZA=='],
	['Basic, percent-encoded', 'Basic%20dXNlcjpwYXNz'],
	['a database', 'Server=db;Database=d;User Id=u;Password=p;'],
	['a database with blanks', 'Server = db; Password = p'],
	['a database, short', 'Server=db;Uid=u;Pwd=p;'],
	['a database in a URL', 'jdbc:mysql://host/db?user=u&password=p'],
	['storage', 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=b==;EndpointSuffix=c'],
	['a bus', 'Endpoint=sb://a/;SharedAccessKeyName=b;SharedAccessKey=c='],
];

describe('a value tells a secret', () => {
	test.each(SECRETS)('%s', (_, value) => {
		expect(looksSecret('X', value)).toBe(true);
		for (const [before, after] of [
			['a ', ' b'],
			['{"x":"', '"}'],
			['x=', '\n'],
			['a;b:', ',c'],
			['é_', '/'],
		] as const) {
			expect(looksSecret('X', before + value + after)).toBe(true);
		}
	});

	test.each(['x-', 'ghs_123_', 'eyJ', 'a'])('a JWT behind %j', (before) => {
		expect(looksSecret('X', before + JWT)).toBe(true);
	});
});

/** `[what tokens begin with, how many characters follow at least, of which]` */
const TOKENS: readonly (readonly [prefix: string, length: number, characters: string])[] = [
	...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => [prefix, 36, LETTERS] as const),
	['github_pat_', 22, `_${LETTERS}`],
	['glpat-', 20, `-_${LETTERS}`],
	...['xoxb-', 'xoxp-', 'xoxa-', 'xoxs-'].map((prefix) => [prefix, 10, `${DIGITS}-${LETTERS}`] as const),
	['sk-', 20, `-_${LETTERS}`],
	...['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'].map((prefix) => [prefix, 16, LETTERS] as const),
	...['AKIA', 'ASIA'].map((prefix) => [prefix, 16, `${DIGITS}${ALPHABET.toUpperCase()}`] as const),
	['AIza', 35, `-_${LETTERS}`],
	['ya29.', 20, `-_${LETTERS}`],
	['npm_', 36, LETTERS],
	['hf_', 30, LETTERS],
	['dop_v1_', 64, '0123456789abcdef'],
	[token('SG.', letters(22), '.'), 43, `-_${LETTERS}`],
	['pypi-', 50, `-_${LETTERS}`],
	['Bearer ', 16, `-_.~+/${LETTERS}`],
	['Basic ', 12, `+/Z${LETTERS}`],
];

describe.each(TOKENS)('%j with %d characters', (prefix, length, characters) => {
	const whole = token(prefix, characters.repeat(length).slice(0, length));

	test.each(['', 'x=', 'a ', '_', '"', 'é', '/'])('behind %j is a secret', (before) => {
		for (const after of ['', ' ', '"', '\n', ';']) expect(looksSecret('X', before + whole + after)).toBe(true);
	});

	test.each(['a', 'Z', '0'])('behind %j is none', (before) => {
		expect(looksSecret('X', before + whole)).toBe(false);
	});

	test('is none with one less', () => {
		expect(looksSecret('X', whole.slice(0, -1))).toBe(false);
		expect(looksSecret('X', `${whole.slice(0, -1)} a`)).toBe(false);
	});
});

describe('a value tells no secret', () => {
	test.each([
		...['', '1', '/usr/local/bin:/usr/bin', 'C:\\Windows;C:\\bin', 'en_US.UTF-8', 'xterm-256color', 'truecolor'],
		'-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----',
		token('-----BEGIN PUBLIC', ' KEY-----'),
		...['https://host/path', 'https://host:8080/a@b', 'https://user@host', 'https://user:@host', 'ssh://git@host:22/a'],
		...['http://[::1]:80/a:b@c', 'http://a:80?b@c', 'http://a:80#b@c', 'http://a:80 b@c', 'git@host:a/b.git', 'a:b@c'],
		'{"url":"http://h:80","mail":"a@b"}',
		'<http://h:80>,<a@b>',
		...[token('di', 'sk-', letters(30)), 'sk-SK', 'sk_SK.UTF-8', token('pk_live_', letters(24)), 'npm_config_registry'],
		...[token('ghx_', letters(36)), token('xox-', letters(20)), token('ya29', letters(40)), 'hf_hub', 'SG.a.b'],
		...[token('AKIA', 'IOSFODNN7EXAMPLEX'), token('AKIA', 'iosfodnn7example'), token('dop_v1_', 'x'.repeat(64))],
		token('SG.', letters(21), '.', letters(43)),
		...[token('eyJ', letters(40)), token('eyJ', letters(40), '.eyJ', letters(40)), token('eyJ.eyJ', letters(40), '.a')],
		...[token(letters(20), '.eyJ', letters(40), '.a'), token('eyJ', letters(20), '.', letters(40), '.a')],
		...['Bearer', 'Bearer of the ring', `Bearer${letters(20)}`, `Forbearer ${letters(20)}`, 'bearer authentication'],
		...[
			'Basic',
			'basic configuration',
			'Basic internationalization',
			'Basic dXNlcjpwYXN',
			`Visualbasic ${letters(20)}`,
		],
		...[
			'Password=',
			'Password=;a',
			'Password',
			'SharedAccessKeyName=a',
			'AccountName=a',
			'a;OLDPWD=/a',
			'Passwordless=1',
		],
	])('%j', (value) => {
		expect(looksSecret('X', value)).toBe(false);
	});
});

test.each([
	...[
		'a',
		'A',
		'0',
		' ',
		'-',
		'_',
		'.',
		':',
		'/',
		'@',
		'=',
		'\n',
		'\ud83d',
		'://',
		'://:',
		'://a:',
		'://a:b',
		'//a:@/',
	],
	...['eyJ', '-eyJ', '.eyJ', '.eyJa', 'eyJ.', '.eyJ-eyJ', `eyJ${letters(8)}.`, `.eyJ${letters(8)}`, '-.eyJaaaaaaaa'],
	...[
		'-----BEGIN ',
		'-----BEGIN A',
		'-----BEGIN PRIVATE',
		'PRIVATE ',
		'-'.repeat(5),
		'sk-',
		'-sk-',
		'sk_live_',
		'ghp_',
	],
	...[
		'github_pat_',
		'glpat-',
		'xoxb-',
		'AKIA',
		' AKIA',
		'AIza',
		'ya29.',
		'npm_',
		'hf_',
		'dop_v1_',
		'SG.',
		'.SG.',
		'pypi-',
	],
	...[
		'Bearer ',
		'Bearer',
		'Basic ',
		'Basic a',
		'Basic%20',
		'Password',
		'Password ',
		'Password =',
		'Pwd= ',
		'AccountKey =',
	],
])('no value and no name takes long: %j again and again', (part) => {
	const repeated = part.repeat(1_000_000 / part.length);
	expect(typeof looksSecret(repeated, '')).toBe('boolean');
	for (const start of ['', 'Bearer', 'Password', '://a:', 'eyJ', '-----BEGIN ']) {
		expect(typeof looksSecret('X', `${start}${repeated}.`)).toBe('boolean');
	}
});
