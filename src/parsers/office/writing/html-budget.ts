/** How much HTML the reader of a file may write. */
import { PagewrightError } from '../../../errors.ts';

/** Counts characters: a small file may name one long text ten thousand times. */
export class HtmlBudget {
  readonly #most: number;
  #left: number;

  /** `most`: characters. */
  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** True while that many more characters may be written. */
  has(characters: number): boolean {
    return characters <= this.#left;
  }

  /** Throws `PARSE_LIMIT` when there are none left. Gives the text back. */
  spend(text: string): string {
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The content of the file has more than ${this.#most} characters. Raise limits.text to read it.`,
    );
  }
}
