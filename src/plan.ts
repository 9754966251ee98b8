/** plan(): the pages a crawl would fetch, without making documents of them. */
import { runCrawl } from './crawl.ts';
import { Job } from './core/jobs/job.ts';
import type { JobFactory } from './client-jobs.ts';
import type {
  JobUsage,
  PageFailure,
  SkippedUrl,
  SkipReason,
  UrlOutcome,
} from './core/model/job.ts';
import type { Metadata } from './core/model/document.ts';
import { type CrawlSettings, parseCrawlOptions } from './core/options/crawl-options.ts';
import { crawlModel } from './core/options/derived-crawl-options.ts';
import type { ClientParts } from './parts.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import { memoryStore } from './core/storage/memory-store.ts';

/** One page that a crawl would keep. */
export interface PlannedPage {
  readonly url: string;
  /** Hops from the start URL. */
  readonly depth: number;
  /** The page that links to it; absent for the start URL and sitemap entries. */
  readonly parent?: string;
  readonly discoveredBy: NonNullable<Metadata['discoveredBy']>;
  /** The label of its route. */
  readonly label?: string;
}

/** The result of `plan()`. */
export interface CrawlPlan {
  /** The pages that the crawl would keep, in its order. */
  readonly pages: readonly PlannedPage[];
  /** The URLs that it would leave out, with reasons: the first 100,000. */
  readonly skipped: readonly SkippedUrl[];
  /** How many URLs it would leave out, by reason. */
  readonly skippedByReason: Readonly<Partial<Record<SkipReason, number>>>;
  /** Pages that could not be fetched. */
  readonly errors: readonly PageFailure[];
  readonly warning?: string;
  /** The usage of planning: the requests, and the tokens of a model that read the prompt. */
  readonly usage: JobUsage;
  /** The outcome for a URL; undefined when the crawl would never meet it. */
  explain(url: string | URL): UrlOutcome | undefined;
}

/**
 * Runs a crawl that keeps only the addresses of its pages: the same rules, order and limit. Formats
 * are not made, so a page counts even if a format would fail on it.
 */
export async function planCrawl(
  parts: ClientParts,
  jobs: Pick<JobFactory, 'setting'>,
  url: unknown,
  options: unknown,
): Promise<CrawlPlan> {
  const settings = parseCrawlOptions(url, options, parts);
  const setting = jobs.setting('crawl', { ...settings, webhook: undefined });
  if (settings.prompt !== undefined) crawlModel(parts.model);
  // Planning makes no documents, so `onDocument` is not called.
  const hooks = { ...parts.hooks, onDocument: [] };
  const job = new Job<PlainDocument>(
    {
      ...setting,
      store: memoryStore(),
      keepsDocuments: true,
      traced: { verb: 'plan', url: settings.url },
    },
    (control) => runCrawl({ ...parts, hooks }, settings, control, options, planSettings),
  );
  const { data, errors, warning, usage } = await job;
  return {
    pages: data.map(({ metadata }) => plannedPage(metadata)),
    skipped: job.skipped(),
    skippedByReason: job.skippedByReason(),
    errors,
    usage,
    ...(warning === undefined ? {} : { warning }),
    explain: (url) => job.explain(url),
  };
}

function planSettings(settings: CrawlSettings): CrawlSettings {
  const { pageSettings, hooks } = settings;
  return {
    ...settings,
    since: undefined,
    // The choice of pages does not depend on it.
    removeRepeatedBlocks: false,
    hooks: hooks === undefined ? undefined : { ...hooks, onDocument: undefined },
    pageSettings: (url) => {
      const settings = pageSettings(url);
      return { ...settings, formats: [], cache: { ...settings.cache, store: false } };
    },
  };
}

function plannedPage(metadata: Metadata): PlannedPage {
  const { sourceURL, depth, parentUrl, discoveredBy, label } = metadata;
  return {
    url: sourceURL,
    depth: depth ?? 0,
    ...(parentUrl === undefined ? {} : { parent: parentUrl }),
    discoveredBy: discoveredBy ?? 'link',
    ...(label === undefined ? {} : { label }),
  };
}
