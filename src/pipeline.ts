/** request → snapshot → page → document. */
import { PagewrightError } from './errors.ts';
import { type Fetched, fetchPage, type FetchingParts } from './fetching/fetch-page.ts';
import type { FormatRequest } from './formats/format.ts';
import type { Clock } from './model/clock.ts';
import type { Costs } from './model/costs.ts';
import type { Limits, ScrapeRequest } from './model/request.ts';
import type { Snapshot } from './model/snapshot.ts';
import { type Deadline, startDeadline, withSignal } from './network/deadline.ts';
import { composeDocument, type PlainDocument } from './reading/compose-document.ts';
import type { PageReading, ReadingPlan } from './reading/read-page.ts';
import { type ReadingParts, readSnapshot } from './reading/read-snapshot.ts';
import { uuid } from './text/uuid.ts';

/** The parts a page passes through. */
export interface PipelineParts extends FetchingParts, ReadingParts {
  readonly limits: Limits;
  /** What a page costs. */
  readonly costs: Costs;
  /** Chance and time; ids come from it. */
  readonly clock: Clock;
  /** Aborts everything when the client closes. */
  readonly signal: AbortSignal;
}

/** What a verb wants to know of the page beside its document. */
export type PageQuestions = Pick<ReadingPlan, 'outline' | 'schema'>;

/** A reading that differs from what the request asks for. */
export type ReadingChanges = Partial<Omit<ReadingPlan, 'limits' | 'parsePdf'>>;

/** What one reading of a page gives. */
export interface PageResult {
  readonly reading: PageReading;
  readonly document: PlainDocument;
}

/** What one pass through the pipeline gives. */
export interface PipelineResult extends PageResult {
  readonly snapshot: Snapshot;
}

/** A page that was fetched. It can be read more than once, which gives documents with the same facts. */
export interface FetchedPage {
  readonly snapshot: Snapshot;
  /** During the visit, within its time. */
  read(changes: ReadingChanges): Promise<PageResult>;
  /** After the visit, within the request's time again. */
  readLater(changes: ReadingChanges): Promise<PageResult>;
}

/**
 * Takes one request all the way. Rejects with `TIMEOUT` when the request's time is over and with
 * `CANCELLED` when its signal or the client's aborts, at once in both cases.
 */
export async function runPipeline(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  questions: PageQuestions = {},
): Promise<PipelineResult> {
  return visitPage(parts, request, async (page) => {
    const result = await page.read(questions);
    return { snapshot: page.snapshot, ...result };
  });
}

/** The same for a verb that decides how to read a page when it is there. */
export async function visitPage<T>(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  visit: (page: FetchedPage) => Promise<T>,
): Promise<T> {
  return inTime(parts, request, async (deadline) => {
    const fetched = await fetchPage(parts, request, deadline);
    const read = pageReader(parts, request, fetched);
    return visit({
      snapshot: fetched.snapshot,
      read: (changes) => read(changes, deadline.signal),
      readLater: (changes) => inTime(parts, request, ({ signal }) => read(changes, signal)),
    });
  });
}

async function inTime<T>(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
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

function pageReader(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  { snapshot, reason, proxyUsed, blocked }: Fetched,
): (changes: ReadingChanges, signal: AbortSignal) => Promise<PageResult> {
  const facts = {
    scrapeId: uuid(() => parts.clock.random()),
    engineReason: reason,
    proxyUsed,
    creditsUsed: creditsFor(request, proxyUsed, parts.costs),
    ...(blocked ? { errorCode: 'BLOCKED_BY_SITE' as const } : {}),
  };
  return async (changes, signal) => {
    const plan = { ...request, ...changes };
    const reading = await readSnapshot(parts, snapshot, plan, signal);
    return { reading, document: composeDocument(snapshot, reading, { ...plan, facts }) };
  };
}

function creditsFor(
  { formats }: ScrapeRequest<FormatRequest>,
  proxyUsed: 'basic' | 'stealth',
  costs: Costs,
): number {
  const usesJson = formats.some(({ format }) => format.name === 'json');
  return (proxyUsed === 'stealth' ? costs.stealth : costs.page) + (usesJson ? costs.json : 0);
}

function withUrl(error: unknown, url: string): unknown {
  if (!(error instanceof PagewrightError) || error.url !== undefined) return error;
  return Object.assign(error, { url });
}
