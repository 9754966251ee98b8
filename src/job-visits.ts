/** Visits of pages for stored jobs that another process runs. */
import type { Engine } from './core/model/engine.ts';
import { PagewrightError, ValidationError } from './core/runtime/errors.ts';
import { type JobPermit, JobSlots } from './core/fetch/job-slots.ts';
import { ReceivedRenderHints } from './core/fetch/rendering/render-hints.ts';
import type { FrontierEntry } from './core/frontier/frontier.ts';
import { hookLists } from './core/hooks/hook-lists.ts';
import { errorToStore, Journal } from './core/jobs/durable/journal.ts';
import {
  type JobManifest,
  JobStore,
  readManifest,
  throwStoreError,
} from './core/jobs/durable/job-store.ts';
import { type LostValue, optionsToResume } from './core/jobs/durable/stored-options.ts';
import type { VisitFacts } from './core/jobs/durable/stored-page.ts';
import type { ExtractVisits } from './core/jobs/extract-page.ts';
import type { PageVisit, VisitSetting } from './core/jobs/page-visit.ts';
import type { PageVisitor, VisitorPool, VisitTask } from './core/model/page-visitor.ts';
import type { ModelTotals } from './extract/llm/model.ts';
import { ModelMeter } from './extract/llm/model-meter.ts';
import { loadModule } from './core/runtime/load-module.ts';
import { capabilities } from './core/model/request.ts';
import { parseBatchOptions } from './core/options/batch-options.ts';
import { parseCrawlOptions } from './core/options/crawl-options.ts';
import { parseExtractOptions } from './core/options/extract-options.ts';
import type { Budget } from './core/options/job-options.ts';
import type { ScrapeTarget } from './core/options/scrape-target.ts';
import type { ClientParts } from './parts.ts';

/** Visits one page of a job; the outcome of a page that failed has the `error`. */
type Visitor = (task: VisitTask, visiting: VisitContext) => Promise<object>;

/** A job as a worker needs it. */
interface OpenedJob {
  /** See the manifest. */
  readonly messageKey: string | undefined;
  /** Rejects with `BAD_REQUEST` where an option cannot be read from the store. */
  readonly visit: Promise<Visitor>;
}

/** One visit that is under way. */
interface VisitContext {
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly parts: Pick<ClientParts, 'engines' | 'model'> & { readonly visitor: undefined };
  readonly modelUse: () => ModelTotals | undefined;
  /** The page is to be visited in that many milliseconds: its host is closed until then. */
  readonly postpone: (wait: number) => void;
}

/** The page was not visited: its host is closed. */
export class PostponedVisit extends Error {
  /** Milliseconds until the host may be requested. */
  readonly wait: number;

  constructor(wait: number) {
    super(`The host is closed for ${Math.ceil(wait)} ms.`);
    this.wait = wait;
  }
}

/** The page was not visited: it needs a browser, which another worker has. */
export class BrowserNeeded extends Error {}

/** Visits pages with the parts of one client. */
export class JobVisits {
  readonly #parts: ClientParts;
  readonly #handsOver: boolean;
  /** By job; the one that was used last is at the end. */
  readonly #jobs = new Map<string, Promise<OpenedJob>>();

  /** `handsOver`: pages that turn out to need a browser are left to other workers. */
  constructor(parts: ClientParts, handsOver: boolean) {
    this.#parts = parts;
    this.#handsOver = handsOver;
  }

  /** The key that signs messages about pages of a job. Rejects with `JOB_NOT_FOUND` and `STORAGE`. */
  async messageKey(task: Pick<VisitTask, 'jobId' | 'needsModel'>): Promise<string | undefined> {
    return (await this.#jobOf(task)).messageKey;
  }

  /**
   * Visits a page and stores the visit, unless it is stored already; gives its facts. `isNew` for a page that no
   * other worker has had. Rejects with the signal's reason, with `STORAGE` when the store fails, with
   * `JOB_NOT_FOUND`, and with `PostponedVisit` or `BrowserNeeded`.
   */
  async visit(
    task: VisitTask,
    isNew: boolean,
    signal: AbortSignal,
  ): Promise<VisitFacts<object> | undefined> {
    const { url } = task;
    if (task.needsModel && this.#parts.model === undefined) {
      const message =
        'The worker has no model, and the client of the job has one. Give it the same.';
      throw new PagewrightError('MODEL_REQUIRED', message);
    }
    const visit = await (await this.#jobOf(task)).visit;
    const broken = new AbortController();
    const journal = this.#journal(task, !isNew, (error) => broken.abort(error));
    const ended = AbortSignal.any([signal, broken.signal, this.#parts.signal]);
    const engines = this.#handsOver
      ? handingOver(this.#parts.engines, () => broken.abort(new BrowserNeeded()))
      : this.#parts.engines;
    const { model: own } = this.#parts;
    const model = task.needsModel && own !== undefined ? new ModelMeter(own) : undefined;
    const outcome = await visit(task, {
      journal,
      signal: ended,
      parts: { engines, model, visitor: undefined },
      modelUse: () => (isUsed(model) ? model.usage : undefined),
      postpone: (wait) => broken.abort(new PostponedVisit(wait)),
    });
    ended.throwIfAborted();
    if ('error' in outcome) throwStoreError(outcome.error);
    const facts =
      (journal.keptFacts as VisitFacts<object> | undefined) ??
      (await journal.newVisit<VisitFacts<object>>(url))?.facts;
    if (facts !== undefined) return facts;
    const message = `The document of ${url} cannot be stored: a format or a hook gave a value that is not plain data.`;
    await this.store(task, new PagewrightError('HOOK_FAILED', message));
    return undefined;
  }

  /** Stores the failure of a page, unless a visit is stored. */
  async store(task: VisitTask, error: PagewrightError): Promise<void> {
    const { url } = task;
    let failure: { readonly error: unknown } | undefined;
    const journal = this.#journal(task, true, (cause) => (failure = { error: cause }));
    if ((await journal.newVisit(url)) !== undefined) return;
    const facts: VisitFacts<object> = {
      at: this.#parts.clock.now(),
      error: errorToStore(error),
      pageRequests: 0,
    };
    await journal.keepVisit(url, facts);
    if (failure !== undefined) throw failure.error;
  }

  #journal(
    { jobId, round }: VisitTask,
    isResumed: boolean,
    fail: (error: unknown) => void,
  ): Journal {
    const { store, logger } = this.#parts;
    const warn = (sentence: string): void => logger.warn(sentence);
    return new Journal(new JobStore(store, jobId), { isResumed, round, warn, fail });
  }

  #jobOf({ jobId, needsModel }: Pick<VisitTask, 'jobId' | 'needsModel'>): Promise<OpenedJob> {
    const key = `${jobId} ${needsModel}`;
    // Options mean the same as to the client: a model that only the worker has is not asked.
    const parts = needsModel ? this.#parts : { ...this.#parts, model: undefined };
    const job = this.#jobs.get(key) ?? this.#open(jobId, parts);
    this.#jobs.delete(key);
    this.#jobs.set(key, job);
    job.then(({ visit }) => visit).catch(() => this.#jobs.delete(key));
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= mostJobs) break;
      this.#jobs.delete(oldest);
    }
    return job;
  }

  async #open(jobId: string, parts: ClientParts): Promise<OpenedJob> {
    const manifest = await readManifest(this.#parts.store, jobId);
    return { messageKey: manifest.messageKey, visit: this.#visitorOf(manifest, parts) };
  }

  async #visitorOf(manifest: JobManifest, defaults: ClientParts): Promise<Visitor> {
    const { id, verb } = manifest;
    const options = await sentOptions(manifest, this.#parts, lostInWorker);
    const { visitInJob } = await loadModule(() => import('./core/jobs/page-visit.ts'));
    const pages = await pagesOf[verb]({ parts: this.#parts, manifest, options, defaults });
    return (task, { journal, signal, parts, ...context }) => {
      const setting = {
        ...context,
        parts: { ...this.#parts, ...parts },
        errorPages: pages.errorPages,
        rendering: { begin: () => new ReceivedRenderHints(task.renderHints) },
        job: { id, journal, signal, use: ignore, warn: ignore },
        onFetch: ignore,
      };
      const begun = { url: task.url, permit: permitFor(signal) };
      return visitInJob<object>(setting, begun, (visit) => pages.visit(setting, visit, task));
    };
  }
}

const ignore = (): void => undefined;

/** A stored job, and the parts of the client that visits its pages. */
interface SentJob {
  readonly parts: ClientParts;
  readonly manifest: JobManifest;
  readonly options: unknown;
  /** The parts with which the options were checked. */
  readonly defaults: ClientParts;
}

/** The pages of a job. */
interface SentPages {
  readonly errorPages: VisitSetting['errorPages'];
  visit(
    setting: VisitSetting & Pick<ExtractVisits, 'job'>,
    visit: PageVisit,
    task: VisitTask,
  ): Promise<object>;
}

const pagesOf: Readonly<Record<JobManifest['verb'], (job: SentJob) => Promise<SentPages>>> = {
  crawl: async ({ parts, manifest, options, defaults }) => {
    const settings = parseCrawlOptions(manifest.url, options, defaults);
    const { visitEntryPage } = await loadModule(() => import('./core/jobs/crawl-visit.ts'));
    const { crawlFiles } = await loadModule(() => import('./core/jobs/assemble-crawl.ts'));
    const { signal } = parts;
    const files = crawlFiles(parts, settings, { journal: new Journal(), signal });
    const hooks = hookLists(settings.hooks, parts.hooks);
    return {
      errorPages: settings.errorPages,
      visit: (setting, visit, { page, delay = 0 }) => {
        const crawl = {
          ...setting,
          parts: { ...setting.parts, hooks },
          settings,
          // For files of pages: the process that runs the crawl has read what is about its URLs.
          site: { robots: (origin: string) => files.robots(origin), crawlDelay: () => delay },
          repeatedBlocks: { repeatedOn: () => undefined },
          recrawl: undefined,
          signal: setting.job.signal,
          isNeedless: () => false,
        };
        return visitEntryPage(crawl, page as unknown as FrontierEntry, visit);
      },
    };
  },
  batchScrape: async ({ options, defaults }) => {
    const settings = parseBatchOptions(options, defaults);
    const { visitTarget } = await loadModule(() => import('./batch.ts'));
    return {
      errorPages: settings.errorPages,
      visit: (setting, visit, { page }) =>
        visitTarget({ ...setting, settings }, page as unknown as ScrapeTarget, visit),
    };
  },
  extract: async ({ options, defaults }) => {
    const settings = parseExtractOptions(options, defaults);
    const { visitStored } = await loadModule(() => import('./core/jobs/extract-page.ts'));
    const schema = await settings.schema;
    return {
      errorPages: 'keep',
      visit: (setting, visit, { page }) => {
        const isWhole = page['isWhole'] === true;
        return visitStored({ ...setting, settings, schema, isWhole, use: ignore }, visit);
      },
    };
  },
};

/** The engines that do not render, and one that ends the visit where a page needs another one. */
function handingOver(engines: readonly Engine[], handOver: () => void): readonly Engine[] {
  const rendering = engines.filter(({ can }) => can.has('render'));
  const elsewhere: Engine = {
    name: 'browser',
    can: new Set(capabilities),
    cost: Math.min(100, ...rendering.map(({ cost }) => cost)),
    fetch: () => {
      handOver();
      return Promise.reject(new BrowserNeeded('The page is left to a worker with a browser.'));
    },
  };
  return [...engines.filter(({ can }) => !can.has('render')), elsewhere];
}

function isUsed(model: ModelMeter | undefined): model is ModelMeter {
  return model !== undefined && model.usage.requests + model.usage.inputTokens > 0;
}

const mostJobs = 1000; // jobs whose options a worker keeps parsed

/** The process that runs the job limits its pages in flight. */
function permitFor(signal: AbortSignal): JobPermit {
  return new JobSlots({ concurrency: 1, signal }).permit();
}

/** Options that do not matter to the visit of a page. */
const ownOptions: Readonly<Record<JobManifest['verb'], ReadonlySet<string>>> = {
  crawl: new Set(['webhook', 'maxConcurrency', 'budget', 'prompt', 'signal']),
  batchScrape: new Set(['webhook', 'maxConcurrency', 'budget', 'signal']),
  extract: new Set(['webhook', 'maxConcurrency', 'budget', 'signal']),
};

/**
 * The options of a stored job as another process reads them. Throws `BAD_REQUEST` where one of them is not in
 * the store.
 */
async function sentOptions(
  { id, verb, options }: JobManifest,
  { vault }: Pick<ClientParts, 'vault'>,
  lostMessage: (lost: LostValue) => string,
): Promise<unknown> {
  const needed = Object.fromEntries(
    Object.entries(options).filter(([name]) => !ownOptions[verb].has(name)),
  );
  const opened = await vault?.();
  return optionsToResume(
    needed,
    {},
    {
      free: new Set(),
      lostMessage,
      unseal: opened && ((sealed) => opened.open(sealed, id)),
    },
  );
}

/** What decides who visits the pages of a job. */
export interface JobNeeds {
  readonly since?: unknown;
  readonly budget: Budget;
  /** True when the model reads pages. */
  asksModel(): boolean;
}

/** The workers that visit the pages of a stored job; or the reason why the process that runs it does. */
export async function chooseVisitor(
  parts: ClientParts,
  visitors: VisitorPool,
  jobId: string,
  { since, budget, asksModel }: JobNeeds,
): Promise<{ readonly visitor?: PageVisitor; readonly reason?: string }> {
  const manifest = await readManifest(parts.store, jobId);
  const { messageKey } = manifest;
  if (messageKey === undefined) return { reason: 'An earlier version has begun the job.' };
  try {
    await sentOptions(manifest, parts, unsendable);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { reason: error.issues.map(({ message }) => message).join(' ') };
  }
  if (since !== undefined) return { reason: 'since: pages are compared with an earlier crawl.' };
  const limit = (['tokens', 'cost'] as const).find((part) => budget[part] !== undefined);
  if (limit !== undefined && asksModel()) {
    return { reason: `budget.${limit}: what the model uses is counted here.` };
  }
  return { visitor: visitors.forJob(messageKey) };
}

/** Of an option that workers would not find in the storage. */
function unsendable({ kind, path }: LostValue): string {
  const why = {
    function:
      'is a function, which cannot be sent to workers. Pass a value where it is the same for all pages.',
    secret:
      'is a secret, which workers read from the storage: pass a `secret` to createClient(), and the same one to the workers.',
    sealed: 'was stored with another `secret` than that of this client.',
    file: 'is the URL of a file on this machine: pass its content.',
    object: 'cannot be stored: pass plain data.',
  }[kind];
  return `${path} ${why}`;
}

/** Of an option that this worker cannot read. */
export function lostInWorker({ kind, path }: LostValue): string {
  if (kind !== 'sealed') return `${path} is not in the storage: start the job again.`;
  return `${path} was stored with another \`secret\` than that of this worker: start the worker with the \`secret\` of the client.`;
}
