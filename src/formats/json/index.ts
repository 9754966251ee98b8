/** The json format: data by a schema, without a model. */
import { PagewrightError, ValidationError } from '../../errors.ts';
import type { Page } from '../../model/page.ts';
import type { FinishingContext, TwoStepFormat } from '../format.ts';
import { markdown as pageMarkdown } from '../markdown/index.ts';
import { elementText } from '../structured-data/element-text.ts';
import type { PageExtraction } from './extract-without-model.ts';
import type { JsonFindings } from './json-findings.ts';
import {
  checkProvenanceOptions,
  type ProvenanceOptions,
  verifies,
} from './provenance/provenance-options.ts';
import { languageOf } from './text-locale.ts';
import { type CompiledSchema, compileSchema, type JsonSchema, type SchemaInput } from './schema.ts';

export type { PageExtraction } from './extract-without-model.ts';

/** The checked options of the json format. */
export interface JsonOptions extends ProvenanceOptions {
  readonly schema: CompiledSchema | Promise<CompiledSchema>;
}

/**
 * Data that fits a schema, found by selectors in the schema (`x-selector`, `x-attribute`), JSON-LD,
 * microdata, RDFa, meta tags, tables, definition lists and labels that are named like its properties.
 *
 * What is not found is absent, or null where the schema allows it, and listed in `warning`; nothing
 * is made up. Throws `EXTRACT_INVALID` when a required value is not found or the page is empty,
 * `MODEL_REQUIRED` for a `prompt`.
 *
 * @example
 * const { json } = await scrape(url, {
 *   formats: [{ type: 'json', schema: z.object({ name: z.string(), price: z.number() }) }],
 * });
 */
export const json: TwoStepFormat<'json', unknown, JsonOptions, JsonFindings, JsonSchema> = {
  name: 'json',
  needs: 'page',
  parseOptions,
  run: async (page, options, context) => {
    const found = await findJson(page, await plainOptions(options));
    const markdown = verifies(options)
      ? await pageMarkdown.run(page, undefined, context)
      : undefined;
    return finish(found, options, page.url, {
      markdown,
      language: languageOf(page),
      fields: new Map(),
      warnings: page.warnings,
    });
  },
  reading: { name: 'json', needs: 'page', run: findJson },
  plainOptions,
  needsMarkdown: verifies,
  finish,
};

/** What the page gives for the schema: partial, not validated, so that pages can be merged first. */
export async function extractFromPage(page: Page, schema: JsonSchema): Promise<PageExtraction> {
  const { extractWithoutModel } = await import('./extract-without-model.ts');
  return extractWithoutModel(page, schema);
}

function parseOptions(options: Readonly<Record<string, unknown>>): JsonOptions {
  const { schema: input, prompt, provenance, unverified, ...unknown } = options;
  const [unexpected] = Object.keys(unknown);
  if (unexpected !== undefined) {
    throw new Error(
      `unknown option "${unexpected}"; known: schema, prompt, provenance, unverified`,
    );
  }
  if (prompt !== undefined) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      'json: a prompt is read by a model, and there is none. Without a model a schema is needed, and no prompt: { type: "json", schema }.',
    );
  }
  if (input === undefined) throw new Error('without a model it needs a schema');
  const asked = checkProvenanceOptions({ provenance, unverified });
  try {
    const schema = compileSchema(input as SchemaInput);
    // It is awaited when the page is there; until then a failure must not count as unhandled.
    if (schema instanceof Promise) schema.catch(() => undefined);
    return { schema, ...asked };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(error.message, { cause: error });
  }
}

async function plainOptions({ schema }: JsonOptions): Promise<JsonSchema> {
  return (await schema).jsonSchema;
}

async function findJson(page: Page, schema: JsonSchema): Promise<JsonFindings> {
  const extraction = await extractFromPage(page, schema);
  const { notFound, sources } = extraction;
  if (notFound.length > 0) page.warnings.push(`json: not found: ${listed(notFound)}.`);
  return { extraction, isEmptyPage: Object.keys(sources).length === 0 && isEmpty(page) };
}

async function finish(
  found: JsonFindings,
  options: JsonOptions,
  url: string,
  finishing?: FinishingContext,
): Promise<unknown> {
  const { finishExtraction } = await import('./finish.ts');
  const schema = await options.schema;
  const proven =
    finishing !== undefined && verifies(options)
      ? await prove(found, schema, options, url, finishing)
      : found;
  return finishExtraction(proven, schema, url);
}

/** Before the schema judges the data: what it makes of values is not on the page any more. */
async function prove(
  found: JsonFindings,
  { jsonSchema }: CompiledSchema,
  { provenance = false, unverified = 'keep' }: JsonOptions,
  url: string,
  { markdown = '', language, fields, warnings }: FinishingContext,
): Promise<JsonFindings> {
  const { proveExtraction } = await import('./provenance/prove-extraction.ts');
  const page = { url, markdown, language };
  const proven = await proveExtraction(found.extraction, jsonSchema, page, unverified);
  if (provenance) fields.set('jsonProvenance', proven.provenance);
  if (proven.removed.length > 0) {
    warnings.push(`json: not verified on the page, and left out: ${listed(proven.removed)}.`);
  }
  return { ...found, extraction: proven.extraction };
}

function isEmpty(page: Page): boolean {
  return page.kind === 'html' ? elementText(page.root) === '' : !/\S/.test(page.markdown);
}

/** A list of a thousand rows may miss a thousand values: the first ones tell enough. */
function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 20).join(', ');
  return paths.length > 20 ? `${shown} and ${paths.length - 20} more` : shown;
}
