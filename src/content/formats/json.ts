/** The json format: data by a schema, a prompt, or both; with or without a model. */
import type { Page } from '../../core/model/page.ts';
import { type FinishContext, readsNothing, type SchemaUse, type TwoStepFormat } from './format.ts';
import { elementText } from '../../extract/facts/element-text.ts';
import type { PageExtraction } from '../../extract/heuristics/extract-without-model.ts';
import type { JsonFindings } from '../../extract/finish-extraction.ts';
import { type JsonOptions, parseJsonOptions } from './json-options.ts';
import { verifies } from '../../extract/provenance/provenance.ts';
import type { JsonSchema } from '../../extract/schema/compile-schema.ts';
import { loadModule } from '../../core/runtime/load-module.ts';

export type { PageExtraction } from '../../extract/heuristics/extract-without-model.ts';
export type { JsonOptions } from './json-options.ts';

/**
 * Data that fits a schema. Without a model the data comes from selectors in the schema (`x-selector`,
 * `x-attribute`), JSON-LD, microdata, RDFa, meta tags, tables, definition lists and labels that are
 * named like the schema's properties. With a model (`createClient({ model })`) the model reads the page's
 * markdown, by the schema, a `prompt` or both; values from selectors are kept.
 *
 * A value that is not found is absent, or null where the schema allows it, and listed in `warning`; no
 * value is made up. Text on the page that looks like instructions to a model is listed there too. Throws
 * `EXTRACT_INVALID` when a required value is not found, the page is empty or a model's answer does not
 * fit after a second try, `MODEL_REQUIRED` for a `prompt` without a model, `MODEL_FAILED`.
 *
 * @example
 * const { json } = await scrape(url, {
 *   formats: [{ type: 'json', schema: z.object({ name: z.string(), price: z.number() }) }],
 * });
 */
export const json: TwoStepFormat<'json', unknown, JsonOptions, null, undefined> = {
  ...readsNothing,
  name: 'json',
  parseOptions: parseJsonOptions,
  uses: (options) => {
    const { schema, prompt, mode, asksModel = false, recipe } = options;
    const onlyText = recipe !== undefined;
    return {
      markdown: verifies(options),
      model: asksModel && recipe === undefined,
      schema: {
        schema: mode === 'model' && asksModel ? undefined : schema,
        onlySelectors: asksModel,
        onlyText,
      },
      recipe: recipe && schema && { schema, prompt, recipe },
    };
  },
  finish,
};

/** The data of one page for the schema: partial, not validated, so that pages can be merged first. */
export async function extractFromPage(page: Page, schema: JsonSchema): Promise<PageExtraction> {
  const { extractWithoutModel } = await loadModule(
    () => import('../../extract/heuristics/extract-without-model.ts'),
  );
  return extractWithoutModel(page, schema);
}

/** A schema to fill without a model, ready to be sent to a worker. */
export interface SchemaWish extends Pick<SchemaUse, 'onlyText'> {
  readonly schema: JsonSchema | undefined;
}

/** The schema in plain data; beside a model only selectors count. */
export async function schemaWish({
  schema,
  onlySelectors = false,
  onlyText,
}: SchemaUse): Promise<SchemaWish> {
  const jsonSchema = (await schema)?.jsonSchema;
  if (!onlySelectors || jsonSchema === undefined) return { schema: jsonSchema, onlyText };
  const { hasSelectors } = await loadModule(
    () => import('../../extract/with-model/selector-leaves.ts'),
  );
  return { schema: hasSelectors(jsonSchema) ? jsonSchema : undefined, onlyText };
}

/** What a page has for a schema without a model. */
export async function findJson(
  page: Page,
  { schema, onlyText = false }: SchemaWish,
): Promise<JsonFindings> {
  const isSkipped = schema === undefined || (onlyText && page.kind === 'html');
  const extraction = isSkipped ? nothingFound : await extractFromPage(page, schema);
  const { sources } = extraction;
  return { extraction, isEmptyPage: Object.keys(sources).length === 0 && isEmpty(page) };
}

const nothingFound: PageExtraction = { value: undefined, notFound: [], sources: {} };

async function finish(_: null, options: JsonOptions, context: FinishContext): Promise<unknown> {
  const { findings: found = { extraction: nothingFound, isEmptyPage: false } } = context;
  const schema = await options.schema;
  if (options.asksModel !== true) warnOfMissing(found, context);
  const read =
    (await readByRecipe(found, options, context)) ?? (await readByModel(found, options, context));
  const findings = read ?? found;
  const proven = verifies(options)
    ? await prove(findings, schema?.jsonSchema ?? {}, options, context)
    : findings;
  if (schema !== undefined) {
    const { finishExtraction } = await loadModule(
      () => import('../../extract/finish-extraction.ts'),
    );
    return finishExtraction(proven, schema, context.url, { askedModel: read !== undefined });
  }
  if (read === undefined) throw new Error('without a model it needs a schema');
  return proven.extraction.value;
}

/** The result of a recipe; undefined where none is wanted, or the page has no elements. */
async function readByRecipe(
  { isEmptyPage }: JsonFindings,
  { asksModel = false, recipe }: JsonOptions,
  { readByRecipe: read, model, fields, warn, use }: FinishContext,
): Promise<JsonFindings | undefined> {
  if (recipe === undefined || isEmptyPage) return undefined;
  const result = await read?.({ model: asksModel ? model : undefined, warn, use });
  if (result === undefined) return undefined;
  const { extraction, report } = result;
  fields.set('jsonRecipe', report);
  warnOfMissing({ extraction }, { warn });
  return { extraction, isEmptyPage: false };
}

/** The model's reading of the page, with the values from selectors; undefined where no model is asked. */
async function readByModel(
  { extraction: selected }: JsonFindings,
  { asksModel = false, schema, prompt }: JsonOptions,
  context: FinishContext,
): Promise<JsonFindings | undefined> {
  const { model, modelText } = context;
  if (!asksModel || model === undefined || modelText === undefined) return undefined;
  const { extractWithModel } = await loadModule(
    () => import('../../extract/with-model/extract-with-model.ts'),
  );
  const extraction = await extractWithModel(selected, {
    ...context,
    model,
    text: modelText,
    prompt,
    isWhole: true,
    schema: await schema,
  });
  warnOfMissing({ extraction }, context);
  return { extraction, isEmptyPage: false };
}

/** Runs before the schema validates: values that the schema transforms are no longer on the page. */
async function prove(
  found: JsonFindings,
  jsonSchema: JsonSchema,
  { provenance = false, unverified = 'keep' }: JsonOptions,
  { url, markdown = '', language, fields, warn, compute }: FinishContext,
): Promise<JsonFindings> {
  const proven = await compute('proven', {
    extraction: found.extraction,
    schema: jsonSchema,
    unverified,
    page: { url, markdown, language },
  });
  if (provenance) fields.set('jsonProvenance', proven.provenance);
  if (proven.removed.length > 0) {
    warn(`json: not verified on the page, and left out: ${listed(proven.removed)}.`);
  }
  return { ...found, extraction: { ...found.extraction, ...proven.extraction } };
}

function isEmpty(page: Page): boolean {
  return page.kind === 'html' ? elementText(page.root) === '' : !/\S/.test(page.markdown);
}

/** A list of a thousand rows may miss a thousand values: the first 20 are enough. */
function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 20).join(', ');
  return paths.length > 20 ? `${shown} and ${paths.length - 20} more` : shown;
}

function warnOfMissing(
  { extraction: { notFound } }: Pick<JsonFindings, 'extraction'>,
  { warn }: Pick<FinishContext, 'warn'>,
): void {
  if (notFound.length > 0) warn(`json: not found: ${listed(notFound)}.`);
}
