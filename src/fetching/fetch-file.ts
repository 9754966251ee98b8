/** Files that belong to a site: robots.txt, sitemaps, feeds. */
import type { Limits, ScrapeRequest } from '../model/request.ts';
import { startDeadline, withSignal } from '../network/deadline.ts';
import { fetchPage, type FetchingParts } from './fetch-page.ts';

/** What a file or a page asks for when no option asks for more. */
export const plainGet: Pick<
  ScrapeRequest<never>,
  'requires' | 'mayRender' | 'rendering' | 'retries' | 'proxy'
> = {
  requires: new Map(),
  mayRender: true,
  rendering: {},
  retries: 2,
  proxy: 'basic',
};

/** Milliseconds for one robots.txt or sitemap. */
const fileTimeout = 15_000;

/** Fetches one file. Status codes are the caller's; rejects when there is no response. */
export async function fetchFile(
  parts: FetchingParts & { readonly limits: Limits },
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
  const fetched = fetchPage(parts, request, deadline);
  return (await withSignal(fetched, deadline.signal)).snapshot;
}
