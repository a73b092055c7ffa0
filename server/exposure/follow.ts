import type { ExposureGate } from './gate.ts';

/**
 * Tells when other tools are shown than before. Once there are other tools it tells of the next edit in any case, since
 * what was shown of them before it was nobody's to note.
 *
 * @param onEdit calls back whenever the env file may have been edited
 */
export async function followExposure(
	gate: ExposureGate,
	onEdit: (listener: () => void) => void,
	onChange: () => void,
): Promise<void> {
	let before = await stateOf(gate);
	onEdit(async () => {
		const now = await stateOf(gate);
		if (now === before) return;
		before = now;
		onChange();
	});
}

/** The same as long as the same tools are there, and the same of them shown. */
async function stateOf(gate: ExposureGate): Promise<string> {
	const shown = await gate.shown();
	return JSON.stringify([gate.existing, [...shown]]);
}
