import { readFileSync } from 'node:fs';

/** What a process holds in memory: of Linux only. @param {number} pid @returns {number} megabytes */
export function residentOf(pid) {
	const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return (Number(kibibytes) * 1024) / 1e6;
}
