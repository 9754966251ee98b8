/**
 * Writes HTML fragments for pages made from files: sanitized foreign HTML; plain text, links, sizes and times
 * as HTML.
 */
import { type DomElement, type DomNode, isElement, nextNode, NodeType } from '../html/dom.ts';
import { escapeAttribute, escapeText } from '../html/serialize.ts';
import { parseHtml } from '../html/parse.ts';
import { feedDate } from './feed-date.ts';
import type { Limits } from '../../core/model/request-options.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';

/** Options for inserting a fragment into a document. */
export interface FragmentOptions {
  readonly limits: Pick<Limits, 'nodes' | 'attributes'>;
  /** Base URL of its links; without one, relative links are reduced to their text. */
  readonly base: string | undefined;
  /** The highest level of its headings. @default 1 */
  readonly headingsFrom?: number;
  /** Replacement texts for `cid:` URLs of pictures. */
  readonly inlined?: ReadonlyMap<string, string>;
}

/**
 * Balanced HTML: open elements are closed. Scripts, styles, form fields, event handlers and
 * pictures of one pixel are removed. Throws `PARSE_LIMIT` for more nodes than allowed.
 */
export function safeFragment(markup: string, options: FragmentOptions): string {
  const { nodes, attributes } = options.limits;
  const { body } = parseHtml(markup, { nodes, depth: depthLimit, attributes });
  const shift = headingShift(body, options.headingsFrom ?? 1);
  let node: DomNode | null = body.firstChild;
  while (node !== null) {
    const isGone = isElement(node) ? isRemoved(node) : node.nodeType === NodeType.comment;
    const next: DomNode | null = nextNode(node, body, isGone);
    if (isGone) node.parentNode?.removeChild(node);
    else if (isElement(node)) keepAttributes(node, options);
    node = next;
  }
  return shiftHeadings(body.innerHTML, shift);
}

const depthLimit = 256; // feeds and mails nest tables; the enclosing page has its own limit

const removedElements: ReadonlySet<string> = new Set(
  'script style template noscript object embed applet base link meta title iframe plaintext input select textarea button'.split(
    ' ',
  ),
);

function isRemoved(element: DomElement): boolean {
  if (removedElements.has(element.localName)) return true;
  if (element.localName !== 'img') return false;
  const sizes = ['width', 'height'].map((name) => (element.getAttribute(name) ?? '').trim());
  return sizes.every((size) => /^[01](?:px)?$/.test(size));
}

const storedAttributes: ReadonlySet<string> = new Set(
  'href src srcset alt title class id name colspan rowspan scope start value type reversed lang dir datetime cite poster headers align'.split(
    ' ',
  ),
);

const addresses: ReadonlySet<string> = new Set(['href', 'src', 'cite', 'poster']);

function keepAttributes(element: DomElement, { base, inlined }: FragmentOptions): void {
  for (const { name, value } of [...element.attributes]) {
    if (!storedAttributes.has(name)) element.removeAttribute(name);
    else if (addresses.has(name)) {
      const address = addressOf(value, base);
      if (address === undefined) element.removeAttribute(name);
      else element.setAttribute(name, address);
    } else if (name === 'srcset' && base === undefined) element.removeAttribute(name);
    if (name !== 'src' || !/^cid:/i.test(value)) continue;
    const words = inlined?.get(value.slice(4).toLowerCase());
    if (words !== undefined && !element.getAttribute('alt')) element.setAttribute('alt', words);
  }
}

function addressOf(value: string, base: string | undefined): string | undefined {
  const text = value.trim();
  if (/^(?:mailto:|tel:|#|data:image\/)/i.test(text)) return text;
  return resolveLink(text, base ?? 'about:blank')?.href;
}

function headingShift(body: DomElement, from: number): number {
  let highest = 7;
  for (const heading of body.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    highest = Math.min(highest, Number(heading.localName.slice(1)));
  }
  return highest > 6 ? 0 : Math.max(0, from - highest);
}

/** For serialized HTML, in which each `<h1>` is a tag. */
function shiftHeadings(html: string, shift: number): string {
  if (shift === 0) return html;
  return html.replace(
    /(<\/?h)([1-6])(?=[\s>])/g,
    (_, start: string, level: string) => `${start}${Math.min(6, Number(level) + shift)}`,
  );
}

// Plain text as HTML, and small facts of many files.

/** Makes paragraphs at empty lines, and breaks at line ends. */
export function paragraphs(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/)
    .map((part) => part.trimEnd().replace(/^\n+/, ''))
    .filter((part) => part.trim() !== '')
    .map((part) => `<p>${escapeText(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

/** A link, if there is a URL. */
export function anchor(text: string, href: string | undefined): string {
  return href === undefined
    ? escapeText(text)
    : `<a href="${escapeAttribute(href)}">${escapeText(text)}</a>`;
}

/** `1.4 MB`, in steps of 1000 as in drives and mail programs. */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const [size, unit] = bytes < 999_500 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB'];
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)} ${unit}`;
}

/** The ISO 8601 form of a date in any format of feeds and mails; undefined for other texts. */
export function isoDate(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 100) return undefined;
  // RFC 822 allows "UT", which JavaScript does not know.
  const time = Date.parse(text.trim().replace(/\bUTC?$/, 'GMT'));
  return Number.isNaN(time) ? feedDate(text) : new Date(time).toISOString();
}

/** A date for readers, with the exact time for programs; other text is returned as written. */
export function timeElement(text: string): string {
  const iso = isoDate(text);
  if (iso === undefined) return escapeText(text.trim().slice(0, 100));
  const [day = '', clock = ''] = iso.slice(0, 16).split('T');
  const words = clock === '00:00' ? day : `${day} ${clock} UTC`;
  return `<time datetime="${iso}">${words}</time>`;
}
