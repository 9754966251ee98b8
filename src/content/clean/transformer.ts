/** A transformer changes a page in place, between parsing and formats. */
import type { HtmlPage } from '../../core/model/page.ts';
import type { CleanOptions } from '../../core/model/request.ts';

/** One cleaning step. The list and its order are in `content/clean/index.ts`. */
export interface Transformer {
  readonly name: string;
  /** Elements that it needs: it does not run on pages without any of them. */
  readonly elements?: readonly string[];
  apply(page: HtmlPage, options: CleanOptions): void;
}
