const SHELLS = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|su|ssh|parallel)(?:\.exe)?$/;

/** They run the script, or the file with one, that follows; elsewhere than at the start they are ordinary words. */
const RUNNING = new Set('eval source . trap watch script flock'.split(' '));

/** Programs that run what they are given in a language of their own. */
const INTERPRETERS =
	/^(?:python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|irb|php|lua|luajit|julia|Rscript|osascript|tclsh|awk|gawk|mawk|sqlite3|vim?|nvim|ed|ex|emacs|pwsh|powershell|cmd)[\d.]*(?:\.exe)?$/i;

/** Programs that run the command that follows. */
const WRAPPERS = new Set(
	'sudo doas env nohup nice ionice time timeout xargs command builtin exec stdbuf setsid unbuffer caffeinate busybox'.split(
		' ',
	),
);

/** Words that stand before a command. */
const RESERVED = new Set('if then else elif while until do ! { time coproc'.split(' '));

/** Words after which it is not sure that a command runs. */
const CONDITIONAL = new Set('if then else elif while until do'.split(' '));

/** Their arguments are texts for people, in which a path is only mentioned. */
const MENTIONING = new Set(
	'echo printf : true git gh glab jira say logger notify-send write-host write-output'.split(' '),
);

/** What they pass on of the names that they are given can be read by people, but not by programs. */
const FILTERS = new Set(
	'head tail wc sort uniq grep egrep fgrep cut tr nl less more column sed cat tac rev select-object select sort-object measure-object measure format-table ft format-list fl out-string out-null'.split(
		' ',
	),
);

/** Whether its arguments are scripts, or the files of some. */
export const isRunning = (name: string): boolean => RUNNING.has(name) || SHELLS.test(name);
export const isShell = (name: string): boolean => SHELLS.test(name);
export const isInterpreter = (name: string): boolean => INTERPRETERS.test(name);
export const isWrapper = (name: string): boolean => WRAPPERS.has(name);
export const isReserved = (name: string): boolean => RESERVED.has(name);
export const isConditional = (name: string): boolean => CONDITIONAL.has(name);
export const isMentioning = (name: string): boolean => MENTIONING.has(name.toLowerCase());
export const isFilter = (name: string): boolean => FILTERS.has(name.toLowerCase());
