/** extract(): data that fits a schema or answers a prompt, from one or many pages. */
import { PagewrightError } from './core/runtime/errors.ts';
import { JobRenderHints } from './core/fetch/rendering/render-hints.ts';
import { type MergedExtraction, mergeExtractions } from './extract/merge-extractions.ts';
import { mergeProvenance, type Provenance } from './extract/provenance/provenance.ts';
import type { RecipeReport } from './extract/recipes/recipe.ts';
import { mostRelevant } from './core/frontier/sitemaps/site-map.ts';
import { JobBudget } from './core/jobs/job-budget.ts';
import type { JobControl } from './core/jobs/job-status.ts';
import {
  type ExtractVisits,
  type PageOutcome,
  pageSettings,
  visitExtractPage,
} from './core/jobs/extract-page.ts';
import type { Extraction, ShowExtraction } from './core/jobs/extract-job.ts';
import {
  chooseData,
  contradicted,
  leftOut,
  nothingFound,
  nothingRead,
  pagesOf,
  type ReadPage,
} from './core/jobs/extract-outcome.ts';
import { throwStoreError } from './core/jobs/durable/job-store.ts';
import type { Journal } from './core/jobs/durable/journal.ts';
import { openConcurrency } from './core/jobs/job-concurrency.ts';
import { runOrdered } from './core/jobs/ordered-pool.ts';
import { failureOf } from './core/jobs/page-failure.ts';
import type { FailedVisit } from './core/jobs/page-visit.ts';
import { addRequest, addTotals, type ModelTotals } from './extract/llm/model.ts';
import { mapSite } from './map.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import type { PageVisitor } from './core/model/page-visitor.ts';
import type { ExtractSettings, ExtractTarget } from './core/options/extract-options.ts';
import type { ClientParts } from './parts.ts';
import { searchWeb, unsentHeaders } from './search.ts';
import { preview } from './core/checks/option-errors.ts';
import { pathScope } from './core/url/path-kind.ts';

/** The work of an extraction. */
export async function runExtract(
  parts: ClientParts,
  settings: ExtractSettings,
  given: JobControl<PlainDocument>,
  show: ShowExtraction,
  sent?: SentExtraction,
): Promise<Extraction<unknown>> {
  const schema = await settings.schema;
  const { pages: mostPages = Infinity, ...limits } = settings.budget;
  using budget = new JobBudget(limits, parts.costs, given);
  const job = { ...budget.over(given), ...(sent && { journal: sent.journal }) };
  for (const warning of settings.warnings) job.warn(warning);
  // What workers use of the model is stored with their visits.
  const metered = await budget.metered(parts, { use: job.use, journal: given.journal });
  const queue = await resolveTargets(metered, settings, job, budget);
  job.found(queue);
  let modelUsage: ModelTotals | undefined;
  const visits: ExtractVisits = {
    parts: metered,
    settings,
    schema,
    // An error page is a failure with a message of its own.
    errorPages: 'keep',
    onFetch: () => budget.begin(),
    job,
    visitor: sent?.visitor,
    onModelUse: (use) => void (modelUsage = addTotals(modelUsage, use)),
    isWhole: queue.length === 1,
    rendering: new JobRenderHints(settings.maxConcurrency),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
  };
  using concurrency = await openConcurrency(
    { ...parts, visitor: visits.visitor },
    { maxConcurrency: settings.maxConcurrency, followsWorkers: false },
    job,
  );
  const read: ReadPage[] = [];
  const proven = new Map<string, Provenance>();
  const recipes: RecipeReport[] = [];
  let firstError: unknown;
  let merged: { readonly pages: number; readonly of: MergedExtraction } | undefined;
  show(() => {
    if (read.length === 0) return { pages: [] };
    if (merged?.pages !== read.length) {
      merged = { pages: read.length, of: mergeExtractions(read, schema?.jsonSchema ?? {}) };
    }
    return { data: merged.of.value, pages: pagesOf(read, merged.of) };
  });
  /** The rule that stops a further page while `inFlight` others may be read. */
  const stops = (inFlight: number): string | undefined =>
    read.length + inFlight >= mostPages ? `budget.pages: ${mostPages}` : budget.stops(inFlight);
  const skip = (url: string, rule: string): void => job.skip({ url, reason: 'BUDGET', rule });

  await runOrdered<string, PageOutcome | FailedVisit>({
    concurrency: concurrency.pages,
    signal: given.signal,
    waitSignal: budget.signal,
    mayStart: (uncommitted) => stops(uncommitted) === undefined,
    next: () => Promise.resolve(queue.shift()),
    run: (url, permit) => visitExtractPage(visits, url, permit),
    commit: (url, reading) => {
      const isFailed = 'error' in reading;
      const rule = (isFailed ? budget.causeOf(reading.error) : undefined) ?? budget.take(reading);
      if (rule !== undefined) skip(url, rule);
      else if (isFailed) {
        throwStoreError(reading.error);
        firstError ??= reading.error;
        job.fail(failureOf({ url }, reading.error, reading.at));
      } else {
        read.push({ url, extraction: reading.extraction, age: reading.age });
        if (reading.recipe !== undefined) recipes.push(reading.recipe);
        if (reading.provenance !== undefined) proven.set(url, reading.provenance);
        if (reading.removed.length > 0) job.warn(leftOut(url, reading.removed));
        job.answered(url, reading.credits);
      }
      return Promise.resolve();
    },
  });
  given.signal.throwIfAborted();
  const rule = stops(0);
  if (rule !== undefined) for (const url of queue) skip(url, rule);
  if (read.length === 0 && firstError !== undefined) throw firstError;
  const skipped = job.ledger.skipsBy('BUDGET');
  if (read.length === 0 && skipped.length > 0) throw nothingRead(skipped);
  budget.tell(job);

  const chosen = await chooseData(read, schema);
  if (chosen === undefined) {
    throw nothingFound(
      read.map(({ url }) => url),
      settings,
    );
  }
  const { data, sources, conflicts, notFound, candidates, origins } = chosen;
  if (candidates !== undefined) job.warn(contradicted(candidates));
  return {
    data,
    sources,
    conflicts,
    notFound,
    pages: pagesOf(read, chosen),
    invalidURLs: settings.invalidUrls,
    ...(candidates === undefined ? {} : { candidates }),
    ...(settings.provenance ? { provenance: mergeProvenance(origins, proven) } : {}),
    ...(modelUsage === undefined ? {} : { modelUsage }),
    ...(settings.choice.recipe === undefined ? {} : { recipes }),
  };
}

/** An extraction whose pages workers visit, in the store while it runs. */
export interface SentExtraction {
  readonly journal: Journal;
  readonly visitor: PageVisitor;
}

/** A URL that ends in `/*` becomes the pages below it, and a search the pages that it finds. */
async function resolveTargets(
  parts: ClientParts,
  settings: ExtractSettings,
  job: JobControl<PlainDocument>,
  budget: JobBudget,
): Promise<string[]> {
  const { search } = settings;
  if (search !== undefined) {
    const { web, warning } = await searchWeb(parts, { ...search, signal: budget.signal });
    for (const sentence of [warning, ...unsentHeaders(settings.page)]) {
      if (sentence !== undefined) job.warn(sentence);
    }
    if (web.length > 0) return [...new Set(web.map(({ url }) => url))];
    const message = `The search engine ${search.engine.name} found no pages for ${preview(search.query)}. Give search.query or urls.`;
    throw new PagewrightError('EXTRACT_INVALID', message);
  }
  const urls = new Set<string>();
  for (const target of settings.targets) {
    if (!target.below) {
      urls.add(target.url);
      continue;
    }
    try {
      const { links, warning } = await mapBelow(parts, settings, target, budget.signal);
      for (const url of links) urls.add(url);
      if (warning !== undefined) job.warn(warning);
    } catch (error) {
      const rule = budget.causeOf(error);
      if (rule === undefined) throw error;
      job.skip({ url: `${target.url}*`, reason: 'BUDGET', rule });
    }
  }
  return [...urls];
}

async function mapBelow(
  parts: ClientParts,
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
    pageSettings: (url) => pageSettings(settings, url),
    timeout: 60_000,
    signal,
  });
  const open = links.filter(({ blockedByRobots }) => blockedByRobots !== true);
  const chosen = prompt === undefined ? open : await mostRelevant(open, prompt, limit);
  return { links: chosen.map(({ url }) => url), warning };
}

const mostCompared = 5000; // pages of a site among which the best for a prompt are chosen
