import type { ExposureGate } from './gate.ts';

/**
 * Tells when other tools are shown than before.
 *
 * @param onEdit calls back whenever the env file may have been edited
 */
export async function followExposure(
	gate: ExposureGate,
	onEdit: (listener: () => void) => void,
	onChange: () => void,
): Promise<void> {
	let before = await names(gate);
	onEdit(async () => {
		const now = await names(gate);
		if (now === before) return;
		before = now;
		onChange();
	});
}

async function names(gate: ExposureGate): Promise<string> {
	return [...(await gate.shown())].join('\n');
}
