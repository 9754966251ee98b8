/** The form of links and pictures in markdown. */

/** The style of markdown for a reader that follows no links or sees no pictures, such as a model. */
export interface MarkdownStyle {
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
}
