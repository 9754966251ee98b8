/** A paragraph of prose. */

/** What a summary may take sentences from. */
export interface Paragraph {
  /** On one line. */
  readonly text: string;
  /** False for items of lists, quotes and what else is beside the prose of the page. */
  readonly isProse: boolean;
}

/** Characters of a page that are read for a summary: some 500 sentences. What matters comes early. */
export const readCharacters = 100_000;
