/** Drops the oldest entry for a new one over the limit. */
export class BoundedMap<K, V> extends Map<K, V> {
	readonly #limit: number;

	constructor(limit: number) {
		super();
		this.#limit = limit;
	}

	override set(key: K, value: V): this {
		super.set(key, value);
		const [oldest] = this.keys();
		if (this.size > this.#limit) this.delete(oldest as K);
		return this;
	}
}
