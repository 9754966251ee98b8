/** Turns findings into data that the schema accepts, or into an error that names the missing values. */
import { ExtractError, type ValidationIssue } from '../core/runtime/errors.ts';
import type { PageExtraction } from './heuristics/extract-without-model.ts';
import { type CompiledSchema, formatPath } from './schema/json-schema.ts';

/**
 * The data with the schema's defaults and transforms applied. Throws `ExtractError`
 * (`EXTRACT_INVALID`) with the paths when the schema does not accept it, and for an empty page.
 */
export async function finishExtraction(
  { extraction, isEmptyPage }: JsonFindings,
  schema: CompiledSchema,
  url: string,
  { usedModel = false }: { readonly usedModel?: boolean } = {},
): Promise<unknown> {
  if (isEmptyPage) throw emptyPage(url);
  const result = await schema.validate(extraction.value);
  if ('value' in result) return result.value;
  const absent = new Set(extraction.notFound);
  const issues = result.issues.map((issue): ValidationIssue => {
    const path = formatPath(issue.path);
    const what =
      absent.has(path) || (path === '' && absent.size > 0)
        ? 'not found on the page'
        : issue.message;
    return { path: issue.path, message: path === '' ? what : `${path}: ${what}` };
  });
  throw new ExtractError(
    `${url} does not give what the schema requires: ${issues.map(({ message }) => message).join('; ')}. ` +
      (usedModel
        ? 'Make what a page may not have optional or nullable in the schema.'
        : 'Say where the values are with selectors (x-selector) in the schema, make them optional, or use a model.'),
    issues,
    { url },
  );
}

/** The error for a page without content. */
export function emptyPage(url: string): ExtractError {
  return new ExtractError(`${url} is empty: there is nothing to extract.`, [], { url });
}

// The findings of a page for a schema, before validation: plain data.

/** The result of the json format's first step. */
export interface JsonFindings {
  readonly extraction: PageExtraction;
  /** True when there is nothing on the page at all. */
  readonly isEmptyPage: boolean;
}
