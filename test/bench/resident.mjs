import { readFileSync } from 'node:fs';

/** A process's resident memory; Linux only. @param {number} pid @returns {number} megabytes */
export function residentOf(pid) {
	const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
	return (Number(kibibytes) * 1024) / 1e6;
}
