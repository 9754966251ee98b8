/** A passage of a page: what a caller gets. */

/** Text of the page as it is. */
export interface Highlight {
  /** As it stands in the page's markdown. */
  readonly text: string;
  /**
   * In the page's markdown, in UTF-16 units: `markdown.slice(start, end) === text`. Null where only
   * the model's text of the page has it.
   */
  readonly start: number | null;
  readonly end: number | null;
  /** The headings that it stands below, the outermost first. */
  readonly headingPath: readonly string[];
}
