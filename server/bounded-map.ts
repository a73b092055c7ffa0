/** A map with at most `limit` entries, besides those that must stay. A new entry evicts the oldest that may go. */
export class BoundedMap<K, V> extends Map<K, V> {
	readonly #limit: number;
	readonly #mayGo: (value: V) => boolean;

	constructor(limit: number, mayGo: (value: V) => boolean = () => true) {
		super();
		this.#limit = limit;
		this.#mayGo = mayGo;
	}

	override set(key: K, value: V): this {
		super.set(key, value);
		let kept = 0;
		for (const [oldest, candidate] of this) {
			if (this.size - kept <= this.#limit) break;
			if (this.#mayGo(candidate)) this.delete(oldest);
			else kept += 1;
		}
		return this;
	}
}
