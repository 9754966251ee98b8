/** What one crawl works with, joined to the accounts of its job. */
import { BestFirst } from '../frontier/best-first.ts';
import { Frontier } from '../frontier/frontier.ts';
import { LinkMeaning } from '../frontier/link-meaning.ts';
import type { RequestQueue } from '../frontier/request-queue.ts';
import type { SiteFiles } from '../frontier/site-files.ts';
import { UrlSources } from '../frontier/url-sources.ts';
import type { PipelineParts } from '../pipeline.ts';
import { crawlFiles } from './crawl-files.ts';
import { CrawlHooks } from './crawl-hooks.ts';
import { openJobQueue } from './job-queue.ts';
import { queryNearness } from './query-nearness.ts';
import { Recrawl, type RecrawlSetting } from './recrawl.ts';

/** The pieces of one crawl. */
export interface CrawlPieces {
  readonly site: SiteFiles;
  readonly hooks: CrawlHooks;
  readonly frontier: Frontier;
  /** The queue of a crawl that takes the best pages first. */
  readonly order: BestFirst | undefined;
  readonly sources: UrlSources;
  /** Of a crawl that begins with an earlier one. */
  readonly recrawl: Recrawl | undefined;
}

/** What they are made for; `signal` ends what is fetched. */
type CrawlSetting = RecrawlSetting & {
  readonly parts: PipelineParts & { readonly requestQueue: Parameters<typeof openJobQueue>[1] };
  readonly signal: AbortSignal;
};

/** Opens them. Rejects as `Recrawl.open`. */
export async function crawlPieces(setting: CrawlSetting): Promise<CrawlPieces> {
  const { parts, settings, job, signal } = setting;
  const recrawl = await Recrawl.open(setting);
  const site = crawlFiles(parts, settings, { journal: job.journal, signal });
  const hooks = new CrawlHooks({ parts, settings, job, signal });
  const queue = await openJobQueue(job, parts.requestQueue);
  const order = orderOf(setting, queue);
  const frontier = new Frontier({
    ...settings,
    queue: order ?? queue,
    robots: (origin) => site.robots(origin),
    onPending: ({ url, parent }) => job.ledger.pending(url, parent),
    onSkipped: (skip) => (order?.settled(skip.url), hooks.skip(skip)),
    isKnown: (url) => job.ledger.has(url),
    now: job.createdAt,
  });
  const sources = new UrlSources({
    frontier,
    order,
    sitemap: (url, need) => (settings.sitemap === 'skip' ? undefined : site.sitemap(url, need)),
    feeds: (urls, need) => (settings.sitemap === 'include' ? site.feeds(urls, need) : undefined),
    followLinks: settings.sitemap !== 'only',
    mostFiles: settings.budget.requests ?? Infinity,
    warn: (sentence) => (recrawl?.missed(sentence), job.warn(sentence)),
  });
  return { site, hooks, frontier, order, sources, recrawl };
}

function orderOf(
  { parts: { model }, settings: { query, ranksBy }, job, signal }: CrawlSetting,
  queue: RequestQueue,
): BestFirst | undefined {
  if (query === undefined) return undefined;
  const nearness = ranksBy === 'words' ? undefined : queryNearness({ query, model, job, signal });
  if (nearness === undefined) return new BestFirst(queue, query);
  const onFull = (texts: number): void =>
    job.warn(
      `The meaning of ${texts} texts of links was asked for; links beyond them come last. Raise what the crawl leaves out: excludePaths, sitemap: 'skip'.`,
    );
  return new BestFirst(queue, query, new LinkMeaning(nearness, onFull));
}
