/** URLs and addresses that readers of markdown make links without being told (GFM, 6.9). */
import type { Piece } from './piece.ts';

/**
 * Such a link goes on to the next blank or `<`, over emphasis, code and backslashes: what is escaped
 * with a backslash there is not escaped, and a code span there does not begin.
 */
export class BareLinks {
  /** From what makes a link to the next blank, in the text of all pieces. */
  readonly #stretches: { readonly from: number; readonly to: number }[] = [];
  /** Where each piece begins. */
  readonly #starts: number[] = [];

  constructor(pieces: readonly Piece[]) {
    let text = '';
    for (const piece of pieces) {
      this.#starts.push(text.length);
      text += piece.text;
    }
    for (const { index, 0: link } of text.matchAll(linkStart)) {
      this.#stretches.push({ from: index, to: index + link.length });
    }
  }

  /** True where a link that begins before may still go on. */
  reach(piece: number, offset: number): boolean {
    const at = (this.#starts[piece] ?? 0) + offset;
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle]?.to ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return (this.#stretches[low]?.from ?? Infinity) < at;
  }
}

/** Also schemes that GFM does not know: some readers take any. */
const linkStart = /(?::\/\/|www\.|@)[^ \t\n\r\f\v]*/gi;
