/** Pages that send their visitors on: the Refresh header and `<meta http-equiv="refresh">`. */
import type { AnswerHead } from './fetch-once.ts';
import { findMetaRefreshes } from './meta-refresh.ts';
import { decodeLocation } from './redirect.ts';
import { canParseUrl } from '../../url/can-parse-url.ts';

/**
 * Seconds. A page that stays longer is meant to be read: news and dashboards reload after minutes,
 * slide shows turn after some seconds, "you are being redirected" takes 0 to 10. Browsers follow
 * after any time; Scrapy takes 100 s as its limit.
 */
const maximumDelay = 10;

/**
 * The URL to go to, without fragment and credentials; undefined when the page is to be kept. That
 * is every answer that is no success, and a page that loads itself again. Of several directives the first one counts, and the header comes before the page (HTML,
 * "shared declarative refresh steps").
 */
export function refreshTarget(head: AnswerHead, body: Uint8Array, from: URL): URL | undefined {
  if (head.statusCode < 200 || head.statusCode > 299) return undefined;
  const header = readRefresh(head.headers['refresh'] ?? '');
  if (header !== undefined) return acceptable(header, from, from);
  if (!isHtmlType(head.headers['content-type'])) return undefined;
  for (const { content, base = '' } of findMetaRefreshes(body)) {
    const directive = readRefresh(content);
    if (directive === undefined) continue;
    return acceptable(directive, canParseUrl(base, from.href) ? new URL(base, from) : from, from);
  }
  return undefined;
}

/** What a page wants. Without a URL it wants itself again. */
export interface RefreshDirective {
  readonly seconds: number;
  readonly url: string | undefined;
}

/** Reads `5; url=/next` as the HTML standard does; undefined when it is no such thing. */
function readRefresh(text: string): RefreshDirective | undefined {
  const [, digits = '', fraction = '', rest = ''] = /^\s*(\d*)(\.?[\d.]*)(.*)$/s.exec(text) ?? [];
  if (digits === '' && fraction === '') return undefined;
  if (rest !== '' && !/^[;,\s]/.test(rest)) return undefined;
  const place = rest.replace(/^\s*[;,]?\s*/, '');
  const seconds = Number(digits);
  if (place === '') return { seconds, url: undefined };
  const [prefix = ''] = /^url\s*=\s*/i.exec(place) ?? [];
  // "u", "ur" and "url" without "=" begin a URL that is never in quotes.
  const isBare = prefix === '' && /^u/i.test(place);
  return { seconds, url: isBare ? place : unquote(place.slice(prefix.length)) };
}

function unquote(text: string): string {
  const [quote = ''] = text;
  if (quote !== '"' && quote !== "'") return text;
  return text.slice(1).split(quote, 1)[0] ?? '';
}

function acceptable({ seconds, url }: RefreshDirective, base: URL, from: URL): URL | undefined {
  if (seconds > maximumDelay || url === undefined) return undefined;
  const place = decodeLocation(url);
  if (!canParseUrl(place, base.href)) return undefined;
  const target = new URL(place, base);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return undefined;
  target.hash = '';
  target.username = '';
  target.password = '';
  return target.href === from.href ? undefined : target;
}

function isHtmlType(contentType = ''): boolean {
  return (
    contentType.trim() === '' || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)
  );
}
