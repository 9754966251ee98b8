/** The outcome of an extraction: its data, or the reason why there is none. */
import { ExtractError } from '../runtime/errors.ts';
import type { LeafOrigin } from '../../extract/provenance/provenance.ts';
import {
  candidatesOf,
  type ExtractedPage,
  type MergedExtraction,
  mergeExtractions,
} from '../../extract/merge-extractions.ts';
import type { CompiledSchema } from '../../extract/schema/compile-schema.ts';
import { formatPath } from '../../extract/schema/json-schema.ts';
import type { SkippedUrl } from '../model/job.ts';
import type { ExtractSettings } from '../options/extract-options.ts';
import type { ExtractCandidate, ExtractPage } from './extract-job.ts';

/** A page that was read. */
export interface ReadPage extends ExtractedPage {
  readonly age: Omit<ExtractPage, 'url' | 'isUsed'>;
}

/** The data of an extraction, and where it comes from. */
export interface ChosenData extends Omit<MergedExtraction, 'value'> {
  readonly data: unknown;
  readonly notFound: string[];
  /** The positions of each leaf on the pages. */
  readonly origins: ReadonlyMap<string, readonly LeafOrigin[]>;
  /** With the data first; undefined if no page contradicts another. */
  readonly candidates: ExtractCandidate<unknown>[] | undefined;
}

/**
 * Merges the pages. If they contradict each other, the first candidate that fits the schema is taken.
 * Undefined if no page has a value. Throws `EXTRACT_INVALID` if no candidate fits the schema.
 */
export async function chooseData(
  pages: readonly ReadPage[],
  schema: CompiledSchema | undefined,
): Promise<ChosenData | undefined> {
  const json = schema?.jsonSchema ?? {};
  const candidates = candidatesOf(pages, json);
  let failure: { readonly error: unknown } | undefined;
  for (const taken of candidates) {
    const origins = new Map<string, readonly LeafOrigin[]>();
    const { value, ...merged } = mergeExtractions(pages, json, origins, taken);
    if (Object.keys(merged.sources).length === 0) continue;
    try {
      const data = await validated(value, schema, taken.length);
      const first = { data, urls: taken.map(({ url }) => url) };
      const others = candidates.filter((candidate) => candidate !== taken);
      return {
        ...merged,
        data,
        origins,
        notFound: missing(taken, merged),
        candidates: others.length === 0 ? undefined : [first, ...(await fitting(others, schema))],
      };
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return undefined;
}

/** The candidates that fit the schema, each merged from its own pages only. */
async function fitting(
  candidates: readonly (readonly ExtractedPage[])[],
  schema: CompiledSchema | undefined,
): Promise<ExtractCandidate<unknown>[]> {
  const json = schema?.jsonSchema ?? {};
  const found: ExtractCandidate<unknown>[] = [];
  for (const pages of candidates) {
    const { value } = mergeExtractions(pages, json, undefined, pages);
    const data = await validated(value, schema, pages.length).catch(() => undefined);
    if (data !== undefined) found.push({ data, urls: pages.map(({ url }) => url) });
  }
  return found;
}

/** Each page with its age; `isUsed` is true when a value of it is in the data. */
export function pagesOf(
  pages: readonly ReadPage[],
  { sources }: Pick<MergedExtraction, 'sources'>,
): ExtractPage[] {
  const used = new Set(Object.values(sources).flat());
  return pages.map(({ url, age }) => ({ url, ...age, isUsed: used.has(url) }));
}

/** The warning for pages that contradict each other. */
export function contradicted([first]: readonly ExtractCandidate<unknown>[]): string {
  const urls = first?.urls ?? [];
  const named = `${urls.slice(0, 3).join(', ')}${urls.length > 3 ? ', …' : ''}`;
  return `Pages contradict each other: the data is of ${named}; conflicts and candidates have the others.`;
}

/** The data as the schema returns it; throws `EXTRACT_INVALID` for data that does not fit. */
async function validated(
  value: unknown,
  schema: CompiledSchema | undefined,
  pages: number,
): Promise<unknown> {
  if (schema === undefined) return value;
  const checked = await schema.validate(value);
  if ('value' in checked) return checked.value;
  const told = checked.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${formatPath(path)}: ${message}`,
  );
  throw new ExtractError(
    `The data found on ${pages} ${pages === 1 ? 'page' : 'pages'} does not fit the schema. ${told.join('; ')}. ` +
      'Add x-selector to these properties, or make them optional.',
    checked.issues,
  );
}

/** The warning for values left out because their page does not state them. */
export function leftOut(url: string, removed: readonly string[]): string {
  const more = removed.length > 20 ? ` and ${removed.length - 20} more` : '';
  return `Not verified on ${url}, and left out: ${removed.slice(0, 20).join(', ')}${more}.`;
}

/** Paths without a value on any page of the data. */
function missing(
  pages: readonly ExtractedPage[],
  { sources }: Pick<MergedExtraction, 'sources'>,
): string[] {
  const [first, ...rest] = pages.map(({ extraction: { notFound } }) => notFound);
  const found = Object.keys(sources);
  return (first ?? []).filter(
    (path) =>
      rest.every((paths) => paths.includes(path)) &&
      // Lists of records come from other pages, too.
      !found.some((leaf) => leaf === path || leaf.startsWith(`${path}[`)),
  );
}

/** The error when no page has a value of the schema. */
export function nothingFound(urls: readonly string[], { choice }: ExtractSettings): ExtractError {
  return new ExtractError(
    `Nothing of ${choice.asksModel ? 'what is wanted' : 'the schema'} was found on ` +
      `${urls.slice(0, 3).join(', ')}${urls.length > 3 ? ', …' : ''}. ` +
      'Add x-selector to properties of the schema, or name them as the page does.',
    [],
  );
}

/** No page was read because the budget did not pay for one. */
export function nothingRead(skipped: readonly SkippedUrl[]): ExtractError {
  const [first] = skipped;
  return new ExtractError(
    `No page was read: the budget was used up before (${first?.rule}). Raise it.`,
    [],
    first === undefined ? {} : { url: first.url },
  );
}
