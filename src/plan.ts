/** plan(): which pages a crawl would fetch, without making documents of them. */
import { runCrawl } from './crawl.ts';
import { PagewrightError } from './errors.ts';
import { Job } from './jobs/job.ts';
import type { JobSetting } from './jobs/job-status.ts';
import type { JobUsage, PageFailure, SkippedUrl, SkipReason, UrlOutcome } from './model/job.ts';
import type { Metadata } from './model/document.ts';
import type { CrawlSettings } from './options/crawl-options.ts';
import type { ClientParts } from './parts.ts';
import type { PlainDocument } from './processing/compose-document.ts';
import { memoryStore } from './storage/memory-store.ts';

/** One page that a crawl would keep. */
export interface PlannedPage {
  readonly url: string;
  /** Hops from the start URL. */
  readonly depth: number;
  /** The page that links to it; absent for the start URL and sitemap entries. */
  readonly parent?: string;
  readonly discoveredBy: NonNullable<Metadata['discoveredBy']>;
}

/** What a crawl would do. */
export interface CrawlPlan {
  /** The pages that it would keep, in its order. */
  readonly pages: readonly PlannedPage[];
  /** What it would leave out, and why: the first 100,000. */
  readonly skipped: readonly SkippedUrl[];
  /** How many URLs it would leave out, by their reason. */
  readonly skippedByReason: Readonly<Partial<Record<SkipReason, number>>>;
  /** Pages that could not be fetched. */
  readonly errors: readonly PageFailure[];
  readonly warning?: string;
  /** What planning used: the requests, and the tokens of a model that read the prompt. */
  readonly usage: JobUsage;
  /** What would become of a URL; undefined when the crawl would never meet it. */
  explain(url: string | URL): UrlOutcome | undefined;
}

/**
 * A crawl that keeps nothing but where its pages are: the same rules, order and limit. Formats are not
 * made, so that a page counts which only a format would fail on.
 */
export async function planCrawl(
  parts: ClientParts,
  settings: CrawlSettings,
  options: unknown,
  setting: JobSetting,
): Promise<CrawlPlan> {
  // What is asked about documents would be asked about documents that nobody makes.
  const hooks = { ...parts.hooks, onDocument: [] };
  const job = new Job<PlainDocument>(
    { ...setting, store: memoryStore(), keepsDocuments: true },
    (control) => runCrawl({ ...parts, hooks }, settings, control, options, planSettings),
  );
  const { data, errors, warning, status, usage } = await job;
  if (status === 'cancelled') {
    throw new PagewrightError('CANCELLED', `Planning a crawl of ${settings.url} was cancelled.`);
  }
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
    // Which pages are taken does not depend on it.
    removeRepeatedBlocks: false,
    hooks: hooks === undefined ? undefined : { ...hooks, onDocument: undefined },
    pageSettings: (url) => {
      const settings = pageSettings(url);
      return { ...settings, formats: [], cache: { ...settings.cache, store: false } };
    },
  };
}

function plannedPage({ sourceURL, depth, parentUrl, discoveredBy }: Metadata): PlannedPage {
  return {
    url: sourceURL,
    depth: depth ?? 0,
    ...(parentUrl === undefined ? {} : { parent: parentUrl }),
    discoveredBy: discoveredBy ?? 'link',
  };
}
