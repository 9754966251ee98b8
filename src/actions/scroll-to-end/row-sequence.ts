/** Puts the rows of a list that is seen part by part into one sequence, each once. */

/** A row as one look at the list shows it. */
export interface Row {
  readonly id: number;
  /** The same for rows of the same content. */
  readonly key: string;
  /** Pixels from the start of the list. */
  readonly top: number;
  readonly left: number;
  readonly height: number;
  /** It sticks to an edge, wherever the list is scrolled to. */
  readonly isPinned: boolean;
}

/** How many rows before the end a look may begin. */
const reach = 1000;

/**
 * Each look is a part of the list that overlaps what was seen before. Where it belongs is told by
 * content and place together: rows of the same content are told apart by their places, and rows
 * whose places moved (heights that were estimated before) by their content.
 */
export class RowSequence {
  readonly #rows: Row[] = [];

  get length(): number {
    return this.#rows.length;
  }

  /** The numbers of the rows, as they were seen last. */
  get ids(): number[] {
    return this.#rows.map(({ id }) => id);
  }

  clear(): void {
    this.#rows.length = 0;
  }

  /** Adds what one look shows; rows that were seen before take their new form. */
  add(look: readonly Row[]): void {
    const known = new Set(this.#rows.slice(-reach).map(({ key }) => key));
    const rows = look
      .filter(({ isPinned, key }) => !isPinned || !known.has(key))
      .sort((one, other) => one.top - other.top || one.left - other.left);
    const start = this.#startOf(rows);
    rows.forEach((row, at) => {
      this.#rows[start + at] = row;
    });
  }

  /** The index in the sequence where these rows fit best. */
  #startOf(rows: readonly Row[]): number {
    const { length } = this.#rows;
    const counts = new Map<string, number>();
    for (const { key } of [...this.#rows.slice(-reach), ...rows]) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    let best = length;
    let most = -Infinity;
    // From the end: of two that fit as well, the one that adds more rows.
    for (let start = length; start >= Math.max(0, length - reach); start--) {
      const score = this.#fit(rows, start, counts);
      if (score > most) [best, most] = [start, score];
    }
    return best;
  }

  #fit(rows: readonly Row[], start: number, counts: ReadonlyMap<string, number>): number {
    const last = this.#rows.at(-1);
    const end = last === undefined ? -Infinity : last.top + last.height;
    let score = 0;
    for (const [at, row] of rows.entries()) {
      const before = this.#rows[start + at];
      if (before === undefined) {
        // A new row lies behind what was seen, or beside the last one.
        const inside =
          last !== undefined && row.top === last.top && row.left > last.left ? 0 : end - row.top;
        score -= Math.min(Math.max(inside / row.height, 0), 1);
        continue;
      }
      const isUnique = (counts.get(row.key) ?? 0) <= 2;
      const isSame = before.key === row.key;
      // Other content in the same place is a row that has loaded since.
      score += isSame ? (isUnique ? 2 : 1) : -0.5;
      const distance = Math.abs(before.left - row.left) + Math.abs(before.top - row.top);
      score -= Math.min(distance / row.height, 1);
    }
    return score;
  }
}
