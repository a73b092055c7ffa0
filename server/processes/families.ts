import { type Family, type FamilyTraits, ProcessFamily } from './process-family.ts';
import { processesOf } from './process-table.ts';
import { WindowsFamily } from './windows-family.ts';

/**
 * How the processes of a command are found on a platform.
 *
 * @param now a clock that is never set back, in milliseconds
 */
export function familiesOn(platform: NodeJS.Platform, now: () => number): (traits: FamilyTraits) => Family {
	if (platform === 'win32') return (traits) => new WindowsFamily(traits);
	const read = processesOf(platform);
	return (traits) => new ProcessFamily(traits, read, now);
}
