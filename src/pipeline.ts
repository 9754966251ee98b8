/** request → snapshot → page → document. */
import { PagewrightError } from './errors.ts';
import { fetchPage, type FetchingParts } from './fetching/fetch-page.ts';
import type { FormatRequest } from './formats/format.ts';
import type { Clock } from './model/clock.ts';
import type { Costs } from './model/costs.ts';
import type { Limits, ScrapeRequest } from './model/request.ts';
import type { Snapshot } from './model/snapshot.ts';
import { startDeadline, withSignal } from './network/deadline.ts';
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

/** What one pass through the pipeline gives. */
export interface PipelineResult {
  readonly snapshot: Snapshot;
  readonly reading: PageReading;
  readonly document: PlainDocument;
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
  using deadline = startDeadline(
    request.timeout,
    [request.signal, parts.signal],
    `Scraping ${request.url}`,
  );
  const { signal } = deadline;
  const work = async (): Promise<PipelineResult> => {
    const { snapshot, reason, proxyUsed, blocked } = await fetchPage(parts, request, deadline);
    const plan = { ...request, ...questions };
    const reading = await readSnapshot(parts, snapshot, plan, signal);
    const document = composeDocument(snapshot, reading, {
      ...request,
      facts: {
        scrapeId: uuid(() => parts.clock.random()),
        engineReason: reason,
        proxyUsed,
        creditsUsed: creditsFor(request, proxyUsed, parts.costs),
        ...(blocked ? { errorCode: 'BLOCKED_BY_SITE' } : {}),
      },
    });
    return { snapshot, reading, document };
  };
  try {
    return await withSignal(work(), signal);
  } catch (error) {
    throw withUrl(error, request.url);
  }
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
