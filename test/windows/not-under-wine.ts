/**
 * Tests that cannot run under Wine or on Windows, by the reason: file (without `.test.ts`), or folder, and how their full names begin.
 * A fault of the product has no place here.
 */
export const NOT_UNDER_WINE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	'it needs links': {
		'server/cli/env-files': ['a link to a dotfile stays,'],
		'server/context-map/context-map': [
			'a relative path counts from',
			'a change counts at the next look-up a replacement by a link',
		],
		'server/doctor/doctor': ['the map of the last session that is the', 'each key where a map that'],
		'server/doctor/sandbox': ['the file that a link leads'],
		'server/env-file/files': [
			'reading follows links',
			'reading refuses links that',
			'what is no regular file is neither read nor written a link',
			'writing replaces what a link',
			'writing makes what a link',
			'writing refuses links that',
		],
		'server/files/cached-reader': [
			'what is done to a file between two reads counts a link',
			'what is done to a file between two reads counts the',
		],
		'server/paths/file-system': ['paths with links '],
		'server/policy/attachments': [
			'a file that was touched before it was private also by',
			'a private file in a prompt is seen',
			'a private file in a prompt is where',
		],
		'server/policy/file-protection': [
			'very many links and agents',
			'whoever is refused can be told Bash {"command":"cat link.md"}',
			'whoever is refused can be told Bash {"command":"cat links/*"}',
			'whoever is refused can be told Bash {"command":"grep -R',
		],
		'server/record/journal': ['what cannot be written or read a folder'],
		'server/search/scope': ['with links '],
		'server/search/search': ['links are not'],
		'server/traces/clean-file': ['a link stays a link, and'],
		'stdio/load-context': ['file_unreadable'],
		'stdio/find-context': ['what cannot be searched is told'],
		'stdio/command-line': ['a symlinked dotfile'],
	},
	'modes forbid nothing on Windows': {
		'server/doctor/doctor': ['each key whose file others may'],
		'server/env-file/files': ['reading says what to do about', 'writing keeps the mode', 'writing leaves all as it'],
		'server/files/cached-reader': ['what is done to a file between two reads counts it may'],
		'server/record/journal': ['what cannot be written or read without'],
		'server/traces/clean-file': ['what can not be cleaned is as it was in a folder that is closed'],
		'stdio/load-context': ['what the account may not read'],
		'stdio/tool-exposure': ['an env file without permission'],
		'stdio/scan': ['so is a file or folder that may not'],
	},
	'it runs programs of a Unix system': {
		'server/env-file/files': ['what is no regular file is neither read nor written a FIFO'],
		'server/processes/process-table': [
			'/proc tells of a process',
			'a program can have any name',
			'one that has ended is none',
			'ps(1) tells the same, but',
			'it is the ps(1) of the',
		],
		'server/processes/process-tree': [
			'where ps(1) tells of processes,',
			'if the system lists no processes a group',
			'if the system lists no processes nothing',
		],
		'server/processes/system-program': ['a program is that of the'],
		'server/processes/watchdog': ['no signal to the broker and'],
		'server/search/search': [
			'what is no file',
			'settings of a repository',
			'a folder that git may not',
			'a repository that git does not',
		],
		'server/shell/shell': [''],
		'stdio/load-context': ['not_a_file'],
		'stdio/shell': [''],
		'stdio/find-context': ['what is asked for by its path'],
		'stdio/command-line': ['where the working folder was removed', 'a reader that has seen enough'],
	},
	'Windows allows no such names': {
		'server/files/read-markdown': [
			'names "a\\n.md"',
			'names "\\u001b[2J.md"',
			'names "\'\\"`$().md"',
			'names "a.md\\n"',
		],
		'server/search/search': ['any name is searched'],
	},
	'Wine tells no real path beyond 260 characters': { 'server/files/read-markdown': ['names "aaaaaaaa'] },
	'Windows has no such sandbox': {
		'server/doctor/sandbox': [
			'what is printed can be put',
			'it is shown as it has to',
			'files that are named as they',
			'files that are named by folders',
			'absolute paths count, also',
			"an administrator's settings",
			'it is told if settings of',
		],
	},
	'it has a socket in the file system': {
		'server/isolation/sockets': ['found are those that exist,', 'the sockets of Docker and'],
		'server/isolation/verify-isolation': ['a sandbox that', 'where nothing is reached'],
	},
	'it needs Git': {
		'server/search/history': [''],
		'server/search/search': [
			'in a repository the files',
			'a repository in a folder',
			'submodules are',
			'a folder that the repository',
			'what vanishes',
		],
		'stdio/find-context': ['the history is', 'a repository that git', 'a search of the history that'],
		'stdio/scan': ['it works as a hook'],
	},
	'it plays Windows on another system': {
		'server/processes/process-table': ['PowerShell tells', 'a list that is none'],
		'server/processes/process-tree': ['if the system lists no processes Windows ends it, by'],
	},
	'Windows has no such signals or parents': { 'stdio/lifetime': ['it ends on SIG', 'it ends when its parent'] },
};
