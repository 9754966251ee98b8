/** request → snapshot → page → document. */
import { STATUS_CODES } from 'node:http';
import { cleanPage } from './clean/index.ts';
import { chooseEngine } from './engines/choose.ts';
import type { Engine } from './engines/engine.ts';
import { hookFailed, PagewrightError } from './errors.ts';
import type { FormatRequest } from './formats/format.ts';
import { readMetadata } from './formats/metadata.ts';
import type { FetchMetadata, Metadata } from './model/metadata.ts';
import type { Page } from './model/page.ts';
import type { Clock } from './model/clock.ts';
import type { Limits, ScrapeRequest } from './model/request.ts';
import type { Snapshot } from './model/snapshot.ts';
import { startDeadline, withSignal } from './network/deadline.ts';
import { parseSnapshot } from './parsers/index.ts';
import type { Parser } from './parsers/parser.ts';
import { uuid } from './text/uuid.ts';

/** The parts a page passes through. */
export interface PipelineParts {
  readonly engines: readonly Engine[];
  /** The caller's; the built-in ones come after them. */
  readonly parsers: readonly Parser[];
  readonly limits: Limits;
  /** Chance and time; ids come from it. */
  readonly clock: Clock;
  /** Aborts everything when the client closes. */
  readonly signal: AbortSignal;
}

/** A document before its type is known: fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}

/** What one pass through the pipeline gives. */
export interface PipelineResult {
  readonly document: PlainDocument;
  readonly snapshot: Snapshot;
}

/** What happens on the way, for the verbs that watch. */
export interface PipelineWatch {
  /** The page as parsed, before it is cleaned; the place to read its links. */
  onPage?(page: Page): void | Promise<void>;
}

/**
 * Takes one request all the way. Rejects with `TIMEOUT` when the request's time is over and with
 * `CANCELLED` when its signal or the client's aborts, at once in both cases.
 */
export async function runPipeline(
  parts: PipelineParts,
  request: ScrapeRequest<FormatRequest>,
  watch: PipelineWatch = {},
): Promise<PipelineResult> {
  using deadline = startDeadline(
    request.timeout,
    [request.signal, parts.signal],
    `Scraping ${request.url}`,
  );
  const { signal } = deadline;
  const work = async (): Promise<PipelineResult> => {
    const { snapshot, reason } = await fetchSnapshot(parts, request, signal);
    const page = await parseSnapshot(snapshot, parts.parsers, request);
    signal.throwIfAborted();
    await watch.onPage?.(page);
    const document = await composeDocument(page, request, signal, {
      ...fetchFacts(request, snapshot, page),
      scrapeId: uuid(() => parts.clock.random()),
      engineReason: reason,
    });
    return { document, snapshot };
  };
  try {
    return await withSignal(work(), signal);
  } catch (error) {
    throw withUrl(error, request.url);
  }
}

/** Fetches without parsing: pages, and the robots.txt and sitemaps of a crawl. */
export async function fetchSnapshot(
  parts: Pick<PipelineParts, 'engines'>,
  request: Pick<
    ScrapeRequest<unknown>,
    | 'url'
    | 'content'
    | 'headers'
    | 'limits'
    | 'requires'
    | 'mayRender'
    | 'rendering'
    | 'skipTlsVerification'
  >,
  signal: AbortSignal,
): Promise<{ snapshot: Snapshot; reason: string }> {
  signal.throwIfAborted();
  if (request.content !== undefined) {
    return {
      snapshot: givenSnapshot(request.url, request.content),
      reason: 'the caller brought the content',
    };
  }
  const { engine, reason } = chooseEngine(parts.engines, request);
  const { url, headers, limits, skipTlsVerification, rendering } = request;
  try {
    const request = { url, headers, limits, skipTlsVerification, rendering, signal };
    return { snapshot: await engine.fetch(request), reason };
  } catch (error) {
    throw hookFailed(`The engine "${engine.name}"`, url, error);
  }
}

/** What a file or a page asks of the engine when no option asks for more. */
export const plainGet: Pick<ScrapeRequest<never>, 'requires' | 'mayRender' | 'rendering'> = {
  requires: new Map(),
  mayRender: true,
  rendering: {},
};

/** Milliseconds for one robots.txt or sitemap. */
const fileTimeout = 15_000;

/** Fetches a file that belongs to a site: robots.txt, a sitemap, a feed. Status codes are the caller's. */
export async function fetchFile(
  parts: Pick<PipelineParts, 'engines' | 'limits'>,
  url: string,
  signal: AbortSignal,
): Promise<{ readonly statusCode: number; readonly body: Uint8Array; readonly url: string }> {
  using deadline = startDeadline(fileTimeout, [signal], `Fetching ${url}`);
  const request = {
    url,
    headers: { accept: '*/*' },
    limits: parts.limits,
    ...plainGet,
    skipTlsVerification: true,
  };
  const fetched = fetchSnapshot(parts, request, deadline.signal);
  return (await withSignal(fetched, deadline.signal)).snapshot;
}

/** Content that the caller already holds, as if it had been fetched. */
function givenSnapshot(
  url: string,
  content: { readonly body: Uint8Array; readonly contentType: string },
): Snapshot {
  return {
    url,
    statusCode: 200,
    headers: { 'content-type': content.contentType },
    body: content.body,
    engine: 'none',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  };
}

/** Formats that read the page as parsed run before it is cleaned, the others after. */
async function composeDocument(
  page: Page,
  request: ScrapeRequest<FormatRequest>,
  signal: AbortSignal,
  facts: FetchMetadata,
): Promise<PlainDocument> {
  const metadata: Metadata = { ...readMetadata(page), ...facts };
  const fields = new Map<string, unknown>();
  const run = async (stage: 'page' | 'content'): Promise<void> => {
    for (const { format, options } of request.formats) {
      if (format.needs !== stage) continue;
      signal.throwIfAborted();
      try {
        fields.set(format.name, await format.run(page, options, { signal }));
      } catch (error) {
        throw hookFailed(`The format "${format.name}"`, page.url, error);
      }
    }
  };
  await run('page');
  if (page.kind === 'html' && request.formats.some(({ format }) => format.needs === 'content')) {
    cleanPage(page, request.clean);
  }
  await run('content');

  const document: PlainDocument = { metadata };
  for (const { format } of request.formats) document[format.name] = fields.get(format.name);
  // An empty response was told by its parser.
  if (fields.get('markdown') === '' && /\S/.test(page.source)) {
    page.warnings.push('The page has no content.');
  }
  if (page.warnings.length > 0) document.warning = page.warnings.join(' ');
  return document;
}

function fetchFacts(
  request: ScrapeRequest<FormatRequest>,
  snapshot: Snapshot,
  page: Page,
): Omit<FetchMetadata, 'engineReason' | 'scrapeId'> {
  const { statusCode } = snapshot;
  return {
    sourceURL: request.sourceUrl,
    url: snapshot.url,
    statusCode,
    contentType: page.mediaType,
    ...(statusCode >= 400
      ? { error: `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim() }
      : {}),
    engine: snapshot.engine,
    proxyUsed: 'basic',
    creditsUsed: request.formats.some(({ format }) => format.name === 'json') ? 5 : 1,
  };
}

function withUrl(error: unknown, url: string): unknown {
  if (!(error instanceof PagewrightError) || error.url !== undefined) return error;
  return Object.assign(error, { url });
}
