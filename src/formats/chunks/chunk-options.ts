/** The options of the chunks format. */
import { preview } from '../../text/preview.ts';
import { refuseUnknown } from '../../text/unknown-name.ts';

/** How passages are cut. */
export interface ChunkOptions {
  /**
   * Tokens of a passage at most, 16 to 1000000. Only a table or a block of code that has more by
   * itself goes beyond. 512 is what most embedding models take, and small enough to be about one thing.
   * @default 512
   */
  readonly maxTokens?: number | undefined;
  /**
   * Tokens of the passage before that are repeated where a section was cut, as far as whole
   * sentences fit: up to half of `maxTokens`, and counted in it.
   * @default 0
   */
  readonly overlap?: number | undefined;
  /**
   * Counts the tokens of a text exactly, for example with the tokenizer of your model. It is called
   * on your thread, which then does the cutting too. `HOOK_FAILED` when it gives no number. Without it
   * tokens are estimated.
   */
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** The same with defaults, without what cannot be sent to a thread. */
export interface ChunkSizes {
  readonly maxTokens: number;
  readonly overlap: number;
}

/** Checks the object form. Throws an `Error` that names what is wrong. */
export function parseChunkOptions(
  options: Readonly<Record<string, unknown>>,
): ChunkOptions & ChunkSizes {
  const { maxTokens = 512, overlap = 0, countTokens, ...unknown } = options;
  refuseUnknown(unknown, ['maxTokens', 'overlap', 'countTokens']);
  if (!isInteger(maxTokens) || maxTokens < 16 || maxTokens > 1_000_000) {
    throw wrong('maxTokens', 'an integer from 16 to 1000000', maxTokens);
  }
  if (!isInteger(overlap) || overlap < 0 || overlap > maxTokens / 2) {
    throw wrong('overlap', 'an integer from 0 to half of maxTokens', overlap);
  }
  if (countTokens === undefined) return { maxTokens, overlap };
  if (typeof countTokens !== 'function') {
    throw wrong('countTokens', 'a function from a text to a number', countTokens);
  }
  return { maxTokens, overlap, countTokens: countTokens as (text: string) => number };
}

function wrong(name: string, expected: string, value: unknown): Error {
  return new Error(`${name}: expected ${expected}, got ${preview(value)}`);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
