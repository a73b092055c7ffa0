import { expect, test } from 'vitest';
import { ExposureGate, followExposure } from '../../../server/exposure/gate.ts';
import type { ExposableTool } from '../../../server/exposure/policy.ts';

const TOOLS: readonly ExposableTool[] = [
	{ name: 'load_context', exposure: 'safe' },
	{ name: 'run_shell_command', exposure: 'named' },
];

function createGate(environment: NodeJS.ProcessEnv = {}) {
	const warned: string[] = [];
	const file = { variables: new Map<string, string>(), failure: undefined as Error | undefined };
	const others = { tools: [] as ExposableTool[], expected: [] as string[] };
	const gate = new ExposureGate({
		environment,
		tools: () => [...TOOLS, ...others.tools],
		expected: () => others.expected,
		readVariables: async () => {
			if (file.failure !== undefined) throw file.failure;
			return file.variables;
		},
		warn: (sentence) => warned.push(sentence),
	});
	const shown = async () => [...(await gate.shown())];
	return { gate, shown, file, warned, others };
}

test('an edit of the env file counts at once', async () => {
	const { shown, file } = createGate();
	expect(await shown()).toEqual(['load_context']);
	file.variables = new Map([['CONTEXT_BROKER_ENABLED_TOOLS', 'all']]);
	expect(await shown()).toEqual(['load_context', 'run_shell_command']);
	file.variables = new Map([['CONTEXT_BROKER_DISABLED_TOOLS', 'all']]);
	expect(await shown()).toEqual([]);
});

test('where it can not be read nothing is shown, and why is told once', async () => {
	const { shown, file, warned } = createGate({ CONTEXT_BROKER_ENABLED_TOOLS: 'all' });
	file.failure = new Error('permission denied.');
	for (let turn = 0; turn < 3; turn++) expect(await shown()).toEqual([]);
	expect(warned).toEqual(['The env file cannot be read, so no tool is shown: permission denied.']);
	file.failure = undefined;
	expect(await shown()).toHaveLength(2);
});

test('each warning is told once, and a new one when it comes', async () => {
	const { shown, file, warned } = createGate();
	file.variables = new Map([['CONTEXT_BROKER_DISABLED_TOOLS', 'one']]);
	await shown();
	await shown();
	file.variables = new Map([['CONTEXT_BROKER_DISABLED_TOOLS', 'one two']]);
	await shown();
	expect(warned).toHaveLength(2);
});

test('a tool that is listed while the env file is read is not taken for an unknown one', async () => {
	const { shown, others, warned } = createGate({ CONTEXT_BROKER_DISABLED_TOOLS: 's__*' });
	others.expected = ['s__'];
	const asked = shown();
	others.expected = [];
	others.tools = [{ name: 's__echo', exposure: 'default' }];
	expect(await asked).toEqual(['load_context']);
	expect(warned).toEqual([]);
});

test('a change is told where other tools are shown than before, and only then', async () => {
	const { gate, file, others } = createGate();
	let edited = () => {};
	let changes = 0;
	await followExposure(
		gate,
		(listener) => {
			edited = listener;
		},
		() => {
			changes += 1;
		},
	);
	const edit = async (name: string, value: string) => {
		file.variables = new Map([[name, value]]);
		edited();
		await new Promise(setImmediate);
		return changes;
	};
	expect(await edit('OTHER', 'x')).toBe(0);
	expect(await edit('CONTEXT_BROKER_ENABLED_TOOLS', 'default')).toBe(0);
	expect(await edit('CONTEXT_BROKER_ENABLED_TOOLS', 'all')).toBe(1);
	expect(await edit('CONTEXT_BROKER_ENABLED_TOOLS', '*')).toBe(1);
	expect(await edit('CONTEXT_BROKER_DISABLED_TOOLS', 'all')).toBe(2);
	expect(await edit('OTHER', 'x')).toBe(3);
	// That they are there is told by whoever brings them. What is shown after the edit is what was shown at the last one.
	others.tools = [{ name: 'docs__query', exposure: 'default' }];
	expect(await edit('CONTEXT_BROKER_DISABLED_TOOLS', 'docs__*')).toBe(4);
	expect(await edit('CONTEXT_BROKER_DISABLED_TOOLS', 'docs__query')).toBe(4);
});

test('a word for a tool that is still to come is told neither before nor when it is there, but where it never comes', async () => {
	const { shown, warned, others } = createGate({ CONTEXT_BROKER_ENABLED_TOOLS: 'default server__tool' });
	others.expected = ['server__'];
	expect(await shown()).toEqual(['load_context']);
	Object.assign(others, { tools: [{ name: 'server__tool', exposure: 'default' }], expected: [] });
	expect(await shown()).toEqual(['load_context', 'server__tool']);
	expect(warned).toEqual([]);
	others.tools = [];
	await shown();
	await shown();
	expect(warned).toEqual([expect.stringContaining('"server__tool", which is not a tool')]);
});

test('what is asked for again and again is decided once', async () => {
	const { gate, file, others } = createGate();
	const first = await gate.shown();
	expect(await gate.shown()).toBe(first);
	others.tools = [{ name: 'a__b', exposure: 'default' }];
	expect([...(await gate.shown())]).toEqual(['load_context', 'a__b']);
	others.tools = [{ name: 'a__b', exposure: 'named' }];
	expect([...(await gate.shown())]).toEqual(['load_context']);
	file.variables = new Map([['CONTEXT_BROKER_ENABLED_TOOLS', 'all']]);
	expect([...(await gate.shown())]).toEqual(['load_context', 'run_shell_command', 'a__b']);
});
