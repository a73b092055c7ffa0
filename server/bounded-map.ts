/** A map that holds so many entries at most: for a new one the oldest goes that may. */
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
		if (this.size <= this.#limit) return this;
		for (const [oldest, candidate] of this) {
			if (oldest === key || !this.#mayGo(candidate)) continue;
			this.delete(oldest);
			break;
		}
		return this;
	}
}
