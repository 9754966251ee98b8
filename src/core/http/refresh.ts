/**
 * Finds the target of a page that refreshes to another one: the Refresh header and
 * `<meta http-equiv="refresh">`.
 */
import { canParseUrl } from '../url/normalize-url.ts';
import type { HopResponseHead } from './fetch-once.ts';
import { decodeLocation } from './redirect.ts';

/**
 * Seconds. A page with more is meant to be read: news and dashboards reload after minutes, slide
 * shows advance after some seconds, "you are being redirected" takes 0 to 10. Browsers follow after
 * any time; Scrapy's limit is 100 s.
 */
const maximumDelay = 10;

/**
 * The target URL, without fragment and credentials; undefined when there is none: every response
 * that is not a success, and a page that reloads itself. Of several directives the first counts,
 * and the header precedes the page (HTML, "shared declarative refresh steps").
 */
export function refreshTarget(head: HopResponseHead, body: Uint8Array, from: URL): URL | undefined {
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

/** A refresh directive. Without a URL the page reloads itself. */
export interface RefreshDirective {
  readonly seconds: number;
  readonly url: string | undefined;
}

/** Parses `5; url=/next` as in the HTML standard; undefined if it is not a refresh directive. */
function readRefresh(text: string): RefreshDirective | undefined {
  const [, digits = '', fraction = '', rest = ''] = /^\s*(\d*)(\.?[\d.]*)(.*)$/s.exec(text) ?? [];
  if (digits === '' && fraction === '') return undefined;
  if (rest !== '' && !/^[;,\s]/.test(rest)) return undefined;
  const target = rest.replace(/^\s*[;,]?\s*/, '');
  const seconds = Number(digits);
  if (target === '') return { seconds, url: undefined };
  const [prefix = ''] = /^url\s*=\s*/i.exec(target) ?? [];
  // "u", "ur" and "url" without "=" begin a URL without quotes.
  const isBare = prefix === '' && /^u/i.test(target);
  return { seconds, url: isBare ? target : unquote(target.slice(prefix.length)) };
}

function unquote(text: string): string {
  const [quote = ''] = text;
  if (quote !== '"' && quote !== "'") return text;
  return text.slice(1).split(quote, 1)[0] ?? '';
}

function acceptable({ seconds, url }: RefreshDirective, base: URL, from: URL): URL | undefined {
  if (seconds > maximumDelay || url === undefined) return undefined;
  const location = decodeLocation(url);
  if (!canParseUrl(location, base.href)) return undefined;
  const target = new URL(location, base);
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

// Finds `<meta http-equiv="refresh">` at the beginning of a page, without building its tree.

/** A directive as written, and the base URL before it. */
interface MetaRefresh {
  readonly content: string;
  readonly base: string | undefined;
}

const scanned = 16_384; // bytes examined: the head of a page that redirects is short

/**
 * The directives in the order of the page, except in comments, scripts, templates and other
 * contexts where a scripting browser ignores them. Takes microseconds if there are none.
 */
function findMetaRefreshes(body: Uint8Array): readonly MetaRefresh[] {
  const html = readStart(body);
  if (!/refresh/i.test(html)) return [];
  const found: MetaRefresh[] = [];
  let base: string | undefined;
  let templates = 0;
  let tag: RegExpExecArray | null;
  /** A shared one would retain its position between pages. */
  const tags = /<!--|<(\/?[a-z][^\s/>]*)/gi;
  while ((tag = tags.exec(html)) !== null) {
    const name = tag[1]?.toLowerCase();
    const from = tags.lastIndex;
    if (name === undefined) {
      tags.lastIndex = endOfComment(html, from);
      continue;
    }
    const { attributes, end } = readAttributes(html, from);
    tags.lastIndex = end;
    if (name === 'template') templates += 1;
    else if (name === '/template') templates = Math.max(0, templates - 1);
    else if (name === 'base') base ??= attributes.get('href');
    else if (textElements.has(name)) tags.lastIndex = endOfText(html, name, end);
    else if (
      name === 'meta' &&
      templates === 0 &&
      attributes.get('http-equiv')?.toLowerCase() === 'refresh'
    ) {
      found.push({ content: attributes.get('content') ?? '', base });
    }
  }
  return found;
}

/** Elements whose content is text for a browser that runs scripts. */
const textElements: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'title',
  'textarea',
  'iframe',
  'noembed',
  'noframes',
  'xmp',
]);

/** Markup is ASCII in all page encodings; UTF-16 adds zeros in between. */
function readStart(body: Uint8Array): string {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, scanned));
  const text = start.toString('latin1');
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** `<!-->` and `<!--->` are comments without content. */
function endOfComment(html: string, from: number): number {
  const [empty] = /^-?>/.exec(html.slice(from, from + 2)) ?? [];
  if (empty !== undefined) return from + empty.length;
  const end = /--!?>/g;
  end.lastIndex = from;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

/** For an element whose content is text: the start of its end tag. */
function endOfText(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/**
 * The attributes of a tag from after its name, and the position after the tag. The first of
 * duplicate attributes counts.
 */
function readAttributes(
  html: string,
  from: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  const next =
    /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?)/y;
  let end = from;
  for (;;) {
    next.lastIndex = end;
    const part = next.exec(html);
    // A tag without an end is no tag.
    if (part === null) return { attributes: new Map(), end: html.length };
    end = next.lastIndex;
    const [, close, name = '', ...values] = part;
    if (close !== undefined) return { attributes, end };
    const key = name.toLowerCase();
    const value = values.find(Boolean) ?? '';
    if (!attributes.has(key)) attributes.set(key, decodeReferences(value));
  }
}

/** Decodes the character references used in URLs. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));?/gi,
    (all: string, ...parts: unknown[]) => {
      const [decimal, hexadecimal, name] = parts as (string | undefined)[];
      if (name !== undefined) return references.get(name.toLowerCase()) ?? all;
      const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

const references: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
