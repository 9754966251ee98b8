/**
 * The jobs of a client: started in memory or in its storage, resumed, listed, and dropped when
 * expired.
 */
import { randomBytes } from 'node:crypto';
import type { Facet } from './core/checks/option.ts';
import { wrongOption } from './core/checks/check.ts';
import { PagewrightError } from './core/runtime/errors.ts';
import type { SentExtraction } from './extract.ts';
import { learningDistance } from './core/fetch/rendering/render-hints.ts';
import { asksModel } from './content/formats/index.ts';
import { BatchJob, BatchList } from './core/jobs/batch-job.ts';
import { countsOf, DurableJob, names, readProgress } from './core/jobs/durable/durable-job.ts';
import { FollowedJob } from './core/jobs/durable/followed-job.ts';
import {
  dropJob,
  type JobManifest,
  JobStore,
  manifests,
  notResumed,
  readManifest,
  writeManifest,
} from './core/jobs/durable/job-store.ts';
import { Journal } from './core/jobs/durable/journal.ts';
import { isHeldByLiving, isLeased } from './core/jobs/durable/lease.ts';
import {
  fingerprintOf,
  inputToShow,
  optionsToResume,
  optionsToSeal,
  optionsToStore,
  refuseOthers,
  refuseUnstored,
  type ResumedOptions,
  type Seal,
} from './core/jobs/durable/stored-options.ts';
import { documentBytes } from './core/jobs/durable/stored-value.ts';
import { ExtractJob, type ExtractState } from './core/jobs/extract-job.ts';
import type { JobControl, JobSetting } from './core/jobs/job-status.ts';
import { Job } from './core/jobs/job.ts';
import { loadModule } from './core/runtime/load-module.ts';
import type { JobCounts, JobInput, JobState } from './core/model/job.ts';
import type { WebhookSettings, WebhookSource } from './core/model/webhook.ts';
import { batchCallRows, parseBatchOptions, parseBatchUrls } from './core/options/batch-options.ts';
import { crawlCallRows, parseCrawlOptions } from './core/options/crawl-options.ts';
import { crawlModel } from './core/options/derived-crawl-options.ts';
import type { parseExtractOptions } from './core/options/extract-options.ts';
import { parseResumeOptions } from './core/options/resume-options.ts';
import type { JobEntry } from './core/options/scrape-target.ts';
import type { ClientParts } from './parts.ts';
import type { PlainDocument } from './core/page/compose-document.ts';
import { memoryStore } from './core/storage/memory-store.ts';
import { DamagedValueError } from './core/storage/storage-failures.ts';
import type { Store } from './core/storage/store.ts';
import type { OpenVault } from './core/storage/vault.ts';
import { uuid } from './core/runtime/identifiers.ts';
import { WebhookOutbox } from './core/jobs/webhooks/webhook-outbox.ts';
import type { JobNeeds } from './job-visits.ts';

/** A crawl, or a batch. */
export type CrawlOrBatchJob = Job<PlainDocument>;

/** A job of a client. */
export type OpenJob = CrawlOrBatchJob | ExtractJob<unknown>;

/** Options common to all jobs. */
interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly zeroDataRetention?: boolean;
  readonly keepsDocuments?: boolean;
}

/** The caller's input of a job, as stored. */
type GivenJob = Pick<JobManifest, 'verb' | 'url' | 'data' | 'learningDistance' | 'submitted'> & {
  readonly options: unknown;
  readonly urls?: readonly JobEntry[];
};

/** How another process resumes a job than that of the caller. */
interface ResumeSetting {
  readonly failure?: PagewrightError | undefined;
  /** See `ResumedOptions`. */
  readonly lostMessage?: ResumedOptions['lostMessage'];
}

type JobWork = (control: JobControl<PlainDocument>) => Promise<void>;

/** Starts the jobs of one client. */
export class JobFactory {
  readonly #parts: ClientParts;
  /** How long results of jobs are kept after their end, in milliseconds. */
  readonly #retention: number;

  constructor(parts: ClientParts, retention: number) {
    this.#parts = parts;
    this.#retention = retention;
  }

  crawl(url: unknown, options: unknown): CrawlOrBatchJob {
    const settings = this.#crawlSettings(url, options);
    const setting = this.setting('crawl', settings, crawlInput(settings, options));
    return new Job(setting, this.#crawlWork(settings, options));
  }

  /**
   * Stores a crawl, and leaves it to workers. Rejects with `BAD_REQUEST` for options that another process would
   * not have, and with `STORAGE` when nothing is stored of the crawl.
   */
  async submit(url: unknown, options: unknown): Promise<string> {
    const { crawls, store, vault, clock } = this.#parts;
    if (crawls === undefined)
      throw wrongOption('submit', ['fleet'], 'only the workers of a fleet take crawls');
    const settings = this.#crawlSettings(url, options);
    if (!settings.keepsDocuments) throw wrongOption('submit', ['keepDocuments'], notStored);
    if (settings.zeroDataRetention) throw wrongOption('submit', ['scrapeOptions'], notStored);
    const id = uuid(() => clock.random());
    const submitted = { queue: crawls.name, retention: this.#retention };
    const input = { ...crawlInput(settings, options), submitted };
    const manifest = await firstManifest(id, input, clock.now(), vault);
    refuseUnstored('submit', options, manifest.options);
    // A message without a job is dropped; a job without a message would be left.
    await crawls.add(id);
    try {
      if (settings.webhook !== undefined) {
        await new JobStore(store, id).set(names.webhook, documentBytes(0));
      }
      await writeManifest(store, manifest, 'Nothing of it was stored: submit it again.');
    } catch (error) {
      await Promise.allSettled([dropJob(store, id), crawls.remove(id)]);
      throw error;
    }
    return id;
  }

  #crawlSettings(url: unknown, options: unknown): CrawlSettings {
    const settings = parseCrawlOptions(url, options, this.#parts);
    if (settings.since !== undefined && !this.#parts.keepsJobs) {
      const problem =
        'earlier crawls are only found in a storage; pass one to createClient({ storage }), or memoryStore() for this process alone';
      throw wrongOption('crawl', ['since'], problem);
    }
    if (settings.prompt !== undefined) crawlModel(this.#parts.model);
    return settings;
  }

  batch(urls: unknown, options: unknown): BatchJob<PlainDocument> {
    const settings = parseBatchOptions(options, this.#parts);
    const list = new BatchList();
    const parsed = parseBatchUrls(urls, settings.ignoreInvalidUrls);
    list.add(parsed);
    const setting = this.setting('batch_scrape', settings, {
      verb: 'batchScrape',
      options,
      urls: parsed.entries,
      learningDistance: learningDistance(settings.maxConcurrency),
    });
    const start = { list, ignoreInvalidUrls: () => settings.ignoreInvalidUrls };
    return new BatchJob(setting, start, this.#batchWork(settings, list));
  }

  /**
   * Resumes a job of the storage; errors of the job, or of the options, reject it. With a `failure` it does not go on,
   * but ends with that and the documents that it has; its webhook gets that where its options can be read.
   */
  resume(
    id: string,
    given: unknown,
    { failure, lostMessage }: ResumeSetting = {},
  ): BatchJob<PlainDocument> {
    const {
      fromStart,
      signal,
      renewedCredentials,
      retryFailed,
      urls: again,
      ...changes
    } = parseResumeOptions(given);
    const { clock, logger, telemetry, signal: clientSignal, store, vault } = this.#parts;
    const list = new BatchList();
    let ignoreInvalidUrls = true;
    let work: JobWork = () => Promise.resolve();
    let openOutbox: () => WebhookOutbox | undefined = () => undefined;
    const read = async (manifest: JobManifest, urls: readonly JobEntry[]): Promise<void> => {
      const { verb, url, data } = manifest;
      if (verb === 'extract') throw notResumed(id);
      Object.assign(setting, { input: inputToShow({ ...manifest, verb }) });
      const opened = await vault?.();
      const options = optionsToResume(manifest.options, changes, {
        free: freeOptions[verb],
        lostMessage,
        renews: renewedCredentials,
        unseal: opened && ((sealed) => opened.open(sealed, id)),
      });
      if (!renewedCredentials) await refuseOthers(options, manifest.fingerprint);
      if (verb === 'crawl') {
        const settings = parseCrawlOptions({ url, data }, options, this.#parts);
        openOutbox = () => this.#outbox(id, 'crawl', settings, manifest.submitted !== undefined);
        work = this.#crawlWork(settings, options);
        list.close();
        return;
      }
      const settings = parseBatchOptions(options, this.#parts);
      openOutbox = () => this.#outbox(id, 'batch_scrape', settings);
      ({ ignoreInvalidUrls } = settings);
      list.restore(parseBatchUrls(urls, true));
      work = this.#batchWork(settings, list);
    };
    const onFound: typeof read = (manifest, urls) =>
      failure === undefined ? read(manifest, urls) : read(manifest, urls).catch(() => undefined);
    const end: JobWork = async (control) => {
      await control.adoptStored();
      throw failure;
    };
    const now = (): number => clock.now();
    const location = { id, store, retention: this.#retention, now };
    const durable = new DurableJob({ ...location, vault, urls: again, retryFailed, onFound });
    const setting: JobSetting = {
      ...location,
      keepsDocuments: true,
      durable,
      fromStart,
      logger,
      telemetry,
      signal,
      clientSignal,
      onResumed: () => void Object.assign(setting, { outbox: openOutbox() }),
    };
    const start = { list, ignoreInvalidUrls: () => ignoreInvalidUrls };
    return new BatchJob(setting, start, (control) => (failure ? end : work)(control));
  }

  /** A job of the storage that is only read; what is wrong with it rejects it. */
  follow(id: string): CrawlOrBatchJob {
    const { clock, logger, telemetry, signal: clientSignal, store } = this.#parts;
    const now = (): number => clock.now();
    const location = { id, store, now, logger };
    const followed = new FollowedJob({ ...location, retention: this.#retention });
    const setting: JobSetting = {
      ...location,
      get retention() {
        return followed.retention;
      },
      get input() {
        return followed.input;
      },
      keepsDocuments: true,
      followed,
      telemetry,
      signal: undefined,
      clientSignal,
    };
    return new Job(setting, (control) => followed.follow(control));
  }

  /** The setting of a job; `given` is stored, unless the job must not be stored. */
  setting(source: keyof typeof verbs, options: JobOptions, given?: GivenJob): JobSetting {
    const { clock, logger, telemetry, store, keepsJobs, vault, signal: clientSignal } = this.#parts;
    const { signal, zeroDataRetention = false, keepsDocuments = true } = options;
    const id = uuid(() => clock.random());
    const now = (): number => clock.now();
    const location = { id, store: zeroDataRetention ? memoryStore() : store, now };
    const setting = {
      ...location,
      retention: this.#retention,
      logger,
      telemetry,
      traced: { verb: verbs[source], url: given?.url },
      signal,
      clientSignal,
      keepsDocuments,
      input: given && visibleInput(given),
      outbox: this.#outbox(id, source, options),
    };
    if (!keepsJobs || zeroDataRetention || given === undefined || !keepsDocuments) return setting;
    const { urls, ...input } = given;
    const manifest = firstManifest(id, input, now(), vault);
    const durable = new DurableJob({ ...setting, vault, manifest, ...(urls && { urls }) });
    return { ...setting, durable };
  }

  #outbox(
    jobId: string,
    source: WebhookSource,
    { webhook }: JobOptions,
    isHandedOver = false,
  ): WebhookOutbox | undefined {
    const { openPoster, telemetry, signal: clientSignal } = this.#parts;
    if (webhook === undefined) return undefined;
    const poster = openPoster();
    return new WebhookOutbox({
      source,
      jobId,
      webhook,
      poster,
      clientSignal,
      isHandedOver,
      onUndelivered: ({ type, code, error, attempts }) => {
        const fields = { jobId, type, errorCode: code, attempts };
        telemetry.undelivered(fields, `Event ${type} did not reach its webhook: ${error}`);
      },
    });
  }

  /** The parts for a job: without workers where they cannot visit its pages. */
  async #partsFor(
    { id, journal, warn }: JobControl<PlainDocument>,
    settings: JobNeeds,
  ): Promise<ClientParts> {
    const parts = this.#parts;
    if (parts.visitors === undefined || !journal.isStored) return parts;
    const { chooseVisitor } = await loadModule(() => import('./job-visits.ts'));
    const { visitor, reason } = await chooseVisitor(parts, parts.visitors, id, settings);
    if (reason !== undefined) warn(visitedHere(reason));
    return { ...parts, visitor };
  }

  /**
   * Stores an extraction, so that workers visit its pages; undefined where this process visits them, with the
   * reason among its warnings. `end` drops what was stored.
   */
  async sendExtraction(
    id: string,
    settings: ReturnType<typeof parseExtractOptions>,
    given: unknown,
  ): Promise<(SentExtraction & { end(): Promise<void> }) | { readonly warning?: string }> {
    const { clock, keepsJobs, store, vault, visitors } = this.#parts;
    if (visitors === undefined || !keepsJobs || settings.page.zeroDataRetention) return {};
    const { chooseVisitor } = await loadModule(() => import('./job-visits.ts'));
    const schema = await settings.schema;
    // Workers read the pages by the schema in JSON; the result is checked by the schema that was given.
    // Each visit has the URL of its page; workers need no search engine.
    const pages = settings.search && { urls: ['https://example.com/'], search: undefined };
    const options = {
      ...(given as object),
      ...pages,
      ...(schema && { schema: schema.jsonSchema }),
    };
    const now = clock.now();
    const manifest = await firstManifest(id, { verb: 'extract', options }, now, vault);
    const stored = new JobStore(store, id);
    // The manifest ends by itself: a late visit of a worker is dropped with it.
    const end = (): Promise<void> => stored.deleteAll();
    await writeManifest(store, { ...manifest, expiresAt: now + this.#retention });
    const { budget, choice } = settings;
    const asks = (): boolean => choice.asksModel;
    const { visitor, reason } = await chooseVisitor(this.#parts, visitors, id, {
      budget,
      asksModel: asks,
    });
    if (visitor === undefined) {
      await end();
      return reason === undefined ? {} : { warning: visitedHere(reason) };
    }
    // A new extraction finds nothing in the store; errors of the store reject the visits themselves.
    const ignore = (): void => undefined;
    const journal = new Journal(stored, { isResumed: false, warn: ignore, fail: ignore });
    return { journal, visitor, end };
  }

  #crawlWork(settings: CrawlSettings, options: unknown): JobWork {
    return async (control) => {
      const { runCrawl } = await loadModule(() => import('./crawl.ts'));
      const { since, budget } = settings;
      const asks = (): boolean =>
        settings.kindsOfPages().some(({ formats }) => formats.some(asksModel));
      const parts = await this.#partsFor(control, { since, budget, asksModel: asks });
      await runCrawl(parts, settings, control, options);
    };
  }

  #batchWork(settings: ReturnType<typeof parseBatchOptions>, list: BatchList): JobWork {
    return async (control) => {
      const { runBatch } = await loadModule(() => import('./batch.ts'));
      const { budget, page } = settings;
      const asks = (): boolean => page.formats.some(asksModel);
      const parts = await this.#partsFor(control, { budget, asksModel: asks });
      await runBatch(parts, settings, list, control);
    };
  }
}

const verbs = { crawl: 'crawl', batch_scrape: 'batchScrape', extract: 'extract' } as const;

function visitedHere(reason: string): string {
  return `The pages are visited by this process, not by workers. ${reason}`;
}

type CrawlSettings = ReturnType<typeof parseCrawlOptions>;

function visibleInput({ verb, url, options }: GivenJob): JobInput | undefined {
  if (verb === 'extract') return undefined;
  return inputToShow({ verb, url, options: optionsToStore(options) });
}

function crawlInput({ url, data, maxConcurrency }: CrawlSettings, options: unknown): GivenJob {
  const distance = learningDistance(maxConcurrency);
  return { verb: 'crawl', url, data, options, learningDistance: distance };
}

const notStored = 'a crawl that is not stored cannot be handed over';

/** The manifest of a new job. */
async function firstManifest(
  id: string,
  { options, ...input }: Omit<GivenJob, 'urls'>,
  createdAt: number,
  vault: OpenVault | undefined,
): Promise<JobManifest> {
  const openSeal = async (openVault: OpenVault): Promise<Seal> => {
    const opened = await openVault();
    return (text) => opened.seal(text, id);
  };
  const [stored, fingerprint] = await Promise.all([
    vault === undefined ? optionsToStore(options) : optionsToSeal(options, () => openSeal(vault)),
    fingerprintOf(options),
  ]);
  return {
    version: 1,
    id,
    ...input,
    options: stored,
    ...(fingerprint === undefined ? {} : { fingerprint }),
    messageKey: randomBytes(32).toString('base64url'),
    createdAt,
    state: 'scraping',
  };
}

type StoredVerb = 'crawl' | 'batchScrape';

/** Options that may change when a job is resumed. */
const freeOptions: Readonly<Record<StoredVerb, ReadonlySet<string>>> = {
  crawl: changeable(crawlCallRows),
  batchScrape: changeable(batchCallRows),
};

function changeable(rows: Facet): ReadonlySet<string> {
  return new Set(Object.keys(rows).filter((name) => rows[name]?.mayChange === true));
}

// Lists the jobs of a store, and drops expired ones.

/** A job of a client, or of its storage. */
export interface JobSummary {
  readonly id: string;
  readonly verb: 'crawl' | 'batchScrape' | 'extract';
  /** The start URL of a crawl. */
  readonly url?: string;
  /** `scraping` for a crawl or batch that runs or can be resumed, `processing` for an extraction that runs. */
  readonly status: JobState | ExtractState;
  /** Its URLs by state; of the storage as last stored: once a second, and at the end. Absent before. */
  readonly counts?: JobCounts;
  /** ISO 8601, as the other times. */
  readonly createdAt: string;
  readonly completedAt?: string;
  readonly expiresAt?: string;
  /** True while a process seems to run it. */
  readonly isRunning: boolean;
}

type ListedManifest = JobManifest & { readonly verb: StoredVerb };

function isListed(manifest: JobManifest): manifest is ListedManifest {
  return manifest.verb !== 'extract';
}

/** The jobs of a store and a client's own, the oldest first; drops the data of expired ones. */
export async function listJobs(
  store: Store,
  own: readonly OpenJob[],
  now: number,
): Promise<JobSummary[]> {
  const jobs: ListedManifest[] = [];
  for await (const manifest of manifests(store)) {
    if ((manifest.expiresAt ?? Infinity) <= now) await new JobStore(store, manifest.id).deleteAll();
    else if (isListed(manifest)) jobs.push(manifest);
  }
  const stored = await Promise.all(jobs.map((manifest) => describeJob(store, manifest, now)));
  const known = new Set(stored.map(({ id }) => id));
  const unstored = own.flatMap((job) => (known.has(job.id) ? [] : (summaryOf(job) ?? [])));
  return [...stored, ...unstored].sort(
    (one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt),
  );
}

/** Undefined for a job that no store has been found to have. */
function summaryOf(job: OpenJob): JobSummary | undefined {
  const isExtraction = job instanceof ExtractJob;
  const { verb, url } = isExtraction ? { verb: 'extract' as const } : (job.input ?? {});
  if (verb === undefined) return undefined;
  const { id, status, createdAt, completedAt, expiresAt } = job.progress;
  return {
    id,
    verb,
    status,
    createdAt,
    ...(url === undefined ? {} : { url }),
    counts: countsOf(isExtraction ? job.counts : job.progress),
    ...(completedAt === undefined ? {} : { completedAt, expiresAt }),
    isRunning: completedAt === undefined,
  };
}

/**
 * Removes a job and its documents; false when neither the store nor the client, with its `own`, has it. Rejects with
 * `STORAGE` while a process runs it.
 */
export async function removeJob(store: Store, id: string, own?: OpenJob): Promise<boolean> {
  const manifest = await readManifest(store, id).catch((error: unknown) => {
    if (error instanceof PagewrightError && error.code === 'JOB_NOT_FOUND') return undefined;
    throw error;
  });
  const summary = own && manifest === undefined ? summaryOf(own) : undefined;
  const isRunning =
    summary?.isRunning ??
    (manifest?.state === 'scraping' && (await isHeldByLiving(new JobStore(store, id))));
  if (isRunning) {
    const message = `Job ${id} is running: cancel it first, with client.jobs.get(id).cancel().`;
    throw new PagewrightError('STORAGE', message);
  }
  if (manifest !== undefined) await dropJob(store, id);
  else if (!(own instanceof ExtractJob)) await own?.drop();
  return (manifest ?? summary) !== undefined;
}

/** Drops the data of expired jobs, a few at a time. */
export async function dropExpired(store: Store, now: number): Promise<void> {
  let dropped = 0;
  for await (const { id, expiresAt = Infinity } of manifests(store)) {
    if (expiresAt > now) continue;
    const job = new JobStore(store, id);
    if (await isEmpty(job)) continue;
    await job.deleteAll();
    if ((dropped += 1) >= droppedAtOnce) return;
  }
}

const droppedAtOnce = 10;

/** False for a job with a value whose name cannot be read: it has something to drop. */
async function isEmpty(job: JobStore): Promise<boolean> {
  try {
    return await job.isEmpty();
  } catch (error) {
    if (error instanceof DamagedValueError) return false;
    throw error;
  }
}

const jobStart = 5_000; // milliseconds in which a stored job acquires its lease

async function describeJob(
  store: Store,
  { id, verb, url, state, counts, createdAt, completedAt, expiresAt, submitted }: ListedManifest,
  now: number,
): Promise<JobSummary> {
  const job = new JobStore(store, id);
  const latest =
    counts ??
    (state === 'scraping' ? await readProgress(job, id).catch(() => undefined) : undefined);
  // A crawl that was handed over may wait.
  const isNew = submitted === undefined && now - createdAt < jobStart;
  return {
    id,
    verb,
    status: state,
    createdAt: isoTime(createdAt),
    ...(url === undefined ? {} : { url }),
    ...(latest === undefined ? {} : { counts: countsOf(latest) }),
    ...(completedAt === undefined ? {} : { completedAt: isoTime(completedAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: isoTime(expiresAt) }),
    isRunning: state === 'scraping' && (await isLeased(job, isNew).catch(() => false)),
  };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
