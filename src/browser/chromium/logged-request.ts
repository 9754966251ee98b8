/** One logged request of a page: what it is, its body, and its entry in the list. */
import type { Request, Response } from 'playwright-core';
import type {
  BodyType,
  FoundEndpoint,
  NetworkRequest,
  RequestsSettings,
} from '../../core/model/network-request.ts';
import { maskText, maskUrl, maskValue } from '../../core/http/network/mask-secrets.ts';
import { isRedirect } from '../../content/text/http-headers.ts';
import type { BlockReason } from './blocking/request-filter.ts';
import type { Tab } from './tab.ts';

/** A request, its response, and what was read of it. */
export interface LoggedRequest {
  readonly index: number;
  readonly method: string;
  readonly url: string;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Undefined for a socket. */
  readonly request?: Request | undefined;
  response?: Response;
  duration?: number;
  redirectsTo?: string;
  failure?: string;
  sizes?: Pick<NetworkRequest, 'requestBytes' | 'bytes'>;
  sent?: Pick<NetworkRequest, 'postData'>;
  body?: Pick<NetworkRequest, 'json' | 'text' | 'bodyOmitted'>;
  /** URLs in its JSON. */
  links?: readonly string[];
}

const longestUrl = 8_192; // characters of a URL in the list

/** True for a complete response of a server; of redirected requests, the last one. */
export function hasAnswer(logged: LoggedRequest): boolean {
  const { duration, failure, response, redirectsTo, method } = logged;
  const isOver = duration !== undefined && failure === undefined && redirectsTo === undefined;
  return isOver && response !== undefined && !isOfProxy(response) && method !== 'OPTIONS';
}

/** A response of our policy proxy, which did not reach the server. */
function isOfProxy(response: Response): boolean {
  return response.headers()['proxy-authenticate'] !== undefined;
}

/** False if the body is empty by the rules of HTTP: Playwright would load it again. */
export function hasBody({ method, response }: LoggedRequest): boolean {
  const status = response?.status() ?? 0;
  const isEmpty = status < 200 || status === 204 || status === 205 || isRedirect(status);
  return method !== 'HEAD' && !isEmpty;
}

/** The type of the response's body; undefined if it is not text. */
export function bodyTypeOf({ response }: LoggedRequest): BodyType | undefined {
  const type = mediaTypeOf(response) ?? '';
  if (/[/+-](?:json|graphql)$/.test(type)) return 'json';
  const isText = /^text\/|[/+-](?:xml|javascript|ecmascript|x-www-form-urlencoded|ndjson)$/.test(
    type,
  );
  return isText ? 'text' : undefined;
}

function mediaTypeOf(response: Response | undefined): string | undefined {
  const type = response?.headers()['content-type']?.split(';')[0];
  return type?.trim().toLowerCase().slice(0, 200);
}

/** True for a GET request of a script that gave JSON with a status of 2xx. */
export function isEndpoint(logged: LoggedRequest): boolean {
  const { method, type, response } = logged;
  const isCall = method === 'GET' && (type === 'fetch' || type === 'xhr');
  if (!isCall || !hasAnswer(logged) || bodyTypeOf(logged) !== 'json') return false;
  const status = response?.status() ?? 0;
  return status >= 200 && status < 300;
}

/** Each endpoint once. An endpoint whose URL holds a secret only belongs to this visitor, and is left out. */
export function endpointsOf(log: readonly LoggedRequest[]): FoundEndpoint[] {
  const found = new Map<string, readonly string[]>();
  for (const logged of log) {
    const { url, links = [] } = logged;
    const isKnown = found.has(url) || url.length > longestUrl;
    if (!isKnown && isEndpoint(logged) && maskUrl(url) === url) found.set(url, links);
  }
  return [...found].map(([url, links]) => ({ url, links }));
}

/** The sent bytes, as text or JSON; undefined for bytes that are not text, or too many. */
export function sentBy(
  { request }: LoggedRequest,
  { maxBodyBytes, maskSecrets }: RequestsSettings,
): { readonly postData: unknown; readonly size: number } | undefined {
  const bytes = request?.postDataBuffer() ?? undefined;
  if (bytes === undefined || bytes.length > maxBodyBytes || bytes.includes(0)) return undefined;
  const { json, text } = bodyFields(bytes.toString('utf8'), maskSecrets);
  return { postData: json ?? text, size: bytes.length };
}

/** The text as JSON if it is that, else as text. */
export function bodyFields(
  text: string,
  maskSecrets: boolean,
  json: unknown = parsedJson(text),
): Pick<NetworkRequest, 'json' | 'text'> {
  if (json !== undefined) return { json: maskSecrets ? maskValue(json) : json };
  return { text: maskSecrets ? maskText(text) : text };
}

/** Undefined for text that is not JSON, or nested so deep that no other code could read the value. */
export function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value, 0) ? undefined : value;
  } catch {
    return undefined;
  }
}

const deepest = 200;

function isDeep(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= deepest || Object.values(value).some((one) => isDeep(one, depth + 1));
}

/**
 * The request as returned to the caller: without headers. `blocked` says why a filter of the browser engine
 * stopped it, the tab why its host was not reached.
 */
export function listedRequest(
  logged: LoggedRequest,
  blocked: BlockReason | undefined,
  tab: Pick<Tab, 'unreached'>,
  { maskSecrets }: Pick<RequestsSettings, 'maskSecrets'>,
): NetworkRequest {
  const { method, url, type, startedAt, duration, redirectsTo } = logged;
  const listedUrl = (one: string): string =>
    (maskSecrets ? maskUrl(one) : one).slice(0, longestUrl);
  const end = blocked === undefined ? endOf(logged, tab) : { blocked };
  const answer = Object.keys(end).length === 0 ? logged.response : undefined;
  const contentType = mediaTypeOf(answer);
  return {
    method,
    url: listedUrl(url),
    type,
    startedAt,
    ...(duration === undefined ? {} : { duration }),
    ...(answer === undefined ? {} : { status: answer.status() }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(answer === undefined ? {} : logged.sizes),
    ...(redirectsTo === undefined ? {} : { redirectsTo: listedUrl(redirectsTo) }),
    ...end,
    ...(duration === undefined ? { isOpen: true } : {}),
    ...logged.sent,
    ...logged.body,
  };
}

/** Why no server sent a complete response; empty if one did. */
function endOf(
  { url, response, failure }: LoggedRequest,
  tab: Pick<Tab, 'unreached'>,
): Pick<NetworkRequest, 'blocked' | 'failure'> {
  const isUnreached = failure !== undefined || (response !== undefined && isOfProxy(response));
  if (!isUnreached) return {};
  const code = tab.unreached(url)?.code;
  if (code === 'BLOCKED_ADDRESS') return { blocked: 'policy' };
  // Icons and prefetched pages are never sent.
  if (failure?.includes('ERR_BLOCKED_BY_CLIENT') === true) return { blocked: 'notNeeded' };
  return { failure: code ?? failure ?? 'net::ERR_FAILED' };
}
