/** Converts the visit of a page to a journal entry and back: its facts, and the page's document or body. */
import { pageFiles } from '../../fetch/page-files.ts';
import type { FormatRequest } from '../../../content/formats/format.ts';
import { throwVeto } from '../../hooks/hook-lists.ts';
import { BudgetRefusal } from '../../../extract/llm/model-failure.ts';
import type { ModelTotals } from '../../../extract/llm/model.ts';
import type { JobUsage, PageFailure } from '../../model/job.ts';
import type { RenderObservation } from '../../model/pace.ts';
import type { ScrapeRequest } from '../../model/request.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { withinTimeout, type PipelineParts } from '../../page/pipeline.ts';
import {
  capturedFields,
  composeDocument,
  type DocumentFacts,
  type PlainDocument,
} from '../../page/compose-document.ts';
import { processSnapshot } from '../../page/process-snapshot.ts';
import type { FetchTiming } from '../page-timings.ts';
import { documentBytes, documentOf, type StoredValue } from './stored-value.ts';
import { throwStoreError } from './job-store.ts';
import {
  errorFrom,
  errorToStore,
  type DocumentOfVisit,
  type Journal,
  type StoredDocument,
  type StoredError,
} from './journal.ts';

/** A fetched page whose document is not built yet. */
export interface PageSource {
  readonly snapshot: Snapshot;
  readonly facts: DocumentFacts['facts'];
  /** The identity with which it was requested. */
  readonly identity?: string | undefined;
}

/** The facts of a visit that are stored beside its document, or its body. */
export interface VisitFacts<Found> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The observation of the page about its host. */
  readonly lesson?: RenderObservation | undefined;
  /** Of a page that failed: requests for it, redirects included. */
  readonly pageRequests?: number | undefined;
  /** Of a page that was fetched and failed. */
  readonly usage?: JobUsage | undefined;
  /** The use of the model for the page, if another process has called it. */
  readonly modelUse?: ModelTotals | undefined;
  /** The fetch of the page. */
  readonly timing?: FetchTiming | undefined;
  /** The files of a page that failed. */
  readonly kept?: PageFailure['kept'] | undefined;
  /** The error of a visit that found no page. */
  readonly error?: StoredError;
  readonly page?: Found;
  /** Facts of the stored document, known without reading it. */
  readonly document?: Omit<StoredDocument, 'url'>;
  /** The error of a page whose document could not be built or stored. */
  readonly noDocument?: StoredError;
  /** The page as fetched, without its body: the document is built later. */
  readonly source?: Omit<PageSource, 'snapshot'> & { readonly snapshot: Omit<Snapshot, 'body'> };
}

/**
 * Stores a visit that found a page; its document is built now, or later from `source`. `visited` returns its facts once
 * the document is built. Returns the visit of another process if it was stored first: it counts instead; else the
 * document if it is stored with the visit. Rejects with `STORAGE`.
 */
export async function keepPage<Found>(
  journal: Journal,
  url: string,
  visited: () => Pick<VisitFacts<Found>, 'at' | 'lesson' | 'page' | 'timing' | 'modelUse'>,
  page: {
    document(repeated: ReadonlySet<number>): Promise<PlainDocument>;
    readonly source?: PageSource | undefined;
  },
): Promise<StoredValue<VisitFacts<Found>> | DocumentOfVisit | undefined> {
  const keep = (facts: VisitFacts<Found>, bytes?: Uint8Array) =>
    journal.keepVisit(url, facts, bytes);
  const { source } = page;
  if (source !== undefined) {
    const { body, ...snapshot } = source.snapshot;
    return firstOf(await keep({ ...visited(), source: { ...source, snapshot } }, body));
  }
  let document: PlainDocument;
  try {
    document = await page.document(new Set());
  } catch (error) {
    // A larger budget may pay for the page: it is fetched again.
    if (error instanceof BudgetRefusal) return undefined;
    throwStoreError(error);
    return firstOf(await keep({ ...visited(), noDocument: errorToStore(error) }));
  }
  let bytes: Uint8Array;
  try {
    bytes = documentBytes(document);
  } catch {
    // A format returned a value that is not plain data; a hook may yet remove it.
    return undefined;
  }
  const { creditsUsed: credits, redactions } = document.metadata;
  const facts = { ...visited(), document: { credits, redactions, size: bytes.length } };
  const kept = await keep(facts, bytes);
  return kept === true ? { ...facts.document, visit: facts, bytes } : firstOf(kept);
}

/** The visit that was stored first, if `keepVisit` returned one. */
export function firstOf<Facts>(
  kept: boolean | StoredValue<Facts> | undefined,
): StoredValue<Facts> | undefined {
  return typeof kept === 'object' ? kept : undefined;
}

/** The document of a stored visit, as it was when its visit ended. */
export async function documentOfVisit(
  { facts, bytes }: StoredValue<VisitFacts<object>>,
  stored: DocumentOfVisit | undefined,
): Promise<PlainDocument> {
  if (facts.noDocument !== undefined) throw errorFrom(facts.noDocument);
  const raw = (await bytes?.()) ?? documentBytes({});
  if (stored !== undefined) stored.bytes = raw;
  return documentOf(raw) as PlainDocument;
}

/** Reads a stored page again, without network and within the request's time. */
export async function readStoredPage(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  { facts, bytes }: StoredValue<VisitFacts<object>>,
): Promise<PlainDocument> {
  const { source } = facts;
  if (source === undefined) throw new TypeError('The visit was stored with its document.');
  const body = (await bytes?.()) ?? new Uint8Array();
  const snapshot: Snapshot = { ...source.snapshot, body };
  const { beforeFormats: hooks } = parts.hooks;
  return withinTimeout(parts, request, async (deadline) => {
    const state = { url: request.url, ...request.position };
    const asked = { ...request, identity: source.identity };
    const plan = hooks.length === 0 ? asked : { ...asked, pageHooks: { hooks, state }, deadline };
    const visit = {
      request,
      captured: capturedFields(snapshot, source.facts.scrapeId, parts.assets, request),
      files: pageFiles(parts, {
        request,
        scrapeId: source.facts.scrapeId,
        deadline,
        use: { requests: 0, bytes: 0 },
      }),
      isBlocked: source.facts.errorCode === 'BLOCKED_BY_SITE',
      isCached: source.facts.cacheState === 'hit',
    };
    const [processed, captured] = await Promise.all([
      processSnapshot(parts, snapshot, plan, deadline.signal, visit),
      visit.captured,
    ]);
    throwVeto(request.url, processed.hooked);
    const made = { ...plan, facts: source.facts, captured };
    return composeDocument(snapshot, processed, made, parts.costs);
  });
}
