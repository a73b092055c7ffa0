import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { diskFull, PrepareError } from './errors.mjs';

/** The supervisor's exit code if npm is missing: the one that shells use. */
export const NPM_MISSING = 127;

const SUPERVISOR = fileURLToPath(new URL('npm-supervisor.mjs', import.meta.url));

/** @param {string} folder @param {AbortSignal} signal aborting ends npm and removes the folder @returns {Promise<void>} */
export function npmCi(folder, signal) {
	return new Promise((resolve, reject) => {
		// Detached: otherwise an interrupt from the terminal would end it before it cleans up.
		const supervisor = spawn(process.execPath, [SUPERVISOR, folder], {
			stdio: ['pipe', 'ignore', 'pipe'],
			detached: true,
			windowsHide: true,
		});
		let printed = '';
		supervisor.stderr.setEncoding('utf8').on('data', (text) => {
			printed = (printed + text).slice(-100_000);
			// npm would go on and try each of the thousands of remaining files.
			if (FULL.test(printed)) stop();
		});
		const stop = () => supervisor.stdin.destroy();
		signal.addEventListener('abort', stop, { once: true });
		supervisor.on('error', reject);
		supervisor.on('close', (code) => {
			signal.removeEventListener('abort', stop);
			const failure = explainNpm(printed, code);
			if (failure) reject(failure);
			else resolve();
		});
	});
}

const FULL = /ENOSPC|EDQUOT/;

/** @param {string} printed npm's output @param {number | null} exitCode @returns undefined if npm succeeded */
function explainNpm(printed, exitCode) {
	// npm only warns if it cannot unpack a file.
	const [unpacking] = /TAR_ENTRY_ERROR( \w+)?/.exec(printed) ?? [];
	const code = /npm (?:error|ERR!) code (\S+)/.exec(printed)?.[1] ?? unpacking ?? `exit status ${exitCode}`;
	if (FULL.test(printed)) return diskFull();
	if (exitCode === 0 && !unpacking) return undefined;
	if (exitCode === NPM_MISSING) {
		return new PrepareError(
			'npm was not found, and it is needed once to install the packages.',
			'Install npm (it comes with Node.js), make sure that "npm --version" works, then start a new session.',
		);
	}
	if (/^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENET\w+|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR)$/.test(code)) {
		return new PrepareError(
			`The packages could not be downloaded: npm cannot reach its registry (${code}).`,
			'Connect to the network (or check "npm config get registry" and the proxy settings), then start a new session.',
		);
	}
	if (/^(EACCES|EPERM|EROFS)$/.test(code)) {
		return new PrepareError(
			`npm is not allowed to write its files (${code}).`,
			'Check the permissions of the folder that "npm config get cache" prints, then start a new session.',
		);
	}
	if (/ with a date before /.test(printed)) {
		return new PrepareError(
			`Your npm setting "before" or "min-release-age" blocks packages as new as those of this version (${code}).`,
			'Wait until they are old enough. Or, for this one install, start a new session with the environment variable npm_config_before=null.',
		);
	}
	const plain = `Installing the packages failed: "npm ci" ended with ${code}.`;
	const reason = reasonIn(printed);
	return new PrepareError(
		reason === undefined ? plain : `${plain.slice(0, -1)} (${reason}).`,
		'Run "npm ci --omit=dev --ignore-scripts" in a copy of the plugin\'s folder to see why, then start a new session.',
		undefined,
		plain,
	);
}

/** npm's first sentence about an error; the later ones say less about it. @param {string} printed */
function reasonIn(printed) {
	const errors = [...printed.matchAll(/^npm (?:error|ERR!)(?: (code|errno|syscall|path|dest))? +(.*\S)/gm)];
	const [, , words] = errors.find(([, field]) => field === undefined) ?? [];
	return words
		?.replace(/\p{Cc}/gu, '')
		.slice(0, 200)
		.replace(/\.$/, '');
}
