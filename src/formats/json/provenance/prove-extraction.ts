/** What a page gave, verified against its markdown, and settled as the caller wants it. */
import type { JsonSchema } from '../json-schema.ts';
import type { Provenance, QuotedPage, UnverifiedChoice } from './provenance.ts';
import { type Grounds, provenanceOf } from './provenance-of.ts';
import { settleUnverified } from './settle-unverified.ts';

/** An extraction as far as this needs it. */
export interface ProvableExtraction extends Grounds {
  readonly notFound: readonly string[];
}

/** An extraction with its provenance. */
export interface ProvenExtraction<E extends ProvableExtraction> {
  readonly extraction: E;
  readonly provenance: Provenance;
  /** Paths of what was taken out. */
  readonly removed: readonly string[];
}

/**
 * Looks up each leaf. `grounds` is what the page gave without a model, where `extraction` is of one.
 * Throws `ExtractError` for values that are not supported, with `refuse`.
 */
export async function proveExtraction<E extends ProvableExtraction>(
  extraction: E,
  schema: JsonSchema,
  page: QuotedPage,
  unverified: UnverifiedChoice,
  grounds: Grounds = extraction,
): Promise<ProvenExtraction<E>> {
  const provenance = await provenanceOf(extraction.value, schema, page, grounds);
  const settled = settleUnverified(extraction.value, provenance, schema, unverified, page.url);
  const { removed } = settled;
  if (removed.length === 0) return { extraction, provenance, removed };
  const notFound = [...extraction.notFound, ...removed];
  return {
    extraction: { ...extraction, value: settled.value, notFound },
    provenance: settled.provenance,
    removed,
  };
}
