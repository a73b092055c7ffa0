/** A map that holds so many entries at most, beside those that must stay: for a new one the oldest goes that may. */
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
