/** The verbs of one client, and its jobs. */
import type { Engine } from '../engines/engine.ts';
import { PagewrightError } from '../errors.ts';
import type { PageVersion } from '../formats/change-tracking/read-history.ts';
import type { Recipe } from '../formats/json/recipes/recipe.ts';
import type { BatchJob } from '../jobs/batch-job.ts';
import { ExtractJob } from '../jobs/extract-job.ts';
import type { MapResult } from '../map.ts';
import { check } from '../text/check.ts';
import { parseCrawlOptions, promptSchema } from '../options/crawl-options.ts';
import { crawlModel, type DerivedCrawlOptions } from '../options/derived-crawl-options.ts';
import { parseExtractOptions } from '../options/extract-options.ts';
import { parsePreviewOptions } from '../options/preview-options.ts';
import { parseMapOptions } from '../options/map-options.ts';
import { parsePageOptions, parseScrapeOptions } from '../options/scrape-options.ts';
import { parseChangesOptions } from '../options/changes-options.ts';
import { recipeIdSchema } from '../options/recipe-id.ts';
import { parseContent, parseScrapeTarget } from '../options/scrape-target.ts';
import type { Parts } from '../parts.ts';
import type { CrawlPlan } from '../plan.ts';
import type { PlainDocument } from '../reading/compose-document.ts';
import { type AnyJob, JobMaking } from './job-making.ts';
import { dropExpired, type StoredJob, storedJobs } from './stored-jobs.ts';

type ClientJob = AnyJob | ExtractJob<unknown>;

/**
 * The verbs without their types: what a caller passes is checked at run time. The verbs themselves
 * are loaded at their first use, so that importing the package costs little.
 */
export class BoundClient implements AsyncDisposable {
  readonly #parts: Parts;
  /** What the client made and therefore closes. */
  readonly #own: readonly Pick<Engine, 'dispose'>[];
  readonly #closing: AbortController;
  readonly #making: JobMaking;
  /** When expired jobs of the storage are looked for again. */
  #nextDrop = 0;
  /** Ids of jobs whose results are gone. */
  readonly #expired = new Set<string>();
  readonly #jobs = new Map<string, ClientJob>();
  readonly #plans = new Set<Promise<unknown>>();

  constructor(
    parts: Parts,
    own: readonly Pick<Engine, 'dispose'>[],
    closing: AbortController,
    retention: number,
  ) {
    this.#parts = parts;
    this.#own = own;
    this.#closing = closing;
    this.#making = new JobMaking(parts, retention);
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
    const settings = parseScrapeOptions(rest, this.#parts, 'parse', ['contentType', 'url']);
    const { scrapePage } = await import('../scrape.ts');
    return scrapePage(this.#parts, target, settings);
  }

  crawl(url: unknown, options?: unknown): AnyJob {
    this.#refuseWhenClosed();
    return this.#remember(this.#making.crawl(url, options));
  }

  batchScrape(urls: unknown, options?: unknown): BatchJob<PlainDocument> {
    this.#refuseWhenClosed();
    return this.#remember(this.#making.batch(urls, options));
  }

  resume(id: string, options?: unknown): AnyJob {
    this.#refuseWhenClosed();
    const known = this.#jobs.get(id);
    if (known instanceof ExtractJob) {
      const message = `Job ${id} is an extraction, which is not resumed: client.job() has it.`;
      throw new PagewrightError('BAD_REQUEST', message);
    }
    if (known?.progress.status === 'scraping') return known;
    return this.#remember(this.#making.resume(id, options));
  }

  async storedJobs(): Promise<StoredJob[]> {
    this.#refuseWhenClosed();
    return storedJobs(this.#parts.store, this.#parts.clock.now());
  }

  async plan(url: unknown, options?: unknown): Promise<CrawlPlan> {
    this.#refuseWhenClosed();
    const settings = parseCrawlOptions(url, options, this.#parts);
    const setting = this.#making.setting('crawl', { ...settings, webhook: undefined });
    const { planCrawl } = await import('../plan.ts');
    if (settings.prompt !== undefined) crawlModel(this.#parts.model);
    const plan = planCrawl(this.#parts, settings, options, setting);
    this.#plans.add(plan);
    return plan.finally(() => this.#plans.delete(plan));
  }

  async previewCrawl(url: unknown, prompt: unknown, given?: unknown): Promise<DerivedCrawlOptions> {
    this.#refuseWhenClosed();
    const { signal } = parsePreviewOptions(given);
    const settings = parseCrawlOptions(
      url,
      { prompt: check('previewCrawl', promptSchema, prompt) },
      this.#parts,
    );
    crawlModel(this.#parts.model);
    const { deriveCrawlOptions } = await import('../preview.ts');
    const signals = [this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    return deriveCrawlOptions(this.#parts, {
      url: settings.url,
      prompt: settings.prompt ?? '',
      signal: AbortSignal.any(signals),
    });
  }

  async map(url: unknown, options?: unknown): Promise<MapResult> {
    this.#refuseWhenClosed();
    const settings = parseMapOptions(url, options, this.#parts);
    const { mapSite } = await import('../map.ts');
    return mapSite(this.#parts, settings);
  }

  async changes(url: unknown, options?: unknown): Promise<PageVersion[]> {
    this.#refuseWhenClosed();
    const { tag = '', identity: name, scrapeOptions } = parseChangesOptions(options);
    const target = parseScrapeTarget(url, 'changes');
    const settings = parsePageOptions('changes', scrapeOptions, this.#parts);
    const { scrapeRequest } = await import('../scrape.ts');
    const request = scrapeRequest(target, settings);
    const { historyIdentity } = await import('../reading/tracked-changes.ts');
    const identity = historyIdentity(name, this.#parts.identify(request));
    const { readHistory } = await import('../formats/change-tracking/read-history.ts');
    return readHistory(this.#parts.store, target.url, tag, identity);
  }

  async recipes(url?: unknown): Promise<Recipe[]> {
    this.#refuseWhenClosed();
    const host =
      url === undefined ? undefined : new URL(parseScrapeTarget(url, 'recipes').url).host;
    return this.#parts.recipes.list(host);
  }

  async removeRecipe(id: unknown): Promise<boolean> {
    this.#refuseWhenClosed();
    return this.#parts.recipes.remove(check('removeRecipe', recipeIdSchema, id));
  }

  extract(options: unknown): ExtractJob<unknown> {
    this.#refuseWhenClosed();
    const settings = parseExtractOptions(options, this.#parts);
    const setting = this.#making.setting('extract', settings);
    const { invalidUrls: invalidURLs } = settings;
    const job = new ExtractJob<unknown>({ ...setting, invalidURLs }, async (signal, show) => {
      const { runExtract } = await import('../extract.ts');
      return runExtract(this.#parts, settings, signal, show);
    });
    return this.#remember(job);
  }

  job(id: string): ClientJob {
    this.jobs();
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    throw this.#expired.has(id)
      ? new PagewrightError('JOB_EXPIRED', `The results of job ${id} have expired.`)
      : new PagewrightError(
          'JOB_NOT_FOUND',
          `This client has not started or resumed a job ${JSON.stringify(id)}. One in its storage is there after client.resume(id).`,
        );
  }

  /** Expired jobs are dropped here, so that a long-lived client does not grow. */
  jobs(): ClientJob[] {
    for (const [id, job] of this.#jobs) {
      if (!job.expired) continue;
      this.#jobs.delete(id);
      this.#expired.add(id);
      if (job instanceof ExtractJob) continue;
      void job.drop().catch((error: unknown) => this.#parts.logger.warn(String(error)));
    }
    return [...this.#jobs.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort(new PagewrightError('CANCELLED', 'The client was closed.'));
    const jobs = [...this.#jobs.values()].map((job) => job.delivered());
    await Promise.allSettled([...jobs, ...this.#plans]);
    // What the caller handed over is the caller's to close.
    for (const part of this.#own) await part.dispose?.();
    await this.#parts.threads.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Expired jobs make room. */
  #remember<Some extends ClientJob>(job: Some): Some {
    this.jobs();
    this.#dropExpired();
    this.#jobs.set(job.id, job);
    return job;
  }

  /** Not more often than once a minute; never rejects. */
  #dropExpired(): void {
    const { store, keepsJobs, clock, logger } = this.#parts;
    if (!keepsJobs || performance.now() < this.#nextDrop) return;
    this.#nextDrop = performance.now() + 60_000;
    const dropping = dropExpired(store, clock.now())
      .catch((error: unknown) => logger.warn(String(error)))
      .finally(() => this.#plans.delete(dropping));
    this.#plans.add(dropping);
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
  }
}
