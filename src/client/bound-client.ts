/** The verbs of one client, and its jobs. */
import type { Engine } from '../engines/engine.ts';
import { PagewrightError } from '../errors.ts';
import { BatchJob } from '../jobs/batch-job.ts';
import { ExtractJob } from '../jobs/extract-job.ts';
import { Job } from '../jobs/job.ts';
import type { JobSetting } from '../jobs/job-status.ts';
import type { MapResult } from '../map.ts';
import type { WebhookSettings, WebhookSource } from '../model/webhook.ts';
import { parseBatchOptions, parseBatchUrls } from '../options/batch-options.ts';
import { parseCrawlOptions } from '../options/crawl-options.ts';
import { parseExtractOptions } from '../options/extract-options.ts';
import { parseMapOptions } from '../options/map-options.ts';
import { parseScrapeOptions } from '../options/scrape-options.ts';
import { parseContent, parseScrapeTarget } from '../options/scrape-target.ts';
import type { Parts } from '../parts.ts';
import type { CrawlPlan } from '../plan.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import { memoryStore } from '../storage/memory-store.ts';
import { uuid } from '../text/uuid.ts';
import { Outbox } from '../webhooks/outbox.ts';

type AnyJob = Job<PlainDocument>;

/** What the options of all jobs have. */
interface JobOptions {
  readonly signal: AbortSignal | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly zeroDataRetention?: boolean;
  readonly keepsDocuments?: boolean;
}

/**
 * The verbs without their types: what a caller passes is checked at run time. The verbs themselves
 * are loaded at their first use, so that importing the package costs little.
 */
export class BoundClient implements AsyncDisposable {
  readonly #parts: Parts;
  /** Those that the client made and therefore closes. */
  readonly #ownEngines: readonly Engine[];
  readonly #closing: AbortController;
  /** Milliseconds that results of jobs are kept after their end. */
  readonly #retention: number;
  /** Ids of jobs whose results are gone. */
  readonly #expired = new Set<string>();
  readonly #jobs = new Map<string, AnyJob>();
  readonly #extractions = new Set<ExtractJob<unknown>>();
  readonly #plans = new Set<Promise<unknown>>();

  constructor(
    parts: Parts,
    ownEngines: readonly Engine[],
    closing: AbortController,
    retention: number,
  ) {
    this.#parts = parts;
    this.#ownEngines = ownEngines;
    this.#closing = closing;
    this.#retention = retention;
  }

  async scrape(target: unknown, options?: unknown): Promise<object> {
    this.#refuseWhenClosed();
    const parsed = parseScrapeTarget(target);
    const settings = parseScrapeOptions(options, this.#parts);
    const { scrapePage } = await import('../scrape.ts');
    return scrapePage(this.#parts, parsed, settings);
  }

  async parse(content: unknown, options?: unknown): Promise<object> {
    this.#refuseWhenClosed();
    const { target, rest } = parseContent(content, options);
    const settings = parseScrapeOptions(rest, this.#parts, 'parse');
    const { scrapePage } = await import('../scrape.ts');
    return scrapePage(this.#parts, target, settings);
  }

  crawl(url: unknown, options?: unknown): AnyJob {
    this.#refuseWhenClosed();
    const settings = parseCrawlOptions(url, options, this.#parts);
    const job = new Job<PlainDocument>(this.#jobSetting('crawl', settings), async (control) => {
      const { runCrawl } = await import('../crawl.ts');
      await runCrawl(this.#parts, settings, control);
    });
    return this.#remember(job);
  }

  batchScrape(urls: unknown, options?: unknown): BatchJob<PlainDocument> {
    this.#refuseWhenClosed();
    const settings = parseBatchOptions(options, this.#parts);
    const { ignoreInvalidUrls } = settings;
    const start = { ...parseBatchUrls(urls, ignoreInvalidUrls), ignoreInvalidUrls };
    const setting = this.#jobSetting('batch_scrape', settings);
    const job = new BatchJob<PlainDocument>(setting, start, async (list, control) => {
      const { runBatch } = await import('../batch.ts');
      await runBatch(this.#parts, settings, list, control);
    });
    return this.#remember(job);
  }

  async plan(url: unknown, options?: unknown): Promise<CrawlPlan> {
    this.#refuseWhenClosed();
    const settings = parseCrawlOptions(url, options, this.#parts);
    const setting = this.#jobSetting('crawl', { ...settings, webhook: undefined });
    const { planCrawl } = await import('../plan.ts');
    const plan = planCrawl(this.#parts, settings, setting);
    this.#plans.add(plan);
    return plan.finally(() => this.#plans.delete(plan));
  }

  async map(url: unknown, options?: unknown): Promise<MapResult> {
    this.#refuseWhenClosed();
    const settings = parseMapOptions(url, options, this.#parts);
    const { mapSite } = await import('../map.ts');
    return mapSite(this.#parts, settings);
  }

  extract(options: unknown): ExtractJob<unknown> {
    this.#refuseWhenClosed();
    const settings = parseExtractOptions(options, this.#parts);
    const job = new ExtractJob(this.#jobSetting('extract', settings), async (signal) => {
      const { runExtract } = await import('../extract.ts');
      return runExtract(this.#parts, settings, signal);
    });
    this.#extractions.add(job);
    void job.delivered().then(() => this.#extractions.delete(job));
    return job;
  }

  job(id: string): AnyJob {
    this.jobs();
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    throw this.#expired.has(id)
      ? new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`)
      : new PagewrightError('JOB_NOT_FOUND', `This client has no job ${JSON.stringify(id)}.`);
  }

  /** Expired jobs are dropped here, so that a long-lived client does not grow. */
  jobs(): AnyJob[] {
    for (const [id, job] of this.#jobs) {
      if (!job.expired) continue;
      this.#jobs.delete(id);
      this.#expired.add(id);
      void job.drop().catch((error: unknown) => this.#parts.logger.warn(String(error)));
    }
    return [...this.#jobs.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new PagewrightError('CANCELLED', 'The client was closed.'));
    const jobs = [...this.#jobs.values(), ...this.#extractions].map((job) => job.delivered());
    await Promise.allSettled([...jobs, ...this.#plans]);
    // What the caller handed over is the caller's to close.
    for (const engine of this.#ownEngines) await engine.dispose?.();
    await this.#parts.threads.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Expired jobs make room. */
  #remember<Some extends AnyJob>(job: Some): Some {
    this.jobs();
    this.#jobs.set(job.id, job);
    return job;
  }

  #jobSetting(
    source: WebhookSource,
    { signal, webhook, zeroDataRetention = false, keepsDocuments = true }: JobOptions,
  ): JobSetting {
    const { clock, logger, openPoster, signal: clientSignal } = this.#parts;
    const id = uuid(() => clock.random());
    const outbox =
      webhook === undefined
        ? undefined
        : new Outbox({ source, jobId: id, webhook, poster: openPoster(), clientSignal });
    const store = zeroDataRetention ? memoryStore() : this.#parts.store;
    const retention = this.#retention;
    const now = (): number => clock.now();
    const kept = { store, retention, keepsDocuments };
    return { id, ...kept, now, logger, signal, clientSignal, outbox };
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
  }
}
