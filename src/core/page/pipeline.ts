/** request → snapshot → page → document. */
import type { ActRecipes } from '../../browser/act/act-recipes.ts';
import { isAct, withServices } from '../../browser/act/act-step.ts';
import type { IdentifyCaller } from '../fetch/cache/cache-key.ts';
import type { FetchOutcome } from '../fetch/cache/page-cache.ts';
import { hookFailed, PagewrightError, withStatus } from '../runtime/errors.ts';
import { type CachedFetchingParts, fetchCached, fetchPage } from '../fetch/fetch-page.ts';
import { type FileUse, pageFiles, type PageFileParts } from '../fetch/page-files.ts';
import type { FormatRequest } from '../../content/formats/format.ts';
import type { OnErrorResult } from '../hooks/page-hooks.ts';
import type { SelectorStore } from '../../extract/recipes/selector-store.ts';
import { type HookLists, SkippedByHook, throwVeto } from '../hooks/hook-lists.ts';
import { addRequest, type Model, type ModelTotals } from '../../extract/llm/model.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Lazy, loadModule } from '../runtime/load-module.ts';
import { type Costs, fetchCredits } from '../model/costs.ts';
import { withFailedPage } from '../model/failed-page.ts';
import type { HookState } from '../model/hooks.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Limits } from '../model/request-options.ts';
import { copyBytes } from '../runtime/yield-to-event-loop.ts';
import { headersForHop } from '../http/network/credentials.ts';
import { type Deadline, startDeadline, withSignal } from '../runtime/deadline.ts';
import {
  capturedFields,
  composeDocument,
  type DocumentFacts,
  type PlainDocument,
} from './compose-document.ts';
import type { ProcessedPage, ProcessingPlan } from './process-page.ts';
import {
  isAboutContent,
  type ProcessedVisit,
  type ProcessingParts,
  processSnapshot,
} from './process-snapshot.ts';
import type { PageMessage } from '../telemetry/channels.ts';
import { displayUrl } from '../telemetry/display-url.ts';
import { uuid, uuidOf } from '../runtime/identifiers.ts';
import { exportLink } from '../url/export-link.ts';

/** The parts a page passes through. */
export interface PipelineParts extends CachedFetchingParts, ProcessingParts, PageFileParts {
  readonly limits: Limits;
  /** The client's; undefined: none. A `ModelMeter` counts its use for a page or a job. */
  readonly model: Model | undefined;
  /** Identifies visitors. */
  readonly identify: IdentifyCaller;
  /** Recipes learned from pages. */
  readonly recipes: Lazy<SelectorStore>;
  /** Recipes of acts. */
  readonly actRecipes: Lazy<ActRecipes>;
  /** Costs of a page. */
  readonly costs: Costs;
  /** Randomness and time, for ids. */
  readonly clock: Clock;
  /** The caller's. */
  readonly hooks: HookLists;
  /** Aborts everything when the client closes. */
  readonly signal: AbortSignal;
}

/** A reading that differs from the request. */
export type ProcessingChanges = Partial<
  Omit<ProcessingPlan, 'limits' | 'pdf' | 'pageHooks' | 'deadline'>
>;

/** The result of one reading. */
export interface PageResult {
  readonly processed: ProcessedPage;
  readonly document: PlainDocument;
}

/** Publishes a page that `work` visits. */
export function tracePage<T>(
  { telemetry }: Pick<PipelineParts, 'telemetry'>,
  { url, position }: Pick<ScrapeRequest<unknown>, 'url' | 'position'>,
  work: (page: PageMessage) => Promise<T>,
): Promise<T> {
  const page: PageMessage = { url: displayUrl(url), jobId: position?.jobId };
  return telemetry.page(page, () => work(page));
}

/** A fetched page. It can be read more than once, which gives documents with the same facts. */
export interface FetchedPage {
  readonly snapshot: Snapshot;
  /** When the cached copy was fetched or last confirmed, in ms since 1970. */
  readonly cachedAt?: number | undefined;
  /** The visitor. */
  readonly identity: string | undefined;
  /** The file requests so far. */
  readonly fileUse: FileUse;
  /** During the visit, within its time. */
  read(changes: ProcessingChanges): Promise<PageResult>;
  /** After the visit, within the request's time again, even if fetching others has ended; `signal` ends it. */
  readLater(changes: ProcessingChanges, signal: AbortSignal): Promise<PageResult>;
}

/** The source of a page. */
export type FetchContent = (
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  deadline: Deadline,
) => Promise<FetchOutcome>;

/**
 * Turns a request into a page, which the verb reads. Rejects with `TIMEOUT` when the request's time is
 * over and with `CANCELLED` when its signal or the client's aborts, at once in both cases.
 * `message` gets the facts of the page.
 */
export async function visitPage<T>(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  message: PageMessage,
  visit: (page: FetchedPage, deadline: Deadline) => Promise<T>,
  fetch: FetchContent = fetchContent,
): Promise<T> {
  return withinTimeout(parts, request, async (deadline) => {
    const prepared = await prepare(parts, request, deadline);
    const acts = await bindActs(parts, prepared);
    const received = await fetch(parts, acts.request, deadline);
    const fetched = await runOnReceived(parts, prepared, received, deadline);
    noteFetch(message, fetched);
    const identity = parts.identify(prepared);
    const fileUse: FileUse = { requests: 0, bytes: 0 };
    const { headers } = prepared;
    const use = { files: fileUse, acts: acts.usage() };
    const reader = pageReader(parts, { ...request, headers, identity }, fetched, use);
    const read: typeof reader = async (changes, time) => {
      const result = await reader(changes, time);
      noteDocument(message, result.document);
      return result;
    };
    return visit(
      {
        snapshot: fetched.snapshot,
        cachedAt: fetched.cachedAt,
        identity,
        fileUse,
        read: (changes) => read(changes, deadline),
        readLater: (changes, signal) =>
          withinTimeout(parts, { ...request, signal }, (later) => read(changes, later)),
      },
      deadline,
    );
  });
}

/** Fetches one page as a document, with hooks. */
export async function scrapeDocument(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  fetch?: FetchContent,
): Promise<PlainDocument> {
  const read = async (page: FetchedPage, deadline: Deadline): Promise<PlainDocument> => {
    const document = acceptedDocument(await page.read({}));
    return finishedDocument(parts, request, document, deadline);
  };
  try {
    return await tracePage(parts, request, (message) =>
      visitPage(parts, request, message, read, fetch),
    );
  } catch (error) {
    const failure = hookFailed('A function of the client', request.url, error);
    const answer = await answerFailure(parts, request, failure);
    if ('document' in answer) return answer.document;
    throw answer.error;
  }
}

/** The document of a page; throws when a hook excludes the page. */
export function acceptedDocument({ processed, document }: PageResult): PlainDocument {
  throwVeto(document.metadata.sourceURL, processed.hooked);
  return document;
}

/** Runs the hooks on the request, for a job whose page then waits for its host. */
export async function prepareRequest<Request extends ScrapeRequest<FormatRequest>>(
  parts: PipelineParts,
  request: Request,
): Promise<Request> {
  if (parts.hooks.beforeRequest.length === 0) return request;
  return withinTimeout(parts, request, (deadline) => prepare(parts, request, deadline));
}

/** Runs the hooks on a document, for a job that does so in its turn: within the request's time again. */
export async function finishDocument(
  parts: PipelineParts,
  request: TimedRequest,
  document: PlainDocument,
): Promise<PlainDocument> {
  if (parts.hooks.onDocument.length === 0) return document;
  return withinTimeout(parts, request, (deadline) =>
    finishedDocument(parts, request, document, deadline),
  );
}

async function finishedDocument(
  { hooks: { onDocument } }: PipelineParts,
  request: TimedRequest,
  document: PlainDocument,
  deadline: Deadline,
): Promise<PlainDocument> {
  if (onDocument.length === 0) return document;
  const { runOnDocument } = await pageHooks();
  return runOnDocument(onDocument, hookState(request, deadline), document, deadline);
}

/** The hooks' result for a failure, within the request's time again; never rejects. */
export async function answerFailure(
  parts: PipelineParts,
  request: TimedRequest,
  error: unknown,
): Promise<OnErrorResult> {
  const { onError } = parts.hooks;
  const isOver = request.signal?.aborted === true || parts.signal.aborted;
  if (onError.length === 0 || isOver || error instanceof SkippedByHook) return { error };
  try {
    return await withinTimeout(parts, request, async (deadline) => {
      const { runOnError } = await pageHooks();
      return runOnError(onError, hookState(request, deadline), error, deadline);
    });
  } catch (late) {
    return { error: late };
  }
}

/** The URL, the time limit and the signal of a request. */
export type TimedRequest = Pick<
  ScrapeRequest<FormatRequest>,
  'url' | 'timeout' | 'signal' | 'position'
>;

/** Works on a page within its time. */
export async function withinTimeout<T>(
  parts: Pick<PipelineParts, 'signal'>,
  request: TimedRequest,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  using deadline = startDeadline(
    request.timeout,
    [request.signal, parts.signal],
    `Scraping ${request.url}`,
  );
  try {
    return await withSignal(work(deadline), deadline.signal);
  } catch (error) {
    throw withUrl(error, request.url);
  }
}

const pageHooks = (): Promise<typeof import('../hooks/page-hooks.ts')> =>
  loadModule(() => import('../hooks/page-hooks.ts'));

const requestHooks = (): Promise<typeof import('../hooks/request-hooks.ts')> =>
  loadModule(() => import('../hooks/request-hooks.ts'));

async function prepare<Request extends ScrapeRequest<FormatRequest>>(
  { hooks: { beforeRequest }, hosts }: PipelineParts,
  request: Request,
  deadline: Deadline,
): Promise<Request> {
  const { content, isPrepared = false, pace } = request;
  if (beforeRequest.length === 0 || content !== undefined || isPrepared) return request;
  const state = hookState(request, deadline);
  const { runBeforeRequest } = await requestHooks();
  const headers = await hosts.lend(pace?.hostPermit, () =>
    runBeforeRequest(beforeRequest, state, request.headers, deadline),
  );
  return { ...request, headers, isPrepared: true };
}

/** Gives the acts of a request their services, and counts their model requests. */
async function bindActs(
  { model, actRecipes, identify }: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
): Promise<{ readonly request: typeof request; readonly usage: () => ModelTotals | undefined }> {
  const { actions, ...rendering } = request.rendering;
  let usage: ModelTotals | undefined;
  if (actions?.some(isAct) !== true) return { request, usage: () => usage };
  const { ModelMeter } = await loadModule(() => import('../../extract/llm/model-meter.ts'));
  const services = {
    model: model && new ModelMeter(model, {}, (used) => (usage = addRequest(usage, used))),
    recipes: await actRecipes.get(),
    keeps: !request.zeroDataRetention,
    // Variables and other actions add no other visitor.
    identity: identify({ ...request, rendering }),
  };
  const bound = { ...request.rendering, actions: withServices(actions, services) };
  return { request: { ...request, rendering: bound }, usage: () => usage };
}

/** The caller's content, or the page of the URL. */
export const fetchContent: FetchContent = (parts, request, deadline) =>
  request.content === undefined
    ? fetchCached(parts, atExport(request), deadline)
    : fetchPage(parts, request, deadline);

/** Lets the hooks change a response. Content from the caller is not one. */
async function runOnReceived(
  { hooks: { afterResponse } }: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  fetched: FetchOutcome,
  deadline: Deadline,
): Promise<FetchOutcome> {
  if (request.content !== undefined || afterResponse.length === 0) return fetched;
  const state = hookState(request, deadline);
  const { limits } = request;
  const { runAfterResponse } = await requestHooks();
  // The hook may change the bytes: a copy in memory, or of another call, is not its own.
  const received = { ...fetched.snapshot, body: await copyBytes([fetched.snapshot.body]) };
  const running = runAfterResponse(afterResponse, state, received, limits, deadline);
  const snapshot = await running.catch((error: unknown) => {
    throw error instanceof PagewrightError ? withFailedPage(error, fetched.snapshot) : error;
  });
  return { ...fetched, snapshot };
}

/** The file behind a share link; headers for the link's own site are not sent to another. */
function atExport<Request extends ScrapeRequest<FormatRequest>>(request: Request): Request {
  if (request.exportShareLinks !== true) return request;
  const from = new URL(request.url);
  const to = exportLink(from);
  if (to === undefined) return request;
  const headers = headersForHop(request.headers, from, to, request.redirectCredentials);
  return { ...request, url: to.href, headers };
}

function noteFetch(message: PageMessage, { snapshot, cacheState }: FetchOutcome): void {
  const { url, statusCode, engine, requests, bytes, browserMs } = snapshot;
  const finalUrl = displayUrl(url);
  Object.assign(message, { finalUrl, statusCode, engine, cacheState, requests, bytes, browserMs });
}

function noteDocument(message: PageMessage, { metadata, warning }: PlainDocument): void {
  Object.assign(message, { creditsUsed: metadata.creditsUsed, warning });
}

function hookState({ url, position }: TimedRequest, { signal }: Deadline): HookState {
  return { url, ...position, signal };
}

function pageReader(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest> & Pick<ProcessingPlan, 'identity'>,
  { snapshot, reason, proxyUsed, errorCode, cacheState, cachedAt }: FetchOutcome,
  use: { readonly files: FileUse; readonly acts: ModelTotals | undefined },
): (changes: ProcessingChanges, deadline: Deadline) => Promise<PageResult> {
  const { jobId } = request.position ?? {};
  const facts = {
    scrapeId:
      jobId === undefined ? uuid(() => parts.clock.random()) : scrapeIdIn(jobId, request.url),
    engineReason: reason,
    proxyUsed,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(cacheState === undefined ? {} : { cacheState }),
    ...(cachedAt === undefined ? {} : { cachedAt: new Date(cachedAt).toISOString() }),
  };
  const { beforeFormats: hooks, transformLink } = parts.hooks;
  const assets = request.zeroDataRetention ? undefined : parts.assets;
  let captured: ReturnType<typeof capturedFields> | undefined;
  return async (changes, deadline) => {
    const state = { url: request.url, ...request.position };
    const plan = {
      ...request,
      ...changes,
      linkDetails: transformLink.length > 0,
      ...(hooks.length === 0 ? {} : { pageHooks: { hooks, state }, deadline }),
    };
    captured ??= capturedFields(snapshot, facts.scrapeId, assets, request);
    const files = pageFiles(parts, { request, scrapeId: facts.scrapeId, deadline, use: use.files });
    const visit = {
      request,
      captured,
      files,
      isBlocked: errorCode === 'BLOCKED_BY_SITE',
      isCached: cacheState === 'hit',
    };
    const [processed, fields] = await Promise.all([
      processSnapshot(parts, snapshot, plan, deadline.signal, visit).catch((error: unknown) => {
        throw isAboutContent(error) ? withStatus(error, snapshot.statusCode) : error;
      }),
      captured,
    ]);
    const { mediaType: contentType, numPages } = processed;
    // A stealth retry that is refused as well was useless.
    const isWasted = errorCode !== undefined && request.proxy === 'auto';
    const price = { proxyUsed: isWasted ? 'basic' : proxyUsed, contentType, numPages } as const;
    const creditsUsed = fetchCredits(parts.costs, price);
    const made = {
      ...plan,
      facts: { ...facts, creditsUsed },
      captured: fields,
      actUsage: use.acts,
    };
    const document = composeDocument(snapshot, processed, made, parts.costs);
    const { actions } = fields;
    if (document['actions'] !== undefined && actions !== undefined) {
      const pages = await readPaginated(parts, snapshot, { ...made, request, files }, deadline);
      document['actions'] = { ...actions, pages };
    }
    return { processed, document };
  };
}

/** A document for each page that the actions followed, with the formats that need no open page. */
async function readPaginated(
  parts: PipelineParts,
  snapshot: Snapshot,
  plan: ProcessingPlan & DocumentFacts & Pick<ProcessedVisit, 'request' | 'files'>,
  { signal }: Deadline,
): Promise<PlainDocument[]> {
  const documents: PlainDocument[] = [];
  const isPlain = ({ uses }: FormatRequest): boolean =>
    Object.keys(uses.captures ?? {}).length === 0;
  const own = { ...plan, formats: plan.formats.filter(isPlain), captured: {} };
  for (const { url, html } of snapshot.captures?.actions?.pages ?? []) {
    const { unseen: _, captures: __, ...same } = snapshot;
    const page = { ...same, url, body: Buffer.from(html) };
    const visit = {
      request: { ...plan.request, url },
      captured: Promise.resolve({}),
      files: plan.files,
      isBlocked: false,
      isCached: false,
    };
    const processed = await processSnapshot(parts, page, own, signal, visit);
    documents.push(composeDocument(page, processed, own, parts.costs));
  }
  return documents;
}

/** The same for a page of a job, in any order of its pages and after any number of resumes. */
export function scrapeIdIn(jobId: string, url: string): string {
  return uuidOf(`${jobId} ${url}`);
}

function withUrl(error: unknown, url: string): unknown {
  if (!(error instanceof PagewrightError) || error.url !== undefined) return error;
  return Object.assign(error, { url });
}
