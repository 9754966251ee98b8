/** A transformer changes a page in place, between parsing and formats. */
import type { HtmlPage } from '../../core/model/page.ts';
import type { CleanOptions } from '../../core/model/request.ts';

/** One cleaning step. The list and its order are in `content/clean/index.ts`. */
export interface Transformer {
  readonly name: string;
  /** The elements without which it changes nothing: it does not run on a page that has none of them. */
  readonly elements?: readonly string[];
  apply(page: HtmlPage, options: CleanOptions): void;
}
