/** What finds the main content of a page in place of our own extractor. */

/** A page as an extractor gets it. */
export interface MainContentInput {
  /** The final URL. */
  readonly url: string;
  /**
   * The whole document: its `<head>` as it was received, its `<body>` cleaned of what nobody reads
   * (scripts, styles, comments, hidden elements, what ad networks left) and with absolute URLs. Made
   * anew each time it is read.
   */
  readonly html: string;
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
}

/** HTML, or an element of any DOM, whose HTML is taken. Nothing: the content was not found. */
export type MainContent = string | { readonly outerHTML: string } | null | undefined;

/**
 * Finds the main content of a page, for the option `mainContent`. It runs on your thread, for heavy
 * pages too: functions cannot be sent to another.
 *
 * @example const extractor: MainContentExtractor = ({ html }) => /<main[^]*<\/main>/.exec(html)?.[0];
 */
export type MainContentExtractor = (page: MainContentInput) => MainContent | Promise<MainContent>;

/** The extractors of other hands that come with an adapter. */
export type ExtractorName = 'readability' | 'defuddle';
