/** One visit of a page in a job. Crawl, batch and extract provide the request, and the function that reads the page. */
import type { FileUse } from '../fetch/page-files.ts';
import type { VisitHints } from '../fetch/rendering/render-hints.ts';
import type { Engine } from '../model/engine.ts';
import type { FormatRequest } from '../../content/formats/format.ts';
import { PagewrightError } from '../runtime/errors.ts';
import type { ModelTotals } from '../../extract/llm/model.ts';
import { BudgetRefusal } from '../../extract/llm/model-failure.ts';
import type { JobUsage, PageFailure } from '../model/job.ts';
import type { TaskPermit } from '../model/pace.ts';
import type { PageVisitor, VisitTask } from '../model/page-visitor.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Deadline } from '../runtime/deadline.ts';
import type { ErrorPages } from '../options/job-options.ts';
import {
  type FetchedPage,
  type PipelineParts,
  prepareRequest,
  tracePage,
  visitPage,
} from '../page/pipeline.ts';
import type { PlainDocument } from '../page/compose-document.ts';
import { isStoreError } from './durable/job-store.ts';
import { type DocumentOfVisit, errorFrom, errorToStore, type Journal } from './durable/journal.ts';
import {
  documentOfVisit,
  firstOf,
  keepPage,
  type PageSource,
  type VisitFacts,
} from './durable/stored-page.ts';
import type { StoredValue } from './durable/stored-value.ts';
import type { JobControl } from './job-status.ts';
import { keepFailure } from './kept-failure.ts';
import { pageError } from './page-failure.ts';
import type { FetchTiming } from './page-timings.ts';

/** The state shared by the visits of one job. */
export interface VisitSetting {
  readonly parts: PipelineParts;
  readonly errorPages: ErrorPages;
  /** Its signal ends requests. */
  readonly job: Pick<JobControl<PlainDocument>, 'journal' | 'signal' | 'use'> &
    Partial<Pick<JobControl<PlainDocument>, 'timed' | 'seen' | 'active'>>;
  readonly rendering: { begin(url: string): VisitHints };
  /** Called before fetching a page that is not in the journal; may throw. */
  readonly onFetch: () => void;
  /** Has pages visited by other processes. @default this process visits them */
  readonly visitor?: PageVisitor | undefined;
  /** The use of the model for the page so far, in a process that does not run its job. */
  readonly modelUse?: () => ModelTotals | undefined;
  /** Called with the model use for a page in another process, which is counted as the job's. */
  readonly onModelUse?: (use: ModelTotals) => void;
  /** Called when a page waits long for its host; may abort the job's signal. @default it waits */
  readonly postpone?: (wait: number) => void;
}

/** A page as sent to a visitor, with its request. */
export interface SentPage extends Omit<
  VisitTask,
  'url' | 'renderHints' | 'needsBrowser' | 'round'
> {
  readonly request: Pick<ScrapeRequest<FormatRequest>, 'mayRender' | 'requires' | 'pace'>;
}

/** A visit in progress. */
export interface PageVisit {
  readonly url: string;
  readonly permit: TaskPermit;
  /** True once the page is known not to need a fetch; checked right before the fetch. */
  readonly isNeedless?: () => boolean;
  readonly hints: VisitHints;
  /** Requests for the page so far, redirects included. */
  pageRequests: number;
  /** The use of the page, once it was fetched. */
  usage?: JobUsage | undefined;
  /** The fetch of the page, once it has ended. */
  timing?: FetchTiming | undefined;
  /** What is kept of a page that failed. */
  kept?: PageFailure['kept'] | undefined;
}

/** A visit that found no page. */
export interface FailedVisit {
  readonly error: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pageRequests: number;
  /** Of a page that was fetched and could not be read. */
  readonly usage?: JobUsage | undefined;
}

/** The use of one page, as it is stored. */
export interface PageUsage {
  readonly requests: number;
  /** For the page itself, redirects included; 0 for a copy. Retries, which depend on time, do not count. */
  readonly pageRequests: number;
  /** Bytes received over the wire, redirects and retries included. */
  readonly received: number;
  /** Milliseconds that a browser had it open. */
  readonly browserMs?: number | undefined;
}

/** A found page: its facts, and its document, which may be built later. */
export interface VisitedPage<Facts extends PageUsage> {
  readonly page: Facts;
  /** The source of a document that is built later. */
  readonly source?: PageSource | undefined;
  /** The stored document: it need not be read to be added. */
  readonly stored?: DocumentOfVisit | undefined;
  /** Builds the document, without the blocks that repeat on the site. */
  document(repeated: ReadonlySet<number>): Promise<PlainDocument>;
}

/** The use of a page that was fetched, with its files. */
export function usageOf(
  {
    requests,
    redirects,
    bytes,
    browserMs,
  }: Pick<Snapshot, 'requests' | 'redirects' | 'bytes' | 'browserMs'>,
  files: FileUse = { requests: 0, bytes: 0 },
): PageUsage {
  const pageRequests = requests === 0 ? 0 : 1 + redirects.length;
  return {
    requests: requests + files.requests,
    pageRequests,
    received: bytes + files.bytes,
    browserMs,
  };
}

/** The page need not be fetched any more. */
class NeedlessPage extends Error {}

function refuseNeedless({ url, isNeedless }: PageVisit): void {
  if (isNeedless?.() === true) throw new NeedlessPage(`${url} need not be fetched.`);
}

/** Visits a page; never rejects. Must be called in page order. */
export async function visitInJob<Outcome>(
  setting: VisitSetting,
  begun: Omit<PageVisit, 'hints' | 'pageRequests'>,
  work: (visit: PageVisit) => Promise<Outcome>,
): Promise<Outcome | FailedVisit> {
  using hints = setting.rendering.begin(begun.url);
  const visit: PageVisit = { ...begun, hints, pageRequests: 0 };
  try {
    return await work(visit);
  } catch (failure) {
    return failedVisit(setting, visit, failure);
  } finally {
    if (visit.timing !== undefined) setting.job.timed?.(visit.url, visit.timing);
    setting.job.seen?.(visit.url, visit.kept);
    setting.job.active?.delete(begun.url);
  }
}

function failedVisit(
  { parts, errorPages }: VisitSetting,
  { url, pageRequests, usage }: PageVisit,
  failure: unknown,
): FailedVisit {
  const error = pageError({ errorPages }, url, failure);
  return { error, at: parts.clock.now(), pageRequests, usage };
}

/**
 * The page from the journal, else the page that a visitor stores there, else the page that `fetch` returns, which is
 * stored. If another process has stored the page meanwhile, its visit counts. `restore` builds the document of a page
 * that was stored without one.
 */
export async function restoreOrFetch<Facts extends PageUsage>(
  setting: VisitSetting,
  visit: PageVisit,
  sent: () => SentPage,
  fetch: () => Promise<VisitedPage<Facts>>,
  restore?: RestoreDocument,
): Promise<VisitedPage<Facts> | FailedVisit> {
  const { journal, use } = setting.job;
  let visited: VisitedPage<Facts> | FailedVisit;
  if (!journal.isStored) visited = await fetch();
  else {
    const stored = await journal.visit<VisitFacts<Facts>>(visit.url);
    const sentVisit = stored ?? (await visitElsewhere<Facts>(setting, visit, sent));
    const found = sentVisit ?? (await fetchAndStore(journal, setting, visit, fetch));
    if ('facts' in found) countModelUse(setting, found.facts);
    visited = 'facts' in found ? restoreVisit(visit, found, restore) : found;
  }
  // The visit only waits from here on.
  visit.permit.release();
  if ('page' in visited) {
    const { requests, received: bytes, browserMs } = visited.page;
    use({ requests, bytes, browserMs });
  }
  return visited;
}

function countModelUse({ job, onModelUse }: VisitSetting, { modelUse }: VisitFacts<object>): void {
  if (modelUse === undefined) return;
  const { inputTokens, outputTokens, cost } = modelUse;
  job.use({ requests: 0, bytes: 0, tokens: inputTokens + outputTokens, cost });
  onModelUse?.(modelUse);
}

/** Has the page visited by another process, once its host is ready; undefined without a visitor. */
async function visitElsewhere<Facts>(
  { parts, visitor, job: { active, journal, signal }, onFetch }: VisitSetting,
  visit: PageVisit,
  pageToSend: () => SentPage,
): Promise<StoredValue<VisitFacts<Facts>> | undefined> {
  if (visitor === undefined) return undefined;
  const { request, ...sent } = pageToSend();
  onFetch();
  const { url, permit, hints } = visit;
  const renderHints = await hints.toSend(request, parts.engines, signal);
  const pace = { ...request.pace, permit, isSentElsewhere: true };
  using hostPermit = await parts.hosts.acquire(url, { ...pace, signal });
  refuseNeedless(visit);
  active?.add(url);
  hostPermit.start();
  const needsBrowser =
    renderHints?.reasonToRender !== undefined || needsEngineThatRenders(request, parts.engines);
  const { round } = journal;
  const task = { ...sent, url, renderHints, needsBrowser, ...(round > 0 && { round }) };
  for (let sends = 0; sends < mostSends; sends += 1) {
    const facts = await visitor.visit(task, signal);
    if (facts !== undefined) return await journal.visitWith<VisitFacts<Facts>>(url, facts);
    const stored = await journal.newVisit<VisitFacts<Facts>>(url);
    if (stored !== undefined) return stored;
  }
  const message = `The visit of ${url} was lost ${mostSends} times. Check that the workers and this process use the same storage.`;
  throw new PagewrightError('STORAGE', message);
}

/** True if the options need an engine that renders. */
function needsEngineThatRenders(
  { requires }: SentPage['request'],
  engines: readonly Engine[],
): boolean {
  const isEnough = ({ can }: Engine): boolean =>
    !can.has('render') && [...requires.keys()].every((capability) => can.has(capability));
  return requires.size > 0 && !engines.some(isEnough);
}

const mostSends = 3; // a page whose visit is not stored after that many sends fails its job

/** Builds the document of a page that was stored without one. */
export type RestoreDocument = (
  stored: StoredValue<VisitFacts<object>>,
  repeated: ReadonlySet<number>,
) => Promise<PlainDocument>;

function restoreVisit<Facts extends PageUsage>(
  visit: PageVisit,
  found: StoredValue<VisitFacts<Facts>>,
  restore: RestoreDocument | undefined,
): VisitedPage<Facts> | FailedVisit {
  const { hints } = visit;
  const { facts } = found;
  const { at, error, page, lesson = 'none', pageRequests = 0, usage, source, document } = facts;
  hints.record(lesson);
  visit.timing = facts.timing;
  visit.kept = facts.kept;
  if (page === undefined) return { error: error && errorFrom(error), at, pageRequests, usage };
  const isLater = source !== undefined && restore !== undefined;
  const stored: DocumentOfVisit | undefined = document && { ...document, visit: facts };
  return {
    page,
    document: (repeated) => (isLater ? restore(found, repeated) : documentOfVisit(found, stored)),
    stored,
  };
}

/** The page that `fetch` returns, or its failure; or the visit that was stored first, if another. */
async function fetchAndStore<Facts extends PageUsage>(
  journal: Journal,
  setting: VisitSetting,
  visit: PageVisit,
  fetch: () => Promise<VisitedPage<Facts>>,
): Promise<VisitedPage<Facts> | FailedVisit | StoredValue<VisitFacts<Facts>>> {
  const { clock } = setting.parts;
  const { url, hints } = visit;
  try {
    const visited = await fetch();
    const { page } = visited;
    const facts = (): VisitFacts<Facts> => ({
      at: clock.now(),
      lesson: hints.observation,
      page,
      timing: visit.timing,
      kept: visit.kept,
      modelUse: setting.modelUse?.(),
    });
    // Before the permit is released: after a crash only pages in flight are fetched again.
    const kept = await keepPage<Facts>(journal, url, facts, visited);
    return kept !== undefined && 'facts' in kept ? kept : { ...visited, stored: kept };
  } catch (failure) {
    const failed = failedVisit(setting, visit, failure);
    const { error } = failed;
    // A larger budget may pay for the page, and the store may work again.
    const isFinal = !(
      error instanceof NeedlessPage ||
      error instanceof BudgetRefusal ||
      isStoreError(error)
    );
    if (!isFinal || setting.job.signal.aborted) return failed;
    const facts = {
      ...failed,
      lesson: hints.observation,
      error: errorToStore(error),
      timing: visit.timing,
      kept: visit.kept,
      modelUse: setting.modelUse?.(),
    };
    return firstOf(await journal.keepVisit<VisitFacts<Facts>>(url, facts)) ?? failed;
  }
}

/**
 * Fetches the page once its host is ready, and reads it within its time. `asked` is the request without the
 * parts that are known only when it is sent.
 */
export async function fetchInJob<T>(
  { parts, job: { active, signal }, onFetch, postpone }: VisitSetting,
  visit: PageVisit,
  asked: ScrapeRequest<FormatRequest>,
  read: (page: FetchedPage, request: typeof asked, deadline: Deadline) => Promise<T>,
): Promise<T> {
  onFetch();
  const { url, permit, hints } = visit;
  const onRedirect = (): void => void (visit.pageRequests += 1);
  const pace = { ...asked.pace, permit, onRedirect };
  const renderHints = await hints.hintsFor(asked, parts.engines, signal);
  // Before the page's own time begins, and without a task permit until the host is ready.
  using hostPermit = await parts.hosts.acquire(url, { ...pace, signal, postpone });
  refuseNeedless(visit);
  active?.add(url);
  return await tracePage(parts, asked, async (message) => {
    // Right before the request is sent, so that a veto delays no other page.
    const request = await prepareRequest(parts, {
      ...asked,
      pace: { ...pace, hostPermit },
      renderHints,
      signal,
    });
    visit.pageRequests = 1;
    const startedAt = parts.clock.now();
    const fetched = (bytes: number): void => {
      const at = parts.clock.now();
      visit.timing ??= { at, durationMs: at - startedAt, bytes };
    };
    let snapshot: Snapshot | undefined;
    let failure: unknown;
    try {
      return await visitPage(parts, request, message, (page, deadline) => {
        snapshot = page.snapshot;
        fetched(page.snapshot.bytes);
        const { requests, pageRequests, received: bytes, browserMs } = usageOf(page.snapshot);
        visit.pageRequests = pageRequests;
        visit.usage = { requests, bytes, browserMs };
        return read(page, request, deadline);
      });
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      fetched(0);
      visit.kept = await keepFailure(parts, { ...request, signal }, snapshot, failure);
    }
  });
}
