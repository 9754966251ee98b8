/** Where each leaf of extracted data comes from: what a caller is told. */
import type { ExtractionSource } from '../outcome.ts';

/**
 * `supported`: the page says it. `unverified`: it cannot be told, as for a choice among words of the
 * schema, a yes or no that the page has no words for, and a date of which the page says a part.
 * `notFound`: the page does not say it.
 */
export type ProvenanceStatus = 'supported' | 'unverified' | 'notFound';

/** What is done with values that are not `supported`. */
export type UnverifiedChoice = 'keep' | 'refuse' | 'null';

/** The place of one value. */
export interface LeafProvenance {
  /** The page. */
  readonly url: string;
  readonly status: ProvenanceStatus;
  /**
   * What the page says, as it stands in its markdown; null where it does not stand there: a value of
   * JSON-LD or a meta tag need not be among what people read.
   */
  readonly quote: string | null;
  /** Of the quote in the markdown, in UTF-16 units: `markdown.slice(start, end) === quote`. */
  readonly start: number | null;
  readonly end: number | null;
  /** What it was read from without a model; `url` for the page's own address. */
  readonly source?: ExtractionSource | 'url';
  /** The one that matched, for the source `selector`. */
  readonly selector?: string;
}

/**
 * By path: `offers[0].price`; the root's is empty. Paths are those of the data before the schema's own
 * transforms. Values that are absent or null and those that the schema fixes (`const`) are left out.
 */
export type Provenance = Readonly<Record<string, LeafProvenance>>;

/** The page as it is quoted. */
export interface QuotedPage {
  readonly url: string;
  readonly markdown: string;
  /** A language tag; undefined when the page does not say. */
  readonly language: string | undefined;
}
