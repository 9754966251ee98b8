/** A priority queue, lowest key first: a binary heap, O(log n) in and out. */

interface PriorityEntry<Item> {
  readonly key: number;
  readonly item: Item;
}

/** Items by key. */
export class PriorityQueue<Item> {
  readonly #entries: PriorityEntry<Item>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The item with the lowest key. */
  get first(): Item | undefined {
    return this.#entries[0]?.item;
  }

  push(key: number, item: Item): void {
    const entries = this.#entries;
    const entry = { key, item };
    let index = entries.push(entry) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || parent.key <= key) break;
      entries[index] = parent;
      index = above;
    }
    entries[index] = entry;
  }

  /** Removes the first item. */
  shift(): Item | undefined {
    const entries = this.#entries;
    const first = entries[0]?.item;
    const last = entries.pop();
    if (last !== undefined && entries.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an entry at the top and sifts it down. */
  #sink(entry: PriorityEntry<Item>): void {
    const entries = this.#entries;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [entries[left], entries[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && other.key < one.key;
      const child = isRight ? other : one;
      if (child.key >= entry.key) break;
      entries[index] = child;
      index = isRight ? left + 1 : left;
    }
    entries[index] = entry;
  }
}
