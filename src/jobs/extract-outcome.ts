/** What an extraction says at its end: its data, or why there is none. */
import { ExtractError } from '../errors.ts';
import type { PageExtraction } from '../formats/json/index.ts';
import { formatPath } from '../formats/json/format-path.ts';
import type { CompiledSchema } from '../formats/json/schema.ts';
import type { SkippedUrl } from '../model/job.ts';
import type { ExtractSettings } from '../options/extract-options.ts';

/** The data as the schema gives it back; throws `EXTRACT_INVALID` for what does not fit it. */
export async function validated(
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
    `The data found on ${pages} page(s) does not fit the schema: ${told.join('; ')}. ` +
      'Add x-selector to these properties, or make them optional.',
    checked.issues,
  );
}

/** Told where values of a page are left out because it does not say them. */
export function leftOut(url: string, removed: readonly string[]): string {
  const more = removed.length > 20 ? ` and ${removed.length - 20} more` : '';
  return `Not verified on ${url}, and left out: ${removed.slice(0, 20).join(', ')}${more}.`;
}

/** Paths that no page has a value for. */
export function missingEverywhere(extractions: readonly PageExtraction[]): string[] {
  const [first, ...rest] = extractions.map(({ notFound }) => notFound);
  return (first ?? []).filter((path) => rest.every((paths) => paths.includes(path)));
}

/** No page has anything that was asked for. */
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
