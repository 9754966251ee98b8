/** The provenance of extracted data: the source of each leaf, the options, and provenance merged over pages. */
import { preview } from '../../core/checks/option-errors.ts';
import type { ExtractionSource } from '../heuristics/schema-part.ts';

/**
 * `supported`: the page says it. `unverified`: it cannot be decided, as for a choice among words of the
 * schema, a yes or no for which the page has no words, and a date of which the page says a part.
 * `notFound`: the page does not say it.
 */
export type ProvenanceStatus = 'supported' | 'unverified' | 'notFound';

/** The treatment of values that are not `supported`. */
export type UnverifiedChoice = 'keep' | 'refuse' | 'null';

/** The span of one value. */
export interface LeafProvenance {
  /** The page's URL. */
  readonly url: string;
  readonly status: ProvenanceStatus;
  /**
   * The value as written in the page's markdown; null where it does not stand there: a value of
   * JSON-LD or a meta tag need not be among the text for readers.
   */
  readonly quote: string | null;
  /** Position of the quote in the markdown, in UTF-16 units: `markdown.slice(start, end) === quote`. */
  readonly start: number | null;
  readonly end: number | null;
  /** The source from which it was read without a model; `url` for the page's own address. */
  readonly source?: ExtractionSource | 'url';
  /** The selector that matched, for the source `selector`. */
  readonly selector?: string;
}

/**
 * By path: `offers[0].price`; the root's is empty. Paths refer to the data before the schema's own
 * transforms. Absent and null values and constants of the schema (`const`) are left out.
 */
export type Provenance = Readonly<Record<string, LeafProvenance>>;

/** The page as the source of quotes. */
export interface QuotedPage {
  readonly url: string;
  readonly markdown: string;
  /** A language tag; undefined when the page does not say. */
  readonly language: string | undefined;
}

// The options for provenance, checked.

/** The provenance options of the json format and of `extract()`. */
export interface ProvenanceOptions {
  /** Report the span on the page for each value. @default false */
  readonly provenance?: boolean | undefined;
  /**
   * The treatment of values that are not `supported` by the page: `keep` them; `refuse` the page with
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

/** True when values must be looked up. */
export function verifies({ provenance = false, unverified = 'keep' }: ProvenanceOptions): boolean {
  return provenance || unverified !== 'keep';
}

// The provenance of data that was merged from several pages.

/** The origin of a merged leaf on one of the pages that state it. */
export interface LeafOrigin {
  readonly url: string;
  /** The path in the data of that page. */
  readonly path: string;
}

/** Takes for each leaf the first page that supports it, or else the first that gave it. */
export function mergeProvenance(
  origins: ReadonlyMap<string, readonly LeafOrigin[]>,
  pages: ReadonlyMap<string, Provenance>,
): Provenance {
  const entries: [string, LeafProvenance][] = [];
  for (const [path, sources] of origins) {
    const known = sources.flatMap((origin): LeafProvenance[] => {
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
