/** request → snapshot: the engine is chosen and asked. */
import { chooseEngine } from '../engines/choose.ts';
import type { Engine } from '../engines/engine.ts';
import { hookFailed } from '../errors.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** What fetching works with. */
export interface FetchingParts {
  readonly engines: readonly Engine[];
}

/** The part of a request that is about fetching. */
export type FetchRequest = Pick<
  ScrapeRequest<unknown>,
  | 'url'
  | 'content'
  | 'headers'
  | 'limits'
  | 'requires'
  | 'mayRender'
  | 'rendering'
  | 'skipTlsVerification'
>;

/** What came back, and how. */
export interface Fetched {
  readonly snapshot: Snapshot;
  /** The signal that decided for the engine. */
  readonly reason: string;
}

/** Fetches a page without reading it. Rejects with the signal's reason when it aborts. */
export async function fetchPage(
  parts: FetchingParts,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<Fetched> {
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
