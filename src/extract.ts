/** extract(): data that fits a schema or answers a prompt, from one or many pages. */
import { PagewrightError } from './errors.ts';
import type { PageExtraction } from './formats/json/index.ts';
import { mergeExtractions } from './formats/json/merge.ts';
import { type LeafOrigin, mergeProvenance } from './formats/json/provenance/merge-provenance.ts';
import type { Provenance, QuotedPage } from './formats/json/provenance/provenance.ts';
import { verifies } from './formats/json/provenance/provenance-options.ts';
import type { RecipeReport } from './formats/json/recipes/recipe-report.ts';
import type { CompiledSchema, JsonSchema } from './formats/json/schema.ts';
import { mostRelevant } from './frontier/most-relevant.ts';
import { ExtractAccounts } from './jobs/extract-accounts.ts';
import type { Extraction } from './jobs/extract-job.ts';
import {
  leftOut,
  missingEverywhere,
  nothingFound,
  nothingRead,
  validated,
} from './jobs/extract-outcome.ts';
import { runOrdered } from './jobs/ordered-pool.ts';
import { failureOf } from './jobs/page-failure.ts';
import { addRequest, type ModelTotals } from './llm/model-totals.ts';
import type { ModelUsage } from './llm/model.ts';
import { mapSite } from './map.ts';
import type { PageFailure } from './model/job.ts';
import type { Ticket } from './model/pace.ts';
import type { ExtractSettings, ExtractTarget } from './options/extract-options.ts';
import type { Parts } from './parts.ts';
import { visitPage } from './pipeline.ts';
import type { PageReading } from './reading/read-page.ts';
import { openPageRecipes, readByRecipe, recipeWish } from './reading/recipe-page.ts';
import { pathScope } from './url/path-scope.ts';

/** What one page gave. */
type Reading =
  | {
      readonly extraction: PageExtraction;
      readonly provenance: Provenance | undefined;
      readonly removed: readonly string[];
      readonly credits: number;
      /** Bytes. */
      readonly received: number;
      readonly recipe: RecipeReport | undefined;
    }
  | { readonly error: unknown };

/** The work of an extraction. */
export async function runExtract(
  parts: Parts,
  settings: ExtractSettings,
  signal: AbortSignal,
): Promise<Extraction<unknown>> {
  const schema = await settings.schema;
  using accounts = new ExtractAccounts(settings.budget, parts.costs, signal);
  const { budget, warnings } = accounts;
  const metered = await budget.metered(parts, accounts);
  const queue = await resolveTargets(metered, settings, accounts);
  const isWhole = queue.length === 1;
  let modelUsage: ModelTotals | undefined;
  const work: PageWork = {
    ...{ parts: metered, settings, schema, accounts, isWhole },
    markup: await markupSchema(schema, settings),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
  };
  const read: { url: string; extraction: PageExtraction }[] = [];
  const proven = new Map<string, Provenance>();
  const errors: PageFailure[] = [];
  const recipes: RecipeReport[] = [];
  let firstError: unknown;
  let creditsUsed = 0;

  await runOrdered<string, Reading>({
    concurrency: settings.maxConcurrency,
    signal,
    waitSignal: budget.signal,
    mayStart: (uncommitted) => accounts.stops(read.length, uncommitted) === undefined,
    next: () => Promise.resolve(queue.shift()),
    takesSlots: true,
    run: (url, ticket) => readPage(work, { url, ticket }).catch((error: unknown) => ({ error })),
    commit: (url, reading) => {
      const isFailed = 'error' in reading;
      const rule = isFailed ? budget.causeOf(reading.error) : budget.take(reading);
      if (rule !== undefined) accounts.skip(url, rule);
      else if (isFailed) {
        firstError ??= reading.error;
        errors.push(failureOf({ url }, reading.error, parts.clock.now()));
      } else {
        creditsUsed += reading.credits;
        read.push({ url, extraction: reading.extraction });
        if (reading.recipe !== undefined) recipes.push(reading.recipe);
        if (reading.provenance !== undefined) proven.set(url, reading.provenance);
        if (reading.removed.length > 0) warnings.add(leftOut(url, reading.removed));
      }
      return Promise.resolve();
    },
  });
  signal.throwIfAborted();
  const rule = accounts.stops(read.length, 0);
  if (rule !== undefined) for (const url of queue) accounts.skip(url, rule);
  if (read.length === 0 && firstError !== undefined) throw firstError;
  const { skipped } = accounts;
  if (read.length === 0 && skipped.length > 0) throw nothingRead(skipped);
  budget.tell(accounts);

  const origins = new Map<string, readonly LeafOrigin[]>();
  const merged = mergeExtractions(read, schema?.jsonSchema ?? {}, origins);
  const found = Object.keys(merged.sources).length;
  if (found === 0)
    throw nothingFound(
      read.map(({ url }) => url),
      settings,
    );
  const data = await validated(merged.value, schema, read.length);
  const notFound = missingEverywhere(read.map(({ extraction }) => extraction));
  const warning = [...warnings].join(' ');
  return {
    data,
    sources: merged.sources,
    conflicts: merged.conflicts,
    notFound,
    errors,
    skipped,
    creditsUsed,
    usage: accounts.usage,
    ...(settings.provenance ? { provenance: mergeProvenance(origins, proven) } : {}),
    ...(modelUsage === undefined ? {} : { modelUsage }),
    ...(settings.choice.recipe === undefined ? {} : { recipes }),
    ...(warning === '' ? {} : { warning }),
  };
}

/** A URL that ends in `/*` becomes the pages below it. */
async function resolveTargets(
  parts: Parts,
  settings: ExtractSettings,
  { budget, warnings, skip }: ExtractAccounts,
): Promise<string[]> {
  const urls = new Set<string>();
  for (const target of settings.targets) {
    if (!target.below) {
      urls.add(target.url);
      continue;
    }
    try {
      const { links, warning } = await mapBelow(parts, settings, target, budget.signal);
      for (const url of links) urls.add(url);
      if (warning !== undefined) warnings.add(warning);
    } catch (error) {
      const rule = budget.causeOf(error);
      if (rule === undefined) throw error;
      skip(`${target.url}*`, rule);
    }
  }
  return [...urls];
}

async function mapBelow(
  parts: Parts,
  settings: ExtractSettings,
  target: ExtractTarget,
  signal: AbortSignal,
): Promise<{ links: string[]; warning?: string | undefined }> {
  const covers = pathScope(new URL(target.url));
  const { limit, choice } = settings;
  const { prompt } = choice;
  const { links, warning } = await mapSite(parts, {
    url: target.url,
    limit: prompt === undefined ? limit : Math.max(limit, mostCompared),
    sitemap: settings.ignoreSitemap ? 'skip' : 'include',
    includeSubdomains: settings.includeSubdomains,
    ignoreQueryParameters: false,
    include: [{ source: `${target.url}*`, matches: covers }],
    exclude: [],
    allowExternalLinks: false,
    maxDiscoveryDepth: undefined,
    search: undefined,
    pageSettings: () => settings.page,
    timeout: 60_000,
    signal,
  });
  const open = links.filter(({ blockedByRobots }) => blockedByRobots !== true);
  const chosen = prompt === undefined ? open : await mostRelevant(open, prompt, limit);
  return { links: chosen.map(({ url }) => url), warning };
}

/** Pages of a site of which the best for a prompt are taken. */
const mostCompared = 5000;

/** What all pages of an extraction have in common. */
interface PageWork {
  readonly parts: Parts;
  readonly settings: ExtractSettings;
  readonly schema: CompiledSchema | undefined;
  /** What is looked for without a model. */
  readonly markup: JsonSchema | undefined;
  /** There is one page only. */
  readonly isWhole: boolean;
  readonly accounts: ExtractAccounts;
  readonly use: (usage: ModelUsage) => void;
}

async function readPage(
  work: PageWork,
  { url, ticket }: { url: string; ticket: Ticket },
): Promise<Reading> {
  const { parts, settings, markup, schema, accounts } = work;
  const { signal } = accounts.budget;
  const { asksModel, prompt } = settings.choice;
  const pace = { job: settings, ticket };
  // Before the page's own time begins, and without a slot until the host is ready.
  using turn = await parts.hosts.turn(url, { ...pace, signal });
  const request = {
    ...{ ...settings.page, sourceUrl: url, url, visitor: settings, signal },
    pace: { ...pace, turn },
  };
  return await visitPage(parts, request, async (page, deadline) => {
    const { requests, bytes: received, browserMs } = page.snapshot;
    accounts.received({ requests, bytes: received, browserMs });
    const question = schema && { schema, prompt, recipe: settings.choice.recipe };
    const recipes = await openPageRecipes(parts.recipes, page.snapshot.url, question, {
      ...{ keeps: true, signal: deadline.signal },
    });
    const { reading, document } = await page.read({
      schema: markup,
      modelText: asksModel && recipes === undefined,
      recipe: recipes && { ...recipeWish(recipes), asksModel, isInsteadOfSchema: true },
    });
    const { statusCode, error, creditsUsed } = document.metadata;
    if (statusCode >= 400) {
      throw new PagewrightError(
        'UNSUPPORTED_CONTENT',
        `${url} answered ${error ?? statusCode}: nothing is taken from an error page.`,
        { url },
      );
    }
    let credits = creditsUsed;
    const use = (usage: ModelUsage): void => {
      if (credits === creditsUsed) credits += parts.costs.json;
      work.use(usage);
    };
    const byRecipe = await readByRecipe(
      parts,
      { snapshot: page.snapshot, plan: request, reading, recipes },
      {
        ...{ model: asksModel ? parts.model : undefined, use, signal: deadline.signal },
        warn: (sentence) => accounts.warn(`${url}: ${sentence}`),
      },
    );
    const extraction =
      byRecipe?.extraction ?? (await extractionOf({ ...work, use }, url, reading, deadline.signal));
    const markdown = document['markdown'];
    const proven = await provePage(extraction, work, {
      url,
      markdown: typeof markdown === 'string' ? markdown : '',
      language: document.metadata.language,
    });
    return { ...proven, credits, received, recipe: byRecipe?.report };
  });
}

/** Each page's own values are looked up on it, before the pages are merged. */
async function provePage(
  extraction: PageExtraction,
  { schema, settings }: PageWork,
  page: QuotedPage,
): Promise<Omit<Extract<Reading, { extraction: unknown }>, 'credits' | 'received' | 'recipe'>> {
  if (!verifies(settings)) return { extraction, provenance: undefined, removed: [] };
  const { proveExtraction } = await import('./formats/json/provenance/prove-extraction.ts');
  return proveExtraction(extraction, schema?.jsonSchema ?? {}, page, settings.unverified);
}

/** Beside a model only selectors count. */
async function markupSchema(
  schema: CompiledSchema | undefined,
  { choice: { asksModel, mode } }: ExtractSettings,
): Promise<JsonSchema | undefined> {
  if (schema === undefined || !asksModel) return schema?.jsonSchema;
  const { hasSelectors } = await import('./formats/json/with-model/selector-leaves.ts');
  return mode === 'auto' && hasSelectors(schema.jsonSchema) ? schema.jsonSchema : undefined;
}

/** What the page gave, by the model where it is asked. */
async function extractionOf(
  { parts, settings, schema, isWhole, accounts, use }: PageWork,
  url: string,
  { extraction, modelText }: PageReading,
  signal: AbortSignal,
): Promise<PageExtraction> {
  const { model } = parts;
  const { prompt } = settings.choice;
  const found = extraction ?? { value: undefined, notFound: [], sources: {} };
  if (model === undefined || modelText === undefined) return found;
  const { extractWithModel } = await import('./formats/json/with-model/extract-with-model.ts');
  return extractWithModel(found, {
    ...{ model, url, text: modelText, schema, prompt, isWhole, signal, use },
    warn: (sentence) => accounts.warn(`${url}: ${sentence}`),
    onPartial: settings.onPartial,
  });
}
