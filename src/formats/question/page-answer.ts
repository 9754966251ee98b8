/** The answer to a question about a page: what a caller gets. */
import type { ProvenanceStatus } from '../json/provenance/provenance.ts';

/** A passage of the page that an answer rests on. */
export interface AnswerQuote {
  /** The page. */
  readonly url: string;
  /** As it stands in the page's markdown. */
  readonly quote: string;
  /**
   * Of the quote in the markdown, in UTF-16 units: `markdown.slice(start, end) === quote`. Null where
   * only the model's text of the page has it.
   */
  readonly start: number | null;
  readonly end: number | null;
}

/** An answer that the page gives. */
export interface PageAnswer {
  /** Null when the page does not answer the question. */
  readonly answer: string | null;
  /**
   * `supported`: all quotes are on the page, and the numbers and addresses of the answer are in them.
   * `unverified`: some are not, as when the model calculated. `notFound`: the page does not say it.
   */
  readonly status: ProvenanceStatus;
  /** One to ten passages of the page, in its order; empty when there is no answer. */
  readonly quotes: readonly AnswerQuote[];
}
