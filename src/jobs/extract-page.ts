/** One page of an extraction, fetched and read: beside others, in any order. */
import type { RenderingMemory } from '../fetching/rendering/rendering-memory.ts';
import type { Compute } from '../formats/computations.ts';
import type { PageExtraction } from '../formats/json/index.ts';
import type { Provenance, QuotedPage } from '../formats/json/provenance/provenance.ts';
import { verifies } from '../formats/json/provenance/provenance-options.ts';
import type { RecipeReport } from '../formats/json/recipes/recipe-report.ts';
import type { CompiledSchema, JsonSchema } from '../formats/json/schema.ts';
import { ModelMeter } from '../llm/model-meter.ts';
import type { Model, ModelUsage } from '../llm/model.ts';
import type { FetchMetadata } from '../model/metadata.ts';
import type { Ticket } from '../model/pace.ts';
import { headersForHop, isPlainHeader, sharesHeaders } from '../network/credentials.ts';
import type { ExtractSettings } from '../options/extract-options.ts';
import type { PageSettings } from '../options/scrape-options.ts';
import { type PipelineParts, visitPage } from '../pipeline.ts';
import type { PageReading } from '../reading/read-page.ts';
import { openPageRecipes, readByRecipe, recipeWish } from '../reading/recipe-page.ts';
import type { ExtractAccounts } from './extract-accounts.ts';
import { pageRequestsOf } from './found-page.ts';
import { httpStatusError } from './page-failure.ts';

/** What one page gave. */
export interface PageOutcome {
  readonly extraction: PageExtraction;
  readonly provenance: Provenance | undefined;
  readonly removed: readonly string[];
  /** Whether the page is a stored copy, and from when. */
  readonly age: Pick<FetchMetadata, 'cacheState' | 'cachedAt'>;
  readonly credits: number;
  /** Bytes. */
  readonly received: number;
  readonly recipe: RecipeReport | undefined;
}

/** What all pages of an extraction have in common. */
export interface PageWork {
  readonly parts: PipelineParts;
  readonly settings: ExtractSettings;
  readonly schema: CompiledSchema | undefined;
  /** What is looked for without a model. */
  readonly markup: JsonSchema | undefined;
  /** There is one page only. */
  readonly isWhole: boolean;
  readonly accounts: ExtractAccounts;
  readonly rendering: RenderingMemory;
  readonly use: (usage: ModelUsage) => void;
}

/** One page that is to be read. */
interface ExtractVisit {
  readonly url: string;
  readonly ticket: Ticket;
  /** Grows while the page is asked for. */
  readonly use: { pageRequests: number };
}

/** Rejects where the page gives nothing. To be called in the order of the pages. */
export async function readExtractPage(
  work: PageWork,
  { url, ticket, use }: ExtractVisit,
): Promise<PageOutcome> {
  const { parts, settings, markup, schema, accounts } = work;
  const { signal } = accounts.budget;
  const { asksModel, prompt } = settings.choice;
  const onRedirect = (): void => void (use.pageRequests += 1);
  const pace = { job: settings, ticket, onRedirect };
  using place = work.rendering.begin(url);
  const asked = pageSettings(settings, url);
  const lessons = await place.lessonsFor(asked, parts.engines, signal);
  // Before the page's own time begins, and without a slot until the host is ready.
  using turn = await parts.hosts.turn(url, { ...pace, signal });
  const request = {
    ...{ ...asked, sourceUrl: url, url, visitor: settings, signal },
    ...{ pace: { ...pace, turn }, lessons },
    refusalsArePages: true,
  };
  use.pageRequests = 1;
  return await visitPage(parts, request, async (page, deadline) => {
    use.pageRequests = pageRequestsOf(page.snapshot);
    const { requests, bytes: received, browserMs } = page.snapshot;
    accounts.received({ requests, bytes: received, browserMs });
    const { statusCode, url: finalUrl } = page.snapshot;
    if (statusCode >= 400) {
      throw httpStatusError(url, { statusCode, finalUrl }, 'Nothing is taken from an error page.');
    }
    const question = schema && { schema, prompt, recipe: settings.choice.recipe };
    const recipes = await openPageRecipes(parts.recipes, page.snapshot.url, question, {
      ...{ keeps: true, identity: page.identity, signal: deadline.signal },
    });
    const { reading, document } = await page.read({
      schema: markup,
      modelText: asksModel && recipes === undefined,
      recipe: recipes && { ...recipeWish(recipes), asksModel, isInsteadOfSchema: true },
    });
    const { creditsUsed, cacheState, cachedAt } = document.metadata;
    let credits = creditsUsed;
    const askModel = (): void => void (credits = creditsUsed + parts.costs.model);
    const model = asksModel && parts.model ? new ModelMeter(parts.model, {}, askModel) : undefined;
    const byRecipe = await readByRecipe(
      parts,
      { snapshot: page.snapshot, plan: request, reading, recipes },
      {
        model,
        use: work.use,
        signal: deadline.signal,
        warn: (sentence) => accounts.warn(`${url}: ${sentence}`),
      },
    );
    const compute = parts.threads.computing(url, deadline.signal);
    const extraction =
      byRecipe?.extraction ??
      (await extractionOf(work, { model, url, reading, signal: deadline.signal, compute }));
    const markdown = document['markdown'];
    const proven = await provePage(extraction, work, compute, {
      url,
      markdown: typeof markdown === 'string' ? markdown : '',
      language: document.metadata.language,
    });
    const age = {
      ...(cacheState === undefined ? {} : { cacheState }),
      ...(cachedAt === undefined ? {} : { cachedAt }),
    };
    return { ...proven, age, credits, received, recipe: byRecipe?.report };
  });
}

/** The settings of one page: on other origins than those that the caller named it is asked for without the caller's headers. */
export function pageSettings({ page, targets }: ExtractSettings, url: string): PageSettings {
  const { headers, redirectCredentials: scope = 'same-origin' } = page;
  const isNamed = targets.some((target) => target.url === url);
  if (isNamed || Object.keys(headers).every(isPlainHeader)) return page;
  const to = new URL(url);
  const sites = targets.filter(({ below }) => below).map((target) => new URL(target.url));
  const from = sites.find((site) => sharesHeaders(site, to, scope)) ?? sites[0];
  return from === undefined ? page : { ...page, headers: headersForHop(headers, from, to, scope) };
}

/** Each page's own values are looked up on it, before the pages are merged. */
async function provePage(
  extraction: PageExtraction,
  { schema, settings }: PageWork,
  compute: Compute,
  page: QuotedPage,
): Promise<Pick<PageOutcome, 'extraction' | 'provenance' | 'removed'>> {
  if (!verifies(settings)) return { extraction, provenance: undefined, removed: [] };
  const { unverified } = settings;
  const proven = await compute('proven', {
    ...{ extraction, schema: schema?.jsonSchema ?? {}, page, unverified },
  });
  return { ...proven, extraction: { ...extraction, ...proven.extraction } };
}

/** Beside a model only selectors count. */
export async function markupSchema(
  schema: CompiledSchema | undefined,
  { choice: { asksModel, mode } }: ExtractSettings,
): Promise<JsonSchema | undefined> {
  if (schema === undefined || !asksModel) return schema?.jsonSchema;
  const { hasSelectors } = await import('../formats/json/with-model/selector-leaves.ts');
  return mode === 'auto' && hasSelectors(schema.jsonSchema) ? schema.jsonSchema : undefined;
}

/** What the page gave, by the model where it is asked. */
async function extractionOf(
  { settings, schema, isWhole, accounts, use }: PageWork,
  page: {
    readonly model: Model | undefined;
    readonly url: string;
    readonly reading: PageReading;
    readonly signal: AbortSignal;
    readonly compute: Compute;
  },
): Promise<PageExtraction> {
  const { model, url, signal, compute } = page;
  const { extraction, modelText } = page.reading;
  const { prompt } = settings.choice;
  const found = extraction ?? { value: undefined, notFound: [], sources: {} };
  if (model === undefined || modelText === undefined) return found;
  const { extractWithModel } = await import('../formats/json/with-model/extract-with-model.ts');
  return extractWithModel(found, {
    ...{ model, url, text: modelText, schema, prompt, isWhole, signal, compute, use },
    warn: (sentence) => accounts.warn(`${url}: ${sentence}`),
    onPartial: settings.onPartial,
  });
}
