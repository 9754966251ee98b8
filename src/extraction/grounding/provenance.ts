/** The provenance of extracted data: where each leaf comes from, the options for it, and the provenance of data merged from several pages. */
import { preview } from '../../text/option-errors.ts';
import type { ExtractionSource } from '../heuristics/schema-part.ts';

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

// The options for provenance, checked.

/** The options, of the json format and of `extract()`. */
export interface ProvenanceOptions {
  /** Tell for each value where on the page it is. @default false */
  readonly provenance?: boolean | undefined;
  /**
   * What is done with values that are not `supported` by the page: `keep` them; `refuse` the page with
   * `ExtractError`; make them `null`, or absent where the schema does not allow null, and list them as
   * not found. @default 'keep'
   */
  readonly unverified?: UnverifiedChoice | undefined;
}

/** The choices, in the order of their severity. */
export const unverifiedChoices: readonly ['keep', 'refuse', 'null'] = ['keep', 'refuse', 'null'];

/** Throws an `Error` that names the key. */
export function checkProvenanceOptions(options: {
  readonly provenance?: unknown;
  readonly unverified?: unknown;
}): ProvenanceOptions {
  const { provenance, unverified } = options;
  if (provenance !== undefined && typeof provenance !== 'boolean') {
    throw new Error(`provenance: expected true or false, got ${preview(provenance)}`);
  }
  const choice = unverifiedChoices.find((one) => one === unverified);
  if (unverified !== undefined && choice === undefined) {
    throw new Error(`unverified: expected "keep", "refuse" or "null", got ${preview(unverified)}`);
  }
  return { provenance, unverified: choice };
}

/** True when values have to be looked up. */
export function verifies({ provenance = false, unverified = 'keep' }: ProvenanceOptions): boolean {
  return provenance || unverified !== 'keep';
}

// The provenance of data that was merged from several pages.

/** Where a merged leaf was on one of the pages that say it. */
export interface LeafOrigin {
  readonly url: string;
  /** In the data of that page. */
  readonly path: string;
}

/** For each leaf the first page that supports it, or else the first that gave it. */
export function mergeProvenance(
  origins: ReadonlyMap<string, readonly LeafOrigin[]>,
  pages: ReadonlyMap<string, Provenance>,
): Provenance {
  const entries: [string, LeafProvenance][] = [];
  for (const [path, places] of origins) {
    const known = places.flatMap((origin): LeafProvenance[] => {
      const page = pages.get(origin.url);
      const leaf =
        page !== undefined && Object.hasOwn(page, origin.path) ? page[origin.path] : undefined;
      return leaf === undefined ? [] : [leaf];
    });
    const best = known.find(({ status }) => status === 'supported') ?? known[0];
    if (best !== undefined) entries.push([path, best]);
  }
  return Object.fromEntries(entries);
}
