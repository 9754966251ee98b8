/** The features of one paragraph: numbers in a fixed order, each with its name. */

/** Written again for every paragraph, so that nothing is left behind for each of them. */
export class FeatureRow {
  /** In the order in which features are added, which is always the same. */
  readonly names: string[] = [];
  readonly values: Float64Array = new Float64Array(mostFeatures);
  #next = 0;

  /** Starts over. */
  begin(): void {
    this.#next = 0;
  }

  add(name: string, value: number): void {
    const at = this.#next;
    this.values[at] = value;
    if (at === this.names.length) this.names.push(name);
    this.#next = at + 1;
  }
}

const mostFeatures = 256;
