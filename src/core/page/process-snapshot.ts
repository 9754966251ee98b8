/**
 * snapshot → processed page: runs the first step of all formats inline or in a worker, then the second
 * steps that use a model or read by recipes.
 */
import { type ErrorCode, hookFailed, PagewrightError } from '../runtime/errors.ts';
import type { PageRecipes } from '../../extract/recipes/page-recipes.ts';
import type {
  RecipePage,
  RecipeReader,
  RecipeReading,
  RecipeResult,
  RecipeReadingRequest,
} from '../../extract/recipes/recipe-page.ts';
import type { SelectorStore } from '../../extract/recipes/selector-store.ts';
import type {
  CapturedFields,
  FinishContext,
  FormatRequest,
  FormatVisit,
  PageFiles,
} from '../../content/formats/format.ts';
import { schemaWish, type SchemaWish } from '../../content/formats/json.ts';
import { isPlainMarkdown, plainMarkdown } from '../../content/formats/markdown.ts';
import { runOptionsOf } from '../../content/formats/run-format.ts';
import { addRequest, type Model, type ModelTotals } from '../../extract/llm/model.ts';
import { type Lazy, loadModule } from '../runtime/load-module.ts';
import type { Clock } from '../runtime/clock.ts';
import type { FormatMethods } from '../model/document.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { OcrEngine } from '../model/ocr-engine.ts';
import { Redactor } from '../../content/text/redactor.ts';
import { pictureRecognizer } from '../../documents/ocr/picture-recognizer.ts';
import { detectMediaType } from '../../content/parsers/media-type.ts';
import type { Store } from '../storage/store.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import { type PageProcessors, runInlineOrInWorker } from './run-inline-or-worker.ts';

/** The client's services for processing. */
export interface ProcessingParts extends PageProcessors {
  /** The client's. */
  readonly model?: Model | undefined;
  /** Learned recipes. */
  readonly recipes?: Lazy<SelectorStore> | undefined;
  /** The client's. */
  readonly ocr?: OcrEngine | undefined;
  /** The storage of formats for data between visits. */
  readonly store: Store;
  readonly clock: Clock;
}

/** The visit of a page whose formats are finished. */
export interface ProcessedVisit {
  readonly request: Pick<ScrapeRequest<FormatRequest>, 'url' | 'position' | 'isHidden'>;
  /** The captures of the page, as fields of the document. */
  readonly captured: Promise<CapturedFields>;
  readonly files: PageFiles;
  /** True when the site blocked the page. */
  readonly isBlocked: boolean;
  /** True for a copy from the cache. */
  readonly isCached: boolean;
}

/**
 * Reads a page. A page that may take more than 100 ms is read in a worker, so that the process is not blocked and the
 * work can be stopped at any moment; so are some light pages while many arrive. A page for a custom format or parser is
 * read in a worker if that names its module, else on the caller's thread; a page for a custom extractor or hook always
 * there: functions cannot be sent. `visit` is required for formats of two steps.
 *
 * Throws `PARSE_LIMIT`, `UNSUPPORTED_CONTENT`, `EXTRACT_INVALID`, `MODEL_FAILED`, errors of the caller's parsers and
 * formats, and the signal's reason: at once for a page in a worker.
 */
export async function processSnapshot(
  parts: ProcessingParts,
  { captures, ...snapshot }: Snapshot,
  requested: ProcessingPlan,
  signal: AbortSignal,
  visit?: ProcessedVisit,
): Promise<ProcessedPage> {
  const plan = withOcr(parts, snapshot, requested, signal);
  const { formats } = plan;
  const readsBytes = formats.length > 0 && formats.every(({ uses }) => uses.onlyBytes === true);
  const recipes = await recipesFor(parts, snapshot, plan, signal);
  const steps = {
    ...plan,
    schemas: await schemasOf(formats),
    outline: plan.outline === true || formats.some(({ uses }) => uses.missing === true),
    ...(recipes === undefined ? {} : { recipe: firstReading(recipes) }),
    formats: [...formats.map(withRunOptions), ...impliedMarkdown(formats)],
    modelText: formats.some(({ uses }) => uses.model === true || uses.modelText === true),
  };
  const [processed, captured] = await Promise.all([
    readsBytes
      ? readAroundBytes(parts, snapshot, steps, signal)
      : runInlineOrInWorker(parts, snapshot, steps, signal),
    visit?.captured ?? {},
  ]);
  // A hook made the document, or vetoed it: no first step has run.
  if (processed.hooked !== undefined && plan.finishesHooked !== true) return processed;
  const { values, metadata, modelText, recipe: first } = processed;
  const markdown = values.get(plainMarkdown.name) ?? values.get('markdown');
  const warnings = [...processed.warnings];
  const fields = new Map<string, unknown>();
  const methods: FormatMethods = {};
  let modelUsage: ModelTotals | undefined;
  const context: Omit<FinishContext, 'model' | 'findings'> = {
    signal,
    url: snapshot.url,
    body: snapshot.body,
    mediaType: processed.mediaType,
    modelText,
    fields,
    methods,
    captured,
    visit: visit && visitOf(parts, { ...snapshot, captures }, plan, visit, processed),
    language: metadata.language,
    markdown: typeof markdown === 'string' ? markdown : undefined,
    // Two formats may warn alike.
    warn: (sentence) => void (warnings.includes(sentence) || warnings.push(sentence)),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
    compute: parts.workers.computing(snapshot.url, signal),
    readByRecipe:
      recipes &&
      first &&
      ((reader) => readByRecipe(parts, snapshot, plan, first, recipes, { ...reader, signal })),
  };
  const asking = new Set<FormatRequest>();
  for (const request of formats.filter(({ format }) => format.finish !== undefined)) {
    const model = await metered(parts.model, () => asking.add(request));
    const findings = processed.findings[request.format.name];
    await finishFormat(request, processed, { ...context, model, findings });
  }
  const made = { ...processed, fields, methods, warnings, modelUses: asking.size };
  return { ...made, ...(modelUsage === undefined ? {} : { modelUsage }) };
}

/** Parses the page of formats that read only its bytes if something else is needed, such as the links of a crawl. */
async function readAroundBytes(
  parts: ProcessingParts,
  snapshot: Snapshot,
  plan: ProcessingPlan,
  signal: AbortSignal,
): Promise<ProcessedPage> {
  const { headers, body, url, warnings } = snapshot;
  const { outline, schemas, modelText, fingerprints, recipe, pageHooks } = plan;
  const isWanted = outline ?? modelText ?? fingerprints ?? false;
  const others =
    isWanted || [...Object.keys(schemas ?? {}), recipe, pageHooks].some((one) => one !== undefined);
  try {
    if (others) return await runInlineOrInWorker(parts, snapshot, plan, signal);
  } catch (error) {
    if (!isAboutContent(error)) throw error;
  }
  const { mediaType } = detectMediaType(headers['content-type'], body, url);
  return { mediaType, metadata: {}, findings: {}, values: new Map(), warnings };
}

/** True if the content is unreadable, not for lack of time, of a model or of services. */
export function isAboutContent(error: unknown): error is PagewrightError {
  return error instanceof PagewrightError && contentCodes.has(error.code);
}

const contentCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PARSE_LIMIT',
  'UNSUPPORTED_CONTENT',
  'PDF_ENCRYPTED',
  'PDF_DAMAGED',
  'PDF_LIMIT',
  'OCR_REQUIRED',
]);

/** The model, with a counter of its requests. */
async function metered(
  model: Model | undefined,
  onRequest: () => unknown,
): Promise<Model | undefined> {
  if (model === undefined) return undefined;
  const { ModelMeter } = await loadModule(() => import('../../extract/llm/model-meter.ts'));
  return new ModelMeter(model, {}, onRequest);
}

/** Adds OCR if text is needed: not for the links of a map. */
function withOcr(
  { ocr }: ProcessingParts,
  { url }: Snapshot,
  plan: ProcessingPlan,
  signal: AbortSignal,
): ProcessingPlan {
  const wantsText = plan.formats.some(({ uses }) => uses.onlyBytes !== true);
  if (ocr === undefined || !wantsText) return plan;
  const languages = plan.rendering?.location?.languages ?? [];
  return { ...plan, pictures: pictureRecognizer(ocr, { url, languages, signal }) };
}

/** The recipes of the format that uses them; there is at most one json format. */
async function recipesFor(
  { recipes }: ProcessingParts,
  { url }: Snapshot,
  { formats, identity, zeroDataRetention = false }: ProcessingPlan,
  signal: AbortSignal,
): Promise<PageRecipes | undefined> {
  const question = formats.find(({ uses }) => uses.recipe !== undefined)?.uses.recipe;
  if (recipes === undefined || question === undefined) return undefined;
  const { openRecipes } = await loadModule(() => import('../../extract/recipes/page-recipes.ts'));
  const resolved = { ...question, schema: await question.schema };
  const opening = { keeps: !zeroDataRetention, identity, signal };
  return openRecipes(await recipes.get(), url, resolved, opening);
}

/** The markdown for a second step that needs it, if the caller did not request it, or with options. */
function impliedMarkdown(formats: readonly FormatRequest[]): FormatRequest[] {
  const isNeeded = formats.some(({ uses }) => uses.markdown === true);
  return isNeeded && !formats.some(isPlainMarkdown)
    ? [{ format: plainMarkdown, options: undefined, uses: {} }]
    : [];
}

/** The schemas that formats use, by their names. */
async function schemasOf(formats: readonly FormatRequest[]): Promise<ProcessingPlan['schemas']> {
  const schemas: Record<string, SchemaWish> = {};
  for (const { format, uses } of formats) {
    if (uses.schema !== undefined) schemas[format.name] = await schemaWish(uses.schema);
  }
  return schemas;
}

function withRunOptions({ format, options, uses }: FormatRequest): FormatRequest {
  return { format, options: runOptionsOf(format, options), uses };
}

function visitOf(
  { store, clock }: ProcessingParts,
  { statusCode, captures, isCut = false }: Snapshot,
  { identity, zeroDataRetention = false, clean: { redact } }: ProcessingPlan,
  { request: { url, position, isHidden = false }, files, isBlocked, isCached }: ProcessedVisit,
  { outline }: ProcessedPage,
): FormatVisit {
  const redactor = redact && new Redactor(redact, url);
  return {
    store,
    clock,
    url,
    statusCode,
    identity,
    jobId: position?.jobId,
    isBlocked,
    isCached,
    isCut,
    isHidden,
    zeroDataRetention,
    picture: captures?.screenshot,
    saysMissing: outline?.missing !== undefined,
    files,
    redact: redactor && ((value) => redactor.value(value)),
  };
}

/** Replaces the findings of the first step with the final value. */
async function finishFormat(
  { format, options }: FormatRequest,
  { values }: ProcessedPage,
  context: FinishContext,
): Promise<void> {
  if (format.finish === undefined) return;
  try {
    values.set(format.name, await format.finish(values.get(format.name), options, context));
  } catch (error) {
    throw hookFailed(`The format "${format.name}"`, context.url, error);
  }
}

// A page read by recipes: its first reading, and the readings while a recipe is learned.

/** The recipes that the first reading tries. */
function firstReading(recipes: PageRecipes): RecipeReadingRequest {
  const candidates = recipes.first.map(({ schema }) => schema);
  return { candidates, outline: 0, asksModel: recipes.question.recipe.learns };
}

/** Reads a page again for each recipe that is learned; `first` is its first reading. */
async function readByRecipe(
  runners: PageProcessors,
  snapshot: Snapshot,
  { clean, limits, pdf, archive }: ProcessingPlan,
  first: RecipeReading,
  recipes: PageRecipes,
  reader: RecipeReader,
): Promise<RecipeResult> {
  const read: RecipePage['read'] = async (request) => {
    const again: ProcessingPlan = {
      clean,
      limits,
      pdf,
      archive,
      formats: [],
      recipe: { ...request, asksModel: false },
    };
    const hooked = asHooked(snapshot, first);
    const { recipe } = await runInlineOrInWorker(runners, hooked, again, reader.signal);
    return recipe ?? { ...first, tried: [] };
  };
  const { url, statusCode } = snapshot;
  const page = { url, isError: statusCode >= 400, reading: first, read };
  const { readByRecipe: run } = await loadModule(
    () => import('../../extract/recipes/read-by-recipe.ts'),
  );
  return run(page, recipes, reader);
}

/** Hooks do not run twice: the page is read as they left it. */
function asHooked(snapshot: Snapshot, { html }: RecipeReading): Snapshot {
  if (html === undefined) return snapshot;
  const headers = { ...snapshot.headers, 'content-type': 'text/html; charset=utf-8' };
  return { ...snapshot, headers, body: new TextEncoder().encode(html) };
}
