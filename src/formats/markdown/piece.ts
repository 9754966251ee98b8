/** A stretch of a block's final text, with what the escaping has to know about it. */

/** Pieces follow each other without anything between them. */
export interface Piece {
  text: string;
  /**
   * `text`: words of the page, to be escaped. `literal`: markup, code, images. `open` and `close`:
   * delimiters of emphasis. `linkOpen` and `linkClose`: the two halves of a link. `break`: a line end.
   */
  role: 'text' | 'literal' | 'open' | 'close' | 'linkOpen' | 'linkClose' | 'break';
  /** The same number on a delimiter and its counterpart. */
  readonly pair: number;
}
