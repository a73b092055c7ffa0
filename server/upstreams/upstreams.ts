import type { ToolOrigin } from '../context-map/isolated-tools.ts';
import { isIsolated } from '../context-map/isolated-tools.ts';
import type { ExposableTool } from '../exposure/policy.ts';
import { truncate } from '../text/truncate.ts';
import type { RawTool } from './connection.ts';
import { beginningsOf, nameTools } from './tool-names.ts';
import type { Upstream, UpstreamState } from './upstream.ts';

/** A tool of a server behind the broker, as the broker offers it. */
export interface OfferedTool {
	readonly upstream: Upstream;
	/** As the server names it. */
	readonly tool: string;
	/** As the server lists it, but under the name that it has here. */
	readonly listing: RawTool;
}

/** The servers behind the broker, and the one table of what they offer. */
export class Upstreams {
	readonly #upstreams: readonly Upstream[];
	readonly #onClash: (tools: readonly ToolOrigin[]) => void;
	readonly #names: readonly string[];
	readonly #told = new Set<string>();

	/** @param onClash told once of tools that can't be told apart */
	constructor(upstreams: readonly Upstream[], onClash: (tools: readonly ToolOrigin[]) => void) {
		this.#upstreams = upstreams;
		this.#names = upstreams.map(({ config }) => config.name);
		this.#onClash = onClash;
	}

	/** Connects to all of them, at the same time. */
	start(): void {
		for (const upstream of this.#upstreams) upstream.start();
	}

	/** When each was connected to, or could not be. */
	async started(): Promise<void> {
		await Promise.all(this.#upstreams.map((upstream) => upstream.started()));
	}

	/** How each stands. */
	states(): UpstreamState[] {
		return this.#upstreams.map((upstream) => upstream.state);
	}

	/** What they offer now, by name. @param isPrivate whether the session holds private data */
	offered(isPrivate: boolean): ReadonlyMap<string, OfferedTool> {
		const all = this.#upstreams.flatMap((upstream) => {
			return upstream
				.tools(isPrivate)
				.map((tool) => ({ server: upstream.config.name, tool: tool.name, upstream, raw: tool }));
		});
		const { byName, clashes } = nameTools(all, this.#names);
		for (const clash of clashes) this.#tell(clash);
		const offered = new Map<string, OfferedTool>();
		for (const [name, { upstream, tool, raw }] of byName)
			offered.set(name, { upstream, tool, listing: { ...listingOf(upstream, raw), name } });
		return offered;
	}

	/**
	 * What the servers say of how to use their tools, each with how the names of its tools begin.
	 *
	 * @param shown the names of the tools that are shown; of others nothing is said
	 */
	instructions(isPrivate: boolean, shown: ReadonlySet<string>): string | undefined {
		const ofShown = new Set(
			[...this.offered(isPrivate)].flatMap(([name, { upstream }]) => (shown.has(name) ? upstream : [])),
		);
		const telling = [...ofShown].filter(({ instructions = '' }) => instructions.trim() !== '');
		const share = Math.floor(LONGEST_INSTRUCTIONS / telling.length);
		const parts = telling.map(({ config: { name }, instructions = '' }) => {
			const part = `The server ${name} (its tools here: ${name}__*) says:\n${instructions.trim()}`;
			return part.length <= share ? part : `${truncate(part, share - 1)}…`;
		});
		return parts.length === 0 ? undefined : parts.join('\n\n');
	}

	/** The tools that the user can show and hide. They are the user's choice, so all are shown by default. */
	exposable(isPrivate: boolean): ExposableTool[] {
		return [...this.offered(isPrivate)].map(([name, { upstream, tool }]) => {
			const { name: server } = upstream.config;
			const origin = `${server}__${tool}`;
			return { name, exposure: 'default', ...(name === origin ? {} : { origin }) };
		});
	}

	/** How the names of tools begin that are still to come. */
	expected(): string[] {
		return this.#upstreams.filter(({ isListed }) => !isListed).flatMap(({ config }) => beginningsOf(config.name));
	}

	async close(): Promise<void> {
		await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
	}

	#tell(clash: readonly ToolOrigin[]): void {
		const key = clash
			.map(({ server, tool }) => JSON.stringify([server, tool]))
			.sort()
			.join();
		if (this.#told.has(key)) return;
		this.#told.add(key);
		this.#onClash(clash);
	}
}

/** Claude Code cuts a server's instructions at 2,048 characters; each of the servers has the same part of them. */
const LONGEST_INSTRUCTIONS = 2_000;

/** A result for a subagent does not have to be small. @see test/claude/result-size.test.ts */
const LARGEST_RESULT = { 'anthropic/maxResultSizeChars': 500_000 };

/** As the server lists it; an isolated tool's result is to reach the subagent whole. */
function listingOf({ config }: Upstream, tool: RawTool): RawTool {
	return isIsolated(config.isolation, tool.name)
		? { ...tool, _meta: { ...LARGEST_RESULT, ...Object(tool._meta) } }
		: tool;
}
