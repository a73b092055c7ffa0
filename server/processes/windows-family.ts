import { execFile } from 'node:child_process';
import type { Family, FamilyTraits } from './process-family.ts';

/** The processes of one command on Windows, which knows parents but no groups: none is found once its parent is gone. */
export class WindowsFamily implements Family {
	#traits: FamilyTraits;

	constructor(traits: FamilyTraits) {
		this.#traits = traits;
	}

	get traits(): FamilyTraits {
		return this.#traits;
	}

	async members(): Promise<readonly []> {
		this.#traits = { ...this.#traits, seen: [] };
		return [];
	}

	async end(): Promise<void> {
		const { group } = this.#traits;
		if (group === undefined) return;
		// It fails where nothing is left.
		await new Promise<void>((resolve) => execFile('taskkill', ['/pid', String(group), '/t', '/f'], () => resolve()));
		await this.members();
	}
}
