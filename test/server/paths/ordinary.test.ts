import { describe, expect, test } from 'vitest';
import { reachedBy } from '../../../server/paths/reached-by.ts';
import { CATALOG, MAP, place, realPath } from './place.ts';

async function isReached(command: string, cwd: string): Promise<boolean> {
	return (await reachedBy('Bash', { command }, [MAP, CATALOG], place({ cwd }), realPath)) !== undefined;
}

/** From where it is run, and the command. */
const ORDINARY: readonly (readonly [string, string])[] = [
	...[
		'ls -la ~/private',
		'ls -l ~/private/catalog.md',
		'ls -R ~',
		'tree ~',
		'stat ~/private/catalog.md',
		'test -f ~/private/catalog.md && echo there',
		'[ -f ~/private/catalog.md ] || echo gone',
		'[[ -f ~/private/catalog.md ]] && echo yes',
		'file ~/private/catalog.md',
		'du -sh ~',
		'df -h ~',
		'wc -l ~/private/catalog.md',
		'sha256sum ~/private/catalog.md',
		'chmod 600 ~/private/catalog.md',
		'chmod -R go-rwx ~/private',
		'sudo chown -R jo ~/private',
		'touch ~/private/catalog.md',
		'realpath ~/private/catalog.md',
		'basename ~/private/catalog.md .md',
		'dirname ~/private/catalog.md',
		'mkdir -p ~/private',
		'echo ~/private/catalog.md',
		'printf "%s\\n" ~/private/*',
		'find ~ -name "*.md"',
		'find ~ -mtime -1 -type f | head',
		'find ~ -mtime +30 -print0 | xargs -0 ls -l',
		'find / -type f -perm 777 -exec chmod 755 {} \\;',
		'find / -type f -exec stat {} +',
		'find ~ -type f -exec sudo chmod 600 {} +',
		'find ~ -name "*.ts" -exec cat {} +',
		'find ~ -name "*.log" -delete',
		'find ~ -name "*.ts" | xargs cat',
		'find ~ -path ~/private -prune -o -path ~/.config -prune -o -path ~/.claude -prune -o -type f -exec cat {} +',
		'find ~ -not -path "*/private/*" -not -path "*/.*" -exec cat {} +',
		'find ~ ! -name "*.md" ! -path "*/.*" -type f -exec cat {} +',
		'grep -rn TODO ~ --include="*.ts" --exclude-dir=.claude',
		'grep -rn TODO ~ --exclude-dir=private --exclude-dir=.claude --exclude-dir=.config',
		'grep -rn TODO ~ --exclude-dir={private,.claude,.config}',
		'grep -rn TODO ~ --exclude="*.md" --exclude-dir ".*"',
		'grep -rn "~/private/catalog.md" docs',
		'rg -g "!private" TODO ~',
		'rg -g "!**/private/**" TODO ~',
		"rg -g'!private' TODO ~",
		'rg -g "*.ts" TODO ~',
		'rg --glob="*.{ts,tsx}" TODO ~',
		'ag --ignore-dir private TODO ~',
		'fd -E private . ~ -x cat',
		'tar --exclude=private --exclude=.config --exclude=.claude -czf x.tgz ~',
		'rsync -a --exclude=private --exclude=".*" ~/ /mnt/backup',
		'git status ~/private',
		'git log --stat',
		'git commit -m "docs: see ~/private/catalog.md"',
		'cp -r src ~/private',
		'sed -n 1,5p catalog.md',
		'which rg && command -v rg',
		'if [ -f ~/private/catalog.md ]; then echo yes; fi',
		'python3 -c "import os; print(os.listdir())"',
		"awk -F/ '{print $NF}' paths.txt",
		"sed -i 's/.*//' src/a.ts",
		'npm run build 2>&1 | tee build.log',
		'for f in src/*.ts; do wc -l "$f"; done',
		'sort -r x | uniq -c | sort -rn | head',
		'cat "$FILE"',
		'cat $DIR/README.md',
	].map((command) => ['/home/u/project', command] as const),
	...[
		'ls',
		'cat README.md',
		'git clean -n',
		'git clean --dry-run',
		'git grep --help',
		'tar -C project -czf y.tgz .',
		'git -C project grep foo',
		'git -C project stash',
		'command -v rg',
		'rg --version',
		'npm run "$x"',
		'find . -maxdepth 1 -type f | xargs cat',
		'find . -type d -exec ls {} +',
		'find . -type f | wc -l',
		'git ls-files | xargs wc -l',
		'rm -rf project/dist',
		'rsync -a project/ host:project',
		'python3 project/run.py',
	].map((command) => ['/home/u', command] as const),
	...[
		'ls -la',
		'wc -l *',
		'chmod 600 *',
		'find . -name "*.ts" -exec cat {} +',
		'cat "$f"',
		'touch catalog.md',
		'echo *',
	].map((command) => ['/home/u/private', command] as const),
];

describe('an ordinary command is let pass', () => {
	test.each(ORDINARY)('in %s: %s', async (cwd, command) => {
		expect(await isReached(command, cwd)).toBe(false);
	});
});

describe('what changes or copies a private file is not', () => {
	test.each([
		'rm ~/private/catalog.md',
		'rm -rf ~/private',
		'mv ~/private/catalog.md x',
		'mv x ~/private/catalog.md',
		'cp ~/private/catalog.md x',
		'ln ~/private/catalog.md x',
		'sed -i s/a/b/ ~/private/catalog.md',
		'tee ~/private/catalog.md < x',
		'echo x > ~/private/catalog.md',
		'truncate -s 0 ~/private/catalog.md',
		'dd if=/dev/zero of=/home/u/private/catalog.md',
		'wc --files0-from=/home/u/private/catalog.md',
		'file -f ~/private/catalog.md',
		"find ~ -name '*.md' -exec sed -i s/a/b/ {} +",
		"find ~ -name '*.md' -delete",
		'find ~/private | xargs rm',
		'find ~ -name "*.ts" -o -name "*.md" -exec cat {} +',
		'grep -rn TODO ~/private --exclude-dir=src',
		'rg -g "!src" TODO ~/private',
		'chmod 644 x && cat ~/private/catalog.md',
		'bash -c "cat ~/private/catalog.md"',
		'bash -c "cat %USERPROFILE%/private/catalog.md"',
		'git stash -u',
	])('%s', async (command) => {
		const cwd = command.startsWith('git') ? '/home/u/private' : '/home/u/project';
		expect(await isReached(command, cwd)).toBe(true);
	});
});
