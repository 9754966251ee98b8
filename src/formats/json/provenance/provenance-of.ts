/** Where each leaf of a value comes from, however it was found. */
import { pauses } from '../../change-tracking/pause.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { ExtractionSource } from '../outcome.ts';
import { groupLeaves } from './leaves.ts';
import { PageIndex } from './page-index.ts';
import { placeLeaves, type PlacedLeaf } from './place-leaves.ts';
import type { LeafProvenance, Provenance, QuotedPage } from './provenance.ts';

/** What the page gave without a model: a value that is the same there was read from its source. */
export interface Grounds {
  readonly value: unknown;
  readonly sources: Readonly<Record<string, ExtractionSource>>;
  readonly selectors?: Readonly<Record<string, string>>;
}

/**
 * Looks for each leaf of `value`, which is data before the schema's own transforms, in the page's
 * markdown. The time is bounded: what is left when the work becomes too much is `unverified`.
 */
export async function provenanceOf(
  value: unknown,
  schema: JsonSchema,
  page: QuotedPage,
  grounds: Grounds | undefined,
): Promise<Provenance> {
  const groups = groupLeaves(value, schema, grounds?.value);
  const placed = await placeLeaves(groups, new PageIndex(page), pauses());
  const entries = placed.map((one): [string, LeafProvenance] => [
    one.leaf.path,
    { url: page.url, ...described(one, page.markdown, grounds) },
  ]);
  return Object.fromEntries(entries);
}

function described(
  { leaf, place, otherwise }: PlacedLeaf,
  markdown: string,
  grounds: Grounds | undefined,
): Omit<LeafProvenance, 'url'> {
  const source = leaf.isGrounded ? own(grounds?.sources, leaf.path) : undefined;
  const selector = leaf.isGrounded ? own(grounds?.selectors, leaf.path) : undefined;
  const found = place !== undefined && place.isCertain !== false ? 'supported' : otherwise;
  const partly = place === undefined ? otherwise : 'unverified';
  const status = source !== undefined || found === 'supported' ? 'supported' : partly;
  const readFrom = source ?? (place === undefined && status === 'supported' ? 'url' : undefined);
  return {
    status,
    quote: place === undefined ? null : markdown.slice(place.start, place.end),
    start: place?.start ?? null,
    end: place?.end ?? null,
    ...(readFrom === undefined ? {} : { source: readFrom }),
    ...(selector === undefined ? {} : { selector }),
  };
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
