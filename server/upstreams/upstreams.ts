import { isIsolated, type ToolOrigin } from '../context-map/isolated-tools.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import { withoutRepeats } from '../memoize.ts';
import { truncate } from '../text/truncate.ts';
import type { RawTool } from './connection.ts';
import { namePrefixes, nameTools } from './tool-names.ts';
import type { Upstream, UpstreamState } from './upstream.ts';

export interface OfferedTool {
	readonly upstream: Upstream;
	readonly tool: string;
	readonly listing: RawTool;
}

export class Upstreams {
	readonly #upstreams: readonly Upstream[];
	readonly #onClash: (key: string, tools: readonly ToolOrigin[]) => void;
	readonly #names: readonly string[];

	/** @param onClash called once for each set of tools that cannot be distinguished */
	constructor(upstreams: readonly Upstream[], onClash: (tools: readonly ToolOrigin[]) => void) {
		this.#upstreams = upstreams;
		this.#names = upstreams.map(({ config }) => config.name);
		this.#onClash = withoutRepeats((_key, clash: readonly ToolOrigin[]) => onClash(clash));
	}

	start(): void {
		for (const upstream of this.#upstreams) upstream.start();
	}

	/** Resolves when every first attempt to connect is over. */
	async started(): Promise<void> {
		await Promise.all(this.#upstreams.map((upstream) => upstream.started()));
	}

	states(): UpstreamState[] {
		return this.#upstreams.map((upstream) => upstream.state);
	}

	/** Tools by their names in the broker. @param isPrivate whether the session holds private data */
	offered(isPrivate: boolean): ReadonlyMap<string, OfferedTool> {
		const all = this.#upstreams.flatMap((upstream) =>
			upstream.tools(isPrivate).map((raw) => ({ server: upstream.config.name, tool: raw.name, upstream, raw })),
		);
		const { byName, clashes } = nameTools(all, this.#names);
		for (const clash of clashes) this.#onClash(clash.map(keyOf).sort().join(), clash);
		const offered = new Map<string, OfferedTool>();
		for (const [name, { upstream, tool, raw }] of byName)
			offered.set(name, { upstream, tool, listing: { ...listingOf(upstream, raw), name } });
		return offered;
	}

	instructions(isPrivate: boolean, shown: ReadonlySet<string>): string | undefined {
		const ofShown = new Set(
			[...this.offered(isPrivate)].flatMap(([name, { upstream }]) => (shown.has(name) ? upstream : [])),
		);
		const speaking = [...ofShown].filter(({ instructions = '' }) => instructions.trim() !== '');
		const share = Math.floor(MAX_INSTRUCTIONS / speaking.length);
		const parts = speaking.map(({ config: { name }, instructions = '' }) => {
			const part = `The server ${name} (its tools here: ${name}__*) says:\n${instructions.trim()}`;
			return part.length <= share ? part : `${truncate(part, share - 1)}…`;
		});
		return parts.length === 0 ? undefined : parts.join('\n\n');
	}

	/** All are shown by default, because the user chose the servers. */
	exposable(isPrivate: boolean): ExposableTool[] {
		return [...this.offered(isPrivate)].map(([name, { upstream, tool }]) => {
			const { name: server } = upstream.config;
			const origin = `${server}__${tool}`;
			return { name, exposure: 'default', ...(name === origin ? {} : { origin }) };
		});
	}

	/** Name prefixes of tools not listed yet. */
	expected(): string[] {
		return this.#upstreams.filter(({ isListed }) => !isListed).flatMap(({ config }) => namePrefixes(config.name));
	}

	async close(): Promise<void> {
		await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
	}
}

function keyOf({ server, tool }: ToolOrigin): string {
	return JSON.stringify([server, tool]);
}

/** In characters. Claude Code cuts a server's instructions at 2,048. The servers share this equally. */
const MAX_INSTRUCTIONS = 2_000;

/** In characters, see test/claude/result-size.test.ts. */
const LARGEST_RESULT = { 'anthropic/maxResultSizeChars': 500_000 };

/** An isolated tool's result must reach the subagent whole. */
function listingOf({ config }: Upstream, tool: RawTool): RawTool {
	return isIsolated(config.isolation, tool.name)
		? { ...tool, _meta: { ...LARGEST_RESULT, ...Object(tool._meta) } }
		: tool;
}
