/** The numbered definitions of links: `[text][1]` in the text, `[1]: https://…` at its end. */
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** Definitions by target: one for each URL with its title. */
export class References {
  readonly #numbers = new Map<string, string>();
  readonly #targets = new Map<string, string>();

  /** The label, until the text is settled, for what stands in the parentheses of an inline link. */
  labelOf(target: string): string {
    return getOrInsert(this.#numbers, target, () => {
      const label = `${unsettled}${this.#targets.size + 1}`;
      this.#targets.set(label, target);
      return label;
    });
  }

  /**
   * The text numbered in its order, which is not always the order of writing, and the targets by number. Left out are
   * numbers that the text has in brackets: with a definition they would be links.
   */
  settle(text: string): { readonly body: string; readonly definitions: Map<number, string> } {
    const taken = new Set<number>();
    for (const [, digits] of text.matchAll(/\[[\s>]*(\d{1,9})[\s>]*\\?\]/g))
      taken.add(Number(digits));
    const numbers = new Map<string, number>();
    const definitions = new Map<number, string>();
    let last = 0;
    const body = text.replace(/\]\[(\d{10,})\]/g, (whole, label: string) => {
      const target = this.#targets.get(label);
      if (target === undefined) return whole;
      const number = getOrInsert(numbers, label, () => {
        do last += 1;
        while (taken.has(last));
        return last;
      });
      definitions.set(number, target);
      return `][${number}]`;
    });
    return { body, definitions };
  }
}

/** Digits before the number of a link that no page has; a label of more than nine is none of `taken`. */
const unsettled = '734501926';

/** The lines of definitions, after a blank line. */
export function definitionLines(definitions: Iterable<readonly [number, string]>): string {
  const lines = [...definitions].map(([number, target]) => `[${number}]: ${target}`);
  return lines.length === 0 ? '' : `\n\n${lines.join('\n')}`;
}
