/** A website that a test writes down in place of a folder. */
import { contentTypeOf } from '../engines/content-types.ts';
import type { SiteResponse } from '../engines/site-files.ts';

/** A request as a server saw it. */
export interface LoggedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** The Host header. */
  readonly host: string;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** When its headers arrived; milliseconds since 1970, with fractions. */
  readonly time: number;
}

/** A page: its text, or more of the answer. `{{origin}}` in texts and headers becomes the origin. */
export type SitePage =
  | string
  | {
      /** @default 200 */
      readonly status?: number;
      /** content-type is by the path's extension, else HTML for a text, unless it is given here. */
      readonly headers?: Readonly<Record<string, string>>;
      /** @default an empty one */
      readonly body?: string | Uint8Array;
      /** Milliseconds to wait before answering. @default 0 */
      readonly delay?: number;
    };

/** Answers requests; undefined is a 404. */
export type PageHandler = (
  request: LoggedRequest,
) => SitePage | undefined | Promise<SitePage | undefined>;

/**
 * Pages by path, or by path and query, which is tried first; or one function for all requests.
 * A record may be changed while it is served.
 */
export type SiteHandlers = Readonly<Record<string, SitePage | PageHandler>> | PageHandler;

/** What a site of handlers answers to a request. */
export async function answerFromPages(
  site: SiteHandlers,
  request: LoggedRequest,
  origin: string,
): Promise<SiteResponse> {
  const entry = typeof site === 'function' ? site : pageAt(site, request.url);
  const page = typeof entry === 'function' ? await entry(request) : entry;
  return toResponse(page ?? notFound, pathOf(request.url), origin);
}

const notFound: SitePage = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 Not Found',
};

function pageAt(
  pages: Readonly<Record<string, SitePage | PageHandler>>,
  url: string,
): SitePage | PageHandler | undefined {
  const key = [url, pathOf(url)].find((candidate) => Object.hasOwn(pages, candidate));
  return key === undefined ? undefined : pages[key];
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function toResponse(page: SitePage, path: string, origin: string): SiteResponse {
  const {
    status = 200,
    headers = {},
    body = '',
    delay = 0,
  } = typeof page === 'string' ? { body: page } : page;
  const isText = typeof body === 'string';
  const bytes = isText ? Buffer.from(withOrigin(body, origin)) : body;
  const complete: Record<string, string> = {
    'content-type': contentTypeOf(path, isText ? 'text/html; charset=utf-8' : undefined),
    'content-length': String(bytes.length),
  };
  for (const [name, value] of Object.entries(headers)) {
    complete[name.toLowerCase()] = withOrigin(value, origin);
  }
  return { status, headers: complete, body: bytes, delay };
}

function withOrigin(text: string, origin: string): string {
  return text.replaceAll('{{origin}}', origin);
}
