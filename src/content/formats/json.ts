/** The json format: data by a schema, a prompt, or both; with or without a model. */
import type { Page } from '../../core/model/page.ts';
import {
  type FinishContext,
  type FormatUses,
  readsNothing,
  type SchemaUse,
  type Format,
} from './format.ts';
import { elementText } from '../../extract/facts/element-text.ts';
import type { PageExtraction } from '../../extract/heuristics/extract-without-model.ts';
import type { JsonFindings } from '../../extract/finish-extraction.ts';
import { type JsonOptions, parseJsonOptions } from './json-options.ts';
import { type Provenance, verifies } from '../../extract/provenance/provenance.ts';
import type { RecipeReport } from '../../extract/recipes/recipe.ts';
import type { JsonSchema } from '../../extract/schema/compile-schema.ts';
import type { PageQuestion } from '../../extract/with-model/extract-with-model.ts';
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
export const json: Format<'json', unknown, JsonOptions, null, undefined> = {
  ...readsNothing,
  name: 'json',
  parseOptions: parseJsonOptions,
  uses: jsonUses,
  finish,
};

/** The requirements for reading the page; the same for `extract()`. */
export function jsonUses(options: JsonOptions): FormatUses {
  const { schema, prompt, mode, asksModel = false, recipe } = options;
  return {
    markdown: verifies(options),
    model: asksModel && recipe === undefined,
    schema: {
      schema: mode === 'model' && asksModel ? undefined : schema,
      onlySelectors: asksModel,
      onlyText: recipe !== undefined,
    },
    recipe: recipe && schema && { schema, prompt, recipe },
  };
}

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

/** The values of a page for a schema, found without a model. */
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

/** The findings where nothing is searched for. */
export const noFindings: JsonFindings = { extraction: nothingFound, isEmptyPage: false };

async function finish(_: null, options: JsonOptions, context: FinishContext): Promise<unknown> {
  const { fields, warn, findings: { isEmptyPage } = noFindings } = context;
  const schema = await options.schema;
  const { extraction, isRead, report } = await readData(options, context);
  if (report !== undefined) fields.set('jsonRecipe', report);
  const { notFound } = extraction;
  if (notFound.length > 0) warn(`json: not found: ${listed(notFound)}.`);
  const proven = await proveData(extraction, options, context);
  if (proven.provenance !== undefined) fields.set('jsonProvenance', proven.provenance);
  if (proven.removed.length > 0) {
    warn(`json: not verified on the page, and left out: ${listed(proven.removed)}.`);
  }
  if (schema !== undefined) {
    const { finishExtraction } = await loadFinishing();
    const found = { extraction: proven.extraction, isEmptyPage: isEmptyPage && !isRead };
    return finishExtraction(found, schema, context.url, { usedModel: isRead });
  }
  if (!isRead) throw new Error('without a model it needs a schema');
  return proven.extraction.value;
}

function loadFinishing(): Promise<typeof import('../../extract/finish-extraction.ts')> {
  return loadModule(() => import('../../extract/finish-extraction.ts'));
}

/** The data of a page before the schema validates it. */
export interface PageData {
  readonly extraction: PageExtraction;
  /** True when a recipe or a model read the page. */
  readonly isRead: boolean;
  /** The use of learned selectors. */
  readonly report?: RecipeReport;
}

/** The data by a recipe, by the model with the values from selectors, or else without a model. */
export async function readData(
  { asksModel = false, schema, prompt, recipe }: JsonOptions,
  context: FinishContext,
  { isWhole = true, onPartial }: Partial<Pick<PageQuestion, 'isWhole' | 'onPartial'>> = {},
): Promise<PageData> {
  const { readByRecipe, model, modelText: text, warn, use } = context;
  const { extraction, isEmptyPage } = context.findings ?? noFindings;
  if (recipe !== undefined) {
    if (isEmptyPage) throw (await loadFinishing()).emptyPage(context.url);
    const result = await readByRecipe?.({ model: asksModel ? model : undefined, warn, use });
    if (result !== undefined) return { ...result, isRead: true };
  }
  if (!asksModel || model === undefined || text === undefined) return { extraction, isRead: false };
  const { extractWithModel } = await loadModule(
    () => import('../../extract/with-model/extract-with-model.ts'),
  );
  const question = { ...context, model, text, prompt, isWhole, onPartial, schema: await schema };
  return { extraction: await extractWithModel(extraction, question), isRead: true };
}

/** Data whose values were looked up on the page. */
export interface ProvenData {
  readonly extraction: PageExtraction;
  /** The positions of the values, if requested. */
  readonly provenance: Provenance | undefined;
  /** Paths of values that are not on the page, and were left out. */
  readonly removed: readonly string[];
}

/** Runs before the schema validates: values that the schema transforms are no longer on the page. */
export async function proveData(
  extraction: PageExtraction,
  options: JsonOptions,
  { url, markdown = '', language, compute }: FinishContext,
): Promise<ProvenData> {
  const { provenance = false, unverified = 'keep' } = options;
  if (!verifies(options)) return { extraction, provenance: undefined, removed: [] };
  const schema = (await options.schema)?.jsonSchema ?? {};
  const page = { url, markdown, language };
  const proven = await compute('proven', extraction, schema, page, unverified);
  return {
    extraction: { ...extraction, ...proven.extraction },
    provenance: provenance ? proven.provenance : undefined,
    removed: proven.removed,
  };
}

function isEmpty(page: Page): boolean {
  return page.kind === 'html' ? elementText(page.root) === '' : !/\S/.test(page.markdown);
}

/** A list of a thousand rows may miss a thousand values: the first 20 are enough. */
function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 20).join(', ');
  return paths.length > 20 ? `${shown} and ${paths.length - 20} more` : shown;
}
