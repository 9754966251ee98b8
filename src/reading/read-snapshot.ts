/** snapshot → reading: heavy pages on a thread, all others where the caller is. */
import { hookFailed } from '../errors.ts';
import { trackingOf } from '../formats/change-tracking/index.ts';
import type { FinishContext, FormatRequest } from '../formats/format.ts';
import { asksModel, isTwoStep } from '../formats/index.ts';
import type { PageRecipes } from '../formats/json/recipes/page-recipes.ts';
import type { RecipeBook } from '../formats/json/recipes/recipe-book.ts';
import { markdown as markdownFormat } from '../formats/registry.ts';
import { addRequest, type ModelTotals } from '../llm/model-totals.ts';
import type { Model } from '../llm/model.ts';
import type { FormatMethods } from '../model/metadata.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { OcrEngine } from '../ocr/ocr-engine.ts';
import { pictureReading } from '../ocr/picture-reading.ts';
import type { PageReading, ReadingPlan } from './read-page.ts';
import { type ReadersOfPages, readWhereItFits } from './read-where-it-fits.ts';
import { openPageRecipes, readByRecipe, recipeWish } from './recipe-page.ts';

/** What reading works with. */
export interface ReadingParts extends ReadersOfPages {
  /** The client's. */
  readonly model?: Model | undefined;
  /** What was learned about pages. */
  readonly recipes?: RecipeBook | undefined;
  /** The client's. */
  readonly ocr?: OcrEngine | undefined;
}

/**
 * Reads a page. What may take more than 100 ms is read on a thread, so that the process goes on and
 * the work can be stopped at any moment; and so are some of the others while many come. But a page
 * that a format, a parser, an extractor or a hook of the caller's own reads is read where the caller
 * is, because functions cannot be sent.
 *
 * Throws `PARSE_LIMIT`, `UNSUPPORTED_CONTENT`, `EXTRACT_INVALID`, `MODEL_FAILED`, what the caller's parsers and
 * formats throw, and the signal's reason: at once for a page on a thread.
 */
export async function readSnapshot(
  parts: ReadingParts,
  snapshot: Snapshot,
  asked: ReadingPlan,
  signal: AbortSignal,
): Promise<PageReading> {
  const plan = withPictures(parts, snapshot, asked, signal);
  const { formats } = plan;
  if (!formats.some(({ format }) => isTwoStep(format))) {
    return readWhereItFits(parts, snapshot, plan, signal);
  }
  const recipes = await recipesFor(parts, snapshot, plan, signal);
  const steps = {
    ...plan,
    ...(await trackingQuestions(plan)),
    ...(recipes === undefined ? {} : { recipe: recipeWish(recipes) }),
    formats: [...(await Promise.all(formats.map(firstStep))), ...unaskedMarkdown(formats)],
    modelText: plan.modelText === true || formats.some(asksModel),
  };
  const reading = await readWhereItFits(parts, snapshot, steps, signal);
  // A hook gave the document, or wants none: no first step was done.
  if (reading.hooked !== undefined) return reading;
  const { values, metadata, modelText } = reading;
  const markdown = values.get('markdown');
  const warnings = [...reading.warnings];
  const fields = new Map<string, unknown>();
  const methods: FormatMethods = {};
  let modelUsage: ModelTotals | undefined;
  const context: Omit<FinishContext, 'model'> = {
    signal,
    modelText,
    fields,
    methods,
    language: metadata.language,
    markdown: typeof markdown === 'string' ? markdown : undefined,
    // What two formats find they tell once.
    warn: (sentence) => void (warnings.includes(sentence) || warnings.push(sentence)),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
    compute: parts.threads.computing(snapshot.url, signal),
    readByRecipe: (reader) =>
      readByRecipe(parts, { snapshot, plan, reading, recipes }, { ...reader, signal }),
  };
  const asking = new Set<FormatRequest>();
  for (const request of formats) {
    const model = await metered(parts.model, () => asking.add(request));
    await finish(request, reading, snapshot.url, { ...context, model });
  }
  const made = { ...reading, fields, methods, warnings, asked: asking.size };
  return { ...made, ...(modelUsage === undefined ? {} : { modelUsage }) };
}

/** The model, which tells when it was asked. */
async function metered(
  model: Model | undefined,
  onAsked: () => unknown,
): Promise<Model | undefined> {
  if (model === undefined) return undefined;
  const { ModelMeter } = await import('../llm/model-meter.ts');
  return new ModelMeter(model, {}, onAsked);
}

/** Pictures are read where text is wanted: not for the links of a map. */
function withPictures(
  { ocr }: ReadingParts,
  { url }: Snapshot,
  plan: ReadingPlan,
  signal: AbortSignal,
): ReadingPlan {
  const wantsText = plan.formats.length > 0 || plan.schema !== undefined || plan.modelText === true;
  if (ocr === undefined || !wantsText) return plan;
  const languages = plan.rendering?.location?.languages ?? [];
  return { ...plan, pictures: pictureReading(ocr, { url, languages, signal }) };
}

/** Those of the format that wants some; there is one json format at most. */
async function recipesFor(
  { recipes }: ReadingParts,
  { url }: Snapshot,
  { formats, identity, zeroDataRetention = false }: ReadingPlan,
  signal: AbortSignal,
): Promise<PageRecipes | undefined> {
  for (const { format, options } of formats) {
    const question = isTwoStep(format) ? await format.recipeQuestion?.(options) : undefined;
    if (question === undefined) continue;
    const opening = { keeps: !zeroDataRetention, identity, signal };
    return openPageRecipes(recipes, url, question, opening);
  }
  return undefined;
}

/** The markdown for a second step that needs it, where the caller does not want it. */
function unaskedMarkdown(formats: readonly FormatRequest[]): FormatRequest[] {
  const isNeeded = formats.some(
    ({ format, options }) => isTwoStep(format) && format.needsMarkdown?.(options) === true,
  );
  const isAsked = formats.some(({ format }) => format.name === 'markdown');
  return isNeeded && !isAsked ? [{ format: markdownFormat, options: undefined }] : [];
}

/** What change tracking wants to know of the page beside its markdown. */
async function trackingQuestions({
  formats,
  schema,
  outline = false,
}: ReadingPlan): Promise<Pick<ReadingPlan, 'schema' | 'outline'>> {
  const tracking = trackingOf(formats);
  if (tracking === undefined) return {};
  const tracked = schema ?? (await tracking.schema)?.jsonSchema;
  return { schema: tracked, outline: outline || tracking.soft404 };
}

async function firstStep({ format, options }: FormatRequest): Promise<FormatRequest> {
  if (!isTwoStep(format)) return { format, options };
  return { format: format.reading, options: await format.plainOptions(options) };
}

/** Puts the value in place of what the first step found. */
async function finish(
  { format, options }: FormatRequest,
  { values }: PageReading,
  url: string,
  context: FinishContext,
): Promise<void> {
  if (!isTwoStep(format)) return;
  try {
    values.set(format.name, await format.finish(values.get(format.name), options, url, context));
  } catch (error) {
    throw hookFailed(`The format "${format.name}"`, url, error);
  }
}
