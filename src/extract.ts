/** extract(): data that fits a schema or answers a prompt, from one or many pages. */
import { PagewrightError } from './core/runtime/errors.ts';
import { JobRenderHints } from './core/fetch/rendering/render-hints.ts';
import { type MergedExtraction, mergeExtractions } from './extract/merge-extractions.ts';
import { mergeProvenance, type Provenance } from './extract/provenance/provenance.ts';
import type { RecipeReport } from './extract/recipes/recipe.ts';
import { mostRelevant } from './core/frontier/sitemaps/site-map.ts';
import {
  ExtractAccounts,
  type ExtractVisits,
  type PageOutcome,
  pageSettings,
  visitExtractPage,
} from './core/jobs/extract-page.ts';
import type { Extraction, ExtractSoFar, ShowExtraction } from './core/jobs/extract-job.ts';
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
import type { JobCounts, PageFailure } from './core/model/job.ts';
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
  signal: AbortSignal,
  show: ShowExtraction,
  sent?: SentExtraction,
): Promise<Extraction<unknown>> {
  const schema = await settings.schema;
  const { journal, jobId } = sent ?? {};
  using accounts = new ExtractAccounts(settings.budget, parts.costs, { signal, journal });
  const { budget, warnings } = accounts;
  for (const warning of settings.warnings) warnings.add(warning);
  // What workers use of the model is stored with their visits.
  const metered = await budget.metered(parts, { use: accounts.use, journal: undefined });
  const queue = await resolveTargets(metered, settings, accounts);
  const isWhole = queue.length === 1;
  let modelUsage: ModelTotals | undefined;
  const visits: ExtractVisits = {
    parts: metered,
    settings,
    schema,
    // An error page is a failure with a message of its own.
    errorPages: 'keep',
    onFetch: () => budget.begin(),
    job: accounts,
    jobId,
    visitor: sent?.visitor,
    onModelUse: (use) => void (modelUsage = addTotals(modelUsage, use)),
    isWhole,
    rendering: new JobRenderHints(settings.maxConcurrency),
    use: (usage) => void (modelUsage = addRequest(modelUsage, usage)),
  };
  using concurrency = await openConcurrency(
    { ...parts, visitor: visits.visitor },
    { maxConcurrency: settings.maxConcurrency, followsWorkers: false },
    { id: jobId ?? '', warn: accounts.warn },
  );
  const read: ReadPage[] = [];
  const proven = new Map<string, Provenance>();
  const errors: PageFailure[] = [];
  const recipes: RecipeReport[] = [];
  // Sites whose pages were not even looked for.
  const unread = accounts.skipped.length;
  let firstError: unknown;
  let creditsUsed = 0;
  const soFar = (): Omit<ExtractSoFar, 'data' | 'pages'> => ({
    errors: [...errors],
    skipped: accounts.skipped,
    creditsUsed,
    usage: accounts.usage,
    ...(warnings.size === 0 ? {} : { warning: [...warnings].join(' ') }),
  });
  let merged: { readonly pages: number; readonly of: MergedExtraction } | undefined;
  const soFarMerged = (): ExtractSoFar => {
    if (read.length === 0) return { ...soFar(), pages: [] };
    if (merged?.pages !== read.length) {
      merged = { pages: read.length, of: mergeExtractions(read, schema?.jsonSchema ?? {}) };
    }
    return { data: merged.of.value, pages: pagesOf(read, merged.of), ...soFar() };
  };
  const pageCount = queue.length;
  const count = (): JobCounts => {
    const [completed, failed] = [read.length, errors.length];
    const skipped = accounts.skipped.length;
    const pending = pageCount + unread - completed - failed - skipped;
    return { discovered: pageCount + unread, completed, failed, skipped, pending };
  };
  show(soFarMerged, count, accounts.active);

  await runOrdered<string, PageOutcome | FailedVisit>({
    concurrency: concurrency.pages,
    signal,
    waitSignal: budget.signal,
    mayStart: (uncommitted) => accounts.stops(read.length, uncommitted) === undefined,
    next: () => Promise.resolve(queue.shift()),
    run: (url, permit) => visitExtractPage(visits, url, permit),
    commit: (url, reading) => {
      const isFailed = 'error' in reading;
      const rule = (isFailed ? budget.causeOf(reading.error) : undefined) ?? budget.take(reading);
      if (rule !== undefined) accounts.skip(url, rule);
      else if (isFailed) {
        throwStoreError(reading.error);
        firstError ??= reading.error;
        errors.push(failureOf({ url }, reading.error, reading.at));
      } else {
        creditsUsed += reading.credits;
        read.push({ url, extraction: reading.extraction, age: reading.age });
        if (reading.recipe !== undefined) recipes.push(reading.recipe);
        if (reading.provenance !== undefined) proven.set(url, reading.provenance);
        if (reading.removed.length > 0) warnings.add(leftOut(url, reading.removed));
      }
      show(soFarMerged, count, accounts.active);
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

  const chosen = await chooseData(read, schema);
  if (chosen === undefined) {
    throw nothingFound(
      read.map(({ url }) => url),
      settings,
    );
  }
  const { data, sources, conflicts, notFound, candidates, origins } = chosen;
  if (candidates !== undefined) warnings.add(contradicted(candidates));
  return {
    ...soFar(),
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
  readonly jobId: string;
  readonly journal: Journal;
  readonly visitor: PageVisitor;
}

/** A URL that ends in `/*` becomes the pages below it, and a search the pages that it finds. */
async function resolveTargets(
  parts: ClientParts,
  settings: ExtractSettings,
  { budget, warnings, skip }: ExtractAccounts,
): Promise<string[]> {
  const { search } = settings;
  if (search !== undefined) {
    const { web, warning } = await searchWeb(parts, { ...search, signal: budget.signal });
    for (const sentence of [warning, ...unsentHeaders(settings.page)]) {
      if (sentence !== undefined) warnings.add(sentence);
    }
    if (web.length > 0) return web.map(({ url }) => url);
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
