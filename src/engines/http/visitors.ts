/** What is remembered of visitors: who each one seems to be. */

/** One visitor. */
export interface Visitor<Identity> {
  /** Different for each visitor. */
  readonly key: string;
  readonly identity: Identity;
}

/** Gives each visitor an identity and keeps it as long as the visitor object lives. */
export class Visitors<Identity> {
  readonly #draw: () => Identity;
  readonly #known = new WeakMap<object, Visitor<Identity>>();
  #count = 0;

  constructor(draw: () => Identity) {
    this.#draw = draw;
  }

  of(visitor: object = {}): Visitor<Identity> {
    const known = this.#known.get(visitor) ?? {
      key: String(this.#count++),
      identity: this.#draw(),
    };
    this.#known.set(visitor, known);
    return known;
  }
}
