/** Assembles the parts of one crawl: files of its sites, queue, order, frontier, URL sources and hooks. */
import { messageOf } from '../runtime/errors.ts';
import { fileFetcher, fileRequest } from '../fetch/fetch-file.ts';
import type { TextSimilarity } from '../frontier/orders/crawl-order.ts';
import { orderOf } from '../frontier/orders/orders.ts';
import { Frontier } from '../frontier/frontier.ts';
import { openRequestQueue, type RequestQueue } from '../frontier/queue/request-queue.ts';
import { SiteFiles } from '../frontier/robots/site-files.ts';
import { UrlSources } from '../frontier/url-sources.ts';
import { BudgetRefusal, modelFailed } from '../../extract/llm/model-failure.ts';
import type { Model } from '../../extract/llm/model.ts';
import type { Pace } from '../model/pace.ts';
import { startDeadline, withSignal } from '../runtime/deadline.ts';
import type { CrawlSettings } from '../options/crawl-options.ts';
import type { PipelineParts } from '../page/pipeline.ts';
import type { RequestQueueStorage } from '../storage/request-queue-storage.ts';
import { AnswerStop } from './answer-stop.ts';
import { paceAt } from './crawled-page.ts';
import type { JobControl } from './job-status.ts';
import { Recrawl, type RecrawlSetting } from './recrawl.ts';
import { JobHooks } from './job-hooks.ts';
import { sha256Of } from '../runtime/identifiers.ts';

const limits = {
  query: 1_000, // characters used
  textsAtOnce: 100, // texts of one request
  request: 60_000, // milliseconds: a model that never answers must not block the crawl
};

/** The pieces of one crawl. */
export interface AssembledCrawl {
  readonly site: SiteFiles;
  readonly hooks: JobHooks;
  readonly frontier: Frontier;
  readonly sources: UrlSources;
  /** Set for a crawl that ends when its query is answered. */
  readonly answer: AnswerStop | undefined;
  /** Set for a crawl that starts from an earlier one. */
  readonly recrawl: Recrawl | undefined;
}

/** The crawl to assemble; `signal` ends its requests. */
type CrawlSetting = RecrawlSetting & {
  readonly parts: PipelineParts & { readonly requestQueue: Parameters<typeof openJobQueue>[1] };
  readonly signal: AbortSignal;
};

/** Opens the parts of a crawl. Rejects like `Recrawl.open`. */
export async function assembleCrawl(setting: CrawlSetting): Promise<AssembledCrawl> {
  const { parts, settings, job, signal } = setting;
  const recrawl = await Recrawl.open(setting);
  const site = crawlFiles(parts, settings, { journal: job.journal, signal });
  const timeoutOf = (url: string): number => settings.pageSettings(url).timeout;
  const hooks = new JobHooks({ parts, timeoutOf, marksOf: settings.marksOf, job, signal });
  const queue = await openJobQueue(job, parts.requestQueue);
  const order = orderOf(settings.strategy);
  const frontier = new Frontier({
    ...settings,
    queue,
    order: await order.open(queue, settings.strategy, {
      similarityTo: (query) => querySimilarity({ query, model: parts.model, job, signal }),
      warn: (sentence) => job.warn(sentence),
    }),
    robots: (origin) => site.robots(origin),
    onPending: ({ url, parent }) => job.ledger.pending(url, parent),
    onSkipped: (skip) => hooks.skip(skip),
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
  return { site, hooks, frontier, answer: AnswerStop.of(setting), sources, recrawl };
}

// The files that a crawl reads from its sites: from the network, or as an earlier process read them.

/** The files of one crawl; `signal` ends their requests. */
export function crawlFiles(
  parts: PipelineParts,
  settings: CrawlSettings,
  { journal, signal }: Pick<JobControl<unknown>, 'journal' | 'signal'>,
): SiteFiles {
  // One request for all files: the settings are this job's own.
  const request = fileRequest(settings.pageSettings(settings.url), settings);
  const { maxConcurrency: concurrency } = settings;
  const paceOf = (url: string): Pace => paceAt({ settings, site }, url);
  const fetch = fileFetcher(parts, { request, concurrency, paceOf, signal });
  const site: SiteFiles = new SiteFiles({
    ...settings,
    fetch: (url, purpose) => journal.file(url, signal, () => fetch(url, purpose)),
    obeyRobots: !settings.ignoreRobotsTxt,
    now: () => parts.clock.now(),
    signal,
  });
  return site;
}

// The queue of one crawl.

/** Opens the queue empty: URLs left in it by an earlier process are found again. */
async function openJobQueue(
  { id, journal }: Pick<JobControl<unknown>, 'id' | 'journal'>,
  make: (jobId: string) => RequestQueueStorage | Promise<RequestQueueStorage>,
): Promise<RequestQueue> {
  if (journal.isResumed) await (await make(id)).drop();
  return openRequestQueue('crawl', await make(id));
}

// The similarity of texts to the query of a crawl, by the embeddings of the client's model.

/** The query, and the model that compares texts with it. */
interface QuerySimilaritySettings {
  readonly query: string;
  /** The client's model, within the job's budget. */
  readonly model: Model | undefined;
  readonly job: Pick<JobControl<unknown>, 'journal' | 'warn'>;
  /** Ends requests to the model. */
  readonly signal: AbortSignal;
}

const precision = 1e6; // differences below this are noise

type EmbeddingVector = readonly number[];

type SimilarityAnswer = { readonly near: readonly number[] } | { readonly error: unknown };

/**
 * Undefined, with a warning, if the client's model has no embeddings. After the model's first failure, with a warning,
 * the similarities are undefined; rejects with a `BudgetRefusal` and with the signal's reason. A durable job calls the
 * model once, also after a failure.
 */
function querySimilarity(setting: QuerySimilaritySettings): TextSimilarity | undefined {
  const { model, job, signal } = setting;
  const query = setting.query.slice(0, limits.query);
  if (model?.embed === undefined) {
    job.warn(
      "The pages are taken by words: strategy.by 'embedding' needs a model with embeddings. Give openAiModel an embeddingModel, or your own model embed().",
    );
    return undefined;
  }
  let sought: Promise<EmbeddingVector> | undefined;
  return async (texts) => {
    const near: number[] = [];
    for (let start = 0; start < texts.length; start += limits.textsAtOnce) {
      const answer = await compare(texts.slice(start, start + limits.textsAtOnce));
      if ('error' in answer) {
        job.warn(`From some page on, words decide the order: ${messageOf(answer.error)}`);
        return undefined;
      }
      near.push(...answer.near);
    }
    return near;
  };

  function compare(texts: readonly string[]): Promise<SimilarityAnswer> {
    return asked([query, ...texts], async () => {
      try {
        const target = await (sought ??= seek());
        const vectors = await vectorsOf(texts);
        return { near: vectors.map((vector) => similarity(target, vector)) };
      } catch (error) {
        if (signal.aborted || error instanceof BudgetRefusal) throw error;
        return { error };
      }
    });
  }

  async function seek(): Promise<EmbeddingVector> {
    const [vector = []] = await asked([query], () => vectorsOf([query]));
    return vector;
  }

  function asked<T>(texts: readonly string[], ask: () => Promise<T>): Promise<T> {
    const hash = sha256Of(JSON.stringify(texts));
    return job.journal.answer('nearness', `${texts.length} texts, ${hash}`, signal, ask);
  }

  async function vectorsOf(texts: readonly string[]): Promise<readonly EmbeddingVector[]> {
    using deadline = startDeadline(limits.request, [signal], `Embedding ${texts.length} texts`);
    const given = model?.embed?.(texts, deadline.signal);
    if (given === undefined) throw modelFailed(`The model ${model?.name} has no embeddings.`);
    return (await withSignal(given, deadline.signal)).vectors;
  }

  /** The cosine of the angle between them; 0 where one has no direction. */
  function similarity(one: EmbeddingVector, other: EmbeddingVector): number {
    if (one.length !== other.length) {
      throw modelFailed(`The model ${model?.name} returned vectors of different lengths.`);
    }
    let [product, square, otherSquare] = [0, 0, 0];
    for (const [index, value] of one.entries()) {
      const second = other[index] ?? 0;
      product += value * second;
      square += value * value;
      otherSquare += second * second;
    }
    const cosine = product / Math.sqrt(square * otherSquare);
    if (square * otherSquare === 0) return 0;
    if (Number.isFinite(cosine)) return Math.round(cosine * precision) / precision;
    throw modelFailed(`The model ${model?.name} returned a vector without numbers.`);
  }
}
