/** The visit of one page in an extraction, beside others in any order, and the accounts of the extraction. */
import { type Provenance, type QuotedPage, verifies } from '../../extract/provenance/provenance.ts';
import type { RecipeReport } from '../../extract/recipes/recipe.ts';
import type { CompiledSchema, JsonSchema } from '../../extract/schema/compile-schema.ts';
import type { Compute } from '../../content/formats/computations.ts';
import { type PageExtraction, schemaWish } from '../../content/formats/json.ts';
import { ModelMeter } from '../../extract/llm/model-meter.ts';
import type { Model, ModelUsage } from '../../extract/llm/model.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { Costs } from '../model/costs.ts';
import type { JobUsage, SkippedUrl } from '../model/job.ts';
import type { FetchMetadata } from '../model/document.ts';
import type { TaskPermit } from '../model/pace.ts';
import { headersForHop, plainHeaders, sharesHeaders } from '../http/network/credentials.ts';
import type { ExtractBudget } from '../options/job-options.ts';
import type { ExtractSettings } from '../options/extract-options.ts';
import type { PageSettings } from '../options/scrape-options.ts';
import type { ProcessedPage } from '../page/process-page.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import { openPageRecipes, readByRecipe, recipeWish } from '../page/process-snapshot.ts';
import type { Journal } from './durable/journal.ts';
import { JobBudget } from './job-budget.ts';
import { addJobUsage, Ledger } from './ledger.ts';
import { httpStatusError } from './page-failure.ts';
import {
  type FailedVisit,
  fetchInJob,
  type PageUsage,
  type PageVisit,
  restoreOrFetch,
  type SentPage,
  usageOf,
  type VisitedPage,
  visitInJob,
  type VisitSetting,
} from './page-visit.ts';

/** The data of one page, and its cost. */
export interface PageOutcome extends PageUsage {
  readonly extraction: PageExtraction;
  readonly provenance: Provenance | undefined;
  readonly removed: readonly string[];
  /** Whether the page is a stored copy, and from when. */
  readonly age: Pick<FetchMetadata, 'cacheState' | 'cachedAt'>;
  readonly credits: number;
  readonly recipe: RecipeReport | undefined;
  /** Sentences about the page, where another process has visited it. */
  readonly warnings?: readonly string[];
}

/** Everything that the visits of one extraction have in common. */
export interface ExtractVisits extends VisitSetting {
  readonly job: VisitSetting['job'] & { readonly warn: (sentence: string) => void };
  /** Its id in the store, where workers visit the pages. */
  readonly jobId?: string | undefined;
  readonly settings: ExtractSettings;
  readonly schema: CompiledSchema | undefined;
  /** The schema of values that are found without a model. */
  readonly markup: JsonSchema | undefined;
  /** True for an extraction of a single page. */
  readonly isWhole: boolean;
  readonly use: (usage: ModelUsage) => void;
}

/** Never rejects. To be called in the order of the pages. */
export async function visitExtractPage(
  work: ExtractVisits,
  url: string,
  permit: TaskPermit,
): Promise<PageOutcome | FailedVisit> {
  return visitInJob<PageOutcome | FailedVisit>(work, { url, permit }, async (visit) => {
    if (work.job.journal === undefined) return fetchAndExtract(work, visit);
    const visited = await visitStored(work, visit);
    if (!('page' in visited)) return visited;
    for (const warning of visited.page.warnings ?? []) work.job.warn(warning);
    return visited.page;
  });
}

/** Visits a page for an extraction of another process: only the stored visit counts, and an error of the store. */
export async function visitSentExtractPage(
  work: ExtractVisits,
  url: string,
  permit: TaskPermit,
): Promise<object> {
  return visitInJob<object>(work, { url, permit }, (visit) => visitStored(work, visit));
}

/** The outcome of the page is stored with its visit; there is no document. */
function visitStored(
  work: ExtractVisits,
  visit: PageVisit,
): Promise<VisitedPage<PageOutcome> | FailedVisit> {
  const { settings, isWhole, jobId = '' } = work;
  const sent = (): SentPage => ({
    jobId,
    page: { isWhole },
    needsModel: settings.choice.asksModel,
    request: { ...pageSettings(settings, visit.url), pace: { job: settings } },
  });
  return restoreOrFetch<PageOutcome>(work, visit, sent, async () => {
    const warnings: string[] = [];
    const job = { ...work.job, warn: (sentence: string) => void warnings.push(sentence) };
    const page = { ...(await fetchAndExtract({ ...work, job }, visit)), warnings };
    const document = { metadata: { creditsUsed: page.credits } } as PlainDocument;
    return { page, make: () => Promise.resolve(document) };
  });
}

/** Rejects when the page fails, or is an error page. */
async function fetchAndExtract(work: ExtractVisits, visit: PageVisit): Promise<PageOutcome> {
  const { parts, settings, markup, schema, job } = work;
  const { asksModel, prompt } = settings.choice;
  const { url } = visit;
  const asked = {
    ...pageSettings(settings, url),
    sourceUrl: url,
    url,
    pace: { job: settings },
    visitor: settings,
    refusalsArePages: true,
  };
  return fetchInJob(work, visit, asked, async (page, request, deadline) => {
    const usage = usageOf(page.snapshot);
    const { requests, received: bytes, browserMs } = usage;
    job.use({ requests, bytes, browserMs });
    const { statusCode, url: finalUrl } = page.snapshot;
    if (statusCode >= 400) {
      throw httpStatusError(url, { statusCode, finalUrl }, 'No data is taken from an error page.');
    }
    const question = { schema, prompt, recipe: settings.choice.recipe };
    const recipes = await openPageRecipes(parts.recipes, page.snapshot.url, question, {
      keeps: request.zeroDataRetention !== true,
      identity: page.identity,
      signal: deadline.signal,
    });
    const { processed, document } = await page.read({
      schemas: { extract: { schema: markup, onlyText: recipes !== undefined } },
      modelText: asksModel && recipes === undefined,
      recipe: recipes && { ...recipeWish(recipes), asksModel },
    });
    const { creditsUsed, cacheState, cachedAt } = document.metadata;
    let credits = creditsUsed;
    const askModel = (): void => void (credits = creditsUsed + parts.costs.model);
    const model = asksModel && parts.model ? new ModelMeter(parts.model, {}, askModel) : undefined;
    const byRecipe = await readByRecipe(
      parts,
      { snapshot: page.snapshot, plan: request, processed, recipes },
      {
        model,
        use: work.use,
        signal: deadline.signal,
        warn: (sentence) => job.warn(`${url}: ${sentence}`),
      },
    );
    const compute = parts.workers.computing(url, deadline.signal);
    const extraction =
      byRecipe?.extraction ??
      (await extractionOf(work, { model, url, processed, signal: deadline.signal, compute }));
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
    return { ...usage, ...proven, age, credits, recipe: byRecipe?.report };
  });
}

/** The settings of one page. On origins that the caller did not name it is requested without the caller's headers. */
export function pageSettings({ page, targets }: ExtractSettings, url: string): PageSettings {
  const { headers, redirectCredentials: scope = 'same-origin' } = page;
  if (targets.some((target) => target.url === url)) return page;
  const to = new URL(url);
  const sites = targets.filter(({ below }) => below).map((target) => new URL(target.url));
  const from = sites.find((site) => sharesHeaders(site, to, scope));
  const sent = from ? headersForHop(headers, from, to, scope) : plainHeaders(headers);
  return { ...page, headers: sent };
}

/** Each page's own values are looked up on it, before the pages are merged. */
async function provePage(
  extraction: PageExtraction,
  { schema, settings }: ExtractVisits,
  compute: Compute,
  page: QuotedPage,
): Promise<Pick<PageOutcome, 'extraction' | 'provenance' | 'removed'>> {
  if (!verifies(settings)) return { extraction, provenance: undefined, removed: [] };
  const { unverified } = settings;
  const proven = await compute('proven', {
    extraction,
    schema: schema?.jsonSchema ?? {},
    page,
    unverified,
  });
  return { ...proven, extraction: { ...extraction, ...proven.extraction } };
}

/** Beside a model only selectors count. */
export async function markupSchema(
  schema: CompiledSchema | undefined,
  { choice: { asksModel, mode } }: ExtractSettings,
): Promise<JsonSchema | undefined> {
  const isModels = asksModel && mode === 'model';
  const wish = await schemaWish({
    schema: isModels ? undefined : schema,
    onlySelectors: asksModel,
  });
  return wish.schema;
}

/** The data of the page; a model finds it where one is configured. */
async function extractionOf(
  { settings, schema, isWhole, job, use }: ExtractVisits,
  page: {
    readonly model: Model | undefined;
    readonly url: string;
    readonly processed: ProcessedPage;
    readonly signal: AbortSignal;
    readonly compute: Compute;
  },
): Promise<PageExtraction> {
  const { model, url, signal, compute } = page;
  const { findings, modelText } = page.processed;
  const { prompt } = settings.choice;
  const found = findings['extract']?.extraction ?? { value: undefined, notFound: [], sources: {} };
  if (model === undefined || modelText === undefined) return found;
  const { extractWithModel } = await loadModule(
    () => import('../../extract/with-model/extract-with-model.ts'),
  );
  return extractWithModel(found, {
    model,
    url,
    text: modelText,
    schema,
    prompt,
    isWhole,
    signal,
    compute,
    use,
    warn: (sentence) => job.warn(`${url}: ${sentence}`),
    onPartial: settings.onPartial,
  });
}

// The accounts of one extraction: its budget, its use, and the pages that the budget left out.

/** Dispose them when the extraction ends, or a timer stays. */
export class ExtractAccounts implements Disposable {
  readonly budget: JobBudget;
  readonly ledger: Ledger = new Ledger();
  readonly warnings: Set<string> = new Set();
  /** The pages whose visits are under way. */
  readonly active: Set<string> = new Set();
  /** Of an extraction whose pages workers visit. */
  readonly journal: Journal | undefined;
  readonly #pages: number | undefined;
  #usage: JobUsage = { requests: 0, bytes: 0 };

  /** `signal` ends the extraction. */
  constructor(
    { pages, ...budget }: ExtractBudget,
    costs: Costs,
    { signal, journal }: { readonly signal: AbortSignal; readonly journal?: Journal | undefined },
  ) {
    this.#pages = pages;
    this.journal = journal;
    this.budget = new JobBudget(budget, costs, { signal, ranBefore: 0 });
  }

  /** Ends requests. */
  get signal(): AbortSignal {
    return this.budget.signal;
  }

  /** So far. */
  get usage(): JobUsage {
    return this.#usage;
  }

  /** Pages that the budget left out, so far. */
  get skipped(): SkippedUrl[] {
    return this.ledger.skipsBy('BUDGET');
  }

  readonly use = (more: JobUsage): void => {
    this.budget.fetched(more);
    this.#usage = addJobUsage(this.#usage, more);
  };

  /** The rule that stops a further page while `inFlight` others may be read beside the `read` ones. */
  stops(read: number, inFlight: number): string | undefined {
    if (read + inFlight >= (this.#pages ?? Infinity)) return `budget.pages: ${this.#pages}`;
    return this.budget.stops(inFlight);
  }

  readonly skip = (url: string, rule: string): void => {
    this.ledger.skipped({ url, reason: 'BUDGET', rule });
  };

  readonly warn = (sentence: string): void => {
    this.warnings.add(sentence);
  };

  [Symbol.dispose](): void {
    this.budget[Symbol.dispose]();
  }
}
