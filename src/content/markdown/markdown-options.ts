/** The options of markdown: the form of links and pictures, and handlers of the caller's. */

/** Options of the format markdown, for a reader that follows no links or sees no pictures, such as a model. */
export interface MarkdownOptions {
  /**
   * `inline`: `[text](url "title")`. `text`: only the words. `reference`: `[text][1]`, with the URLs at the end of the
   * document, or of each chunk: one number for each URL with its title. @default 'inline'
   */
  readonly links?: 'inline' | 'text' | 'reference' | undefined;
  /**
   * `inline`: `![alt](url "title")`. `alt`: only the alternative text. `none`: nothing, apart from pictures of emoji,
   * which are written as characters in each style. @default 'inline'
   */
  readonly images?: 'inline' | 'alt' | 'none' | undefined;
  /**
   * Write elements in your own way, by their names in lower case: `'x-note': ({ text }) => ({ block: `> ${text}` })`.
   * They are called on your thread, also for heavy pages. `HOOK_FAILED`, with the name of the element, where one
   * throws or returns anything else than markdown. @default none
   */
  readonly handlers?: Readonly<Record<string, MarkdownHandler>> | undefined;
}

/**
 * Writes an element: returns markdown that stands in a line, `{ block }` for lines of their own, `''` for nothing, or
 * undefined where the element is written as without the handler, unless `markdown` was read. A text for an element that
 * is a block, such as `p` or `div`, is on lines of its own as well.
 */
export type MarkdownHandler = (
  element: MarkdownElement,
) => string | { readonly block: string } | undefined;

/** An element of the page, as a handler gets it. */
export interface MarkdownElement {
  /** The name of the element, in lower case. */
  readonly name: string;
  /** Its attributes as they are in the page; URLs may be relative. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The text in it, without markup, on one line; that of `pre` with its lines. */
  readonly text: string;
  /**
   * Its content as markdown, in the style of the format; for `pre` and `table` what is written without the handler.
   * Elements in it are written by their handlers, and numbers of references settled at the end.
   */
  readonly markdown: string;
}
