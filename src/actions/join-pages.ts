/** Joins the HTML of pages that follow each other: what all of them have stays once. */
import { type DomElement, type DomNode, isElement, nextNode, NodeType } from '../html/dom.ts';
import { parseHtml } from '../html/parse.ts';
import { serializeNode } from '../html/serialize.ts';
import type { PaginatedPage } from '../model/snapshot.ts';
import { canParseUrl } from '../url/normalize-url.ts';

const limits = { nodes: 1_000_000, depth: 512 };

/**
 * The first page, with the parts that differ on later pages behind their like: rows behind rows, paragraphs
 * behind paragraphs. Headers, footers, navigation and what is equal on both pages are not repeated.
 */
export function joinPages(pages: readonly PaginatedPage[]): string {
  const [first, ...rest] = pages;
  if (first === undefined) return '';
  if (rest.length === 0) return first.html;
  const whole = parseHtml(first.html, limits);
  /** The page before: its parts show what is repeated. */
  const plain = parseHtml(first.html, limits);
  for (const { url, html } of rest) {
    const page = parseHtml(html, limits);
    if (url !== first.url) makeUrlsAbsolute(page.body, baseOf(page.documentElement, url));
    mergeChildren(whole.body, plain.body, page.body);
  }
  return `<!DOCTYPE html>${serializeNode(whole.documentElement)}`;
}

/** Adds to `whole` what `source` has and `first`, as it was before others were added, has not. */
function mergeChildren(whole: DomElement, first: DomElement, source: DomElement): void {
  const known = partsOf(first);
  const parts = partsOf(source);
  const before = new Set(known.map(({ html }) => html));
  const added: DomNode[] = [];
  let last: DomNode | undefined;
  for (const part of parts) {
    const isRow = isListed(part, parts) || isListed(part, known);
    if (isRow) {
      const isRepeated = isRecord(part.node)
        ? parts.every(({ html }) => before.has(html))
        : before.has(part.html);
      last = lastOf(whole, part.node.localName) ?? last;
      if (!isRepeated) added.push(part.node);
      continue;
    }
    if (before.has(part.html)) continue;
    const isTwin = ({ signature }: PagePart): boolean => signature === part.signature;
    const twin = known.find(isTwin);
    const place = partsOf(whole).find(isTwin)?.node;
    if (twin === undefined || place === undefined) {
      added.push(part.node);
    } else if (part.node.firstElementChild === null && twin.node.firstElementChild === null) {
      if ((part.node.textContent ?? '').trim() !== '') insertBehind(place, [part.node]);
    } else {
      mergeChildren(place, twin.node, part.node);
    }
  }
  if (last === undefined) for (const node of added) whole.appendChild(node);
  else insertBehind(last, added);
}

interface PagePart {
  readonly node: DomElement;
  readonly html: string;
  readonly signature: string;
}

/** The children that can be content. */
function partsOf(parent: DomElement): PagePart[] {
  return [...parent.children]
    .filter((node) => !isFrame(node))
    .map((node) => {
      const signature = `${node.localName}.${node.className}`;
      return { node, html: serializeNode(node), signature };
    });
}

/** Parts around the content. */
function isFrame(node: DomElement): boolean {
  const { localName } = node;
  if (
    /^(?:script|style|link|meta|template|noscript|nav|footer|form|input|select)$/.test(localName)
  ) {
    return true;
  }
  if (localName === 'header' && node.parentElement?.localName === 'body') return true;
  if (/^(?:navigation|banner|contentinfo|search)$/.test(node.getAttribute('role') ?? ''))
    return true;
  return /(?:^|[\s_-])(?:pagination|pager|paginator|breadcrumbs?)(?:$|[\s_-])/i.test(
    node.className,
  );
}

/** One of several of its kind: a row, a card, a paragraph. */
function isListed({ node, signature }: PagePart, parts: readonly PagePart[]): boolean {
  if (isRecord(node)) return true;
  const alike = parts.filter((one) => one.node.localName === node.localName);
  const counts = new Map<string, number>();
  for (const one of alike) counts.set(one.signature, (counts.get(one.signature) ?? 0) + 1);
  return (counts.get(signature) ?? 0) > 1 || Math.max(0, ...counts.values()) > 2;
}

/** Two of these may be equal. */
function isRecord({ localName }: DomElement): boolean {
  return /^(?:li|tr|article|dt|dd|p)$/.test(localName);
}

function lastOf(parent: DomElement, localName: string): DomNode | undefined {
  return [...parent.children].findLast((one) => one.localName === localName && !isFrame(one));
}

function insertBehind(place: DomNode, nodes: readonly DomNode[]): void {
  const behind = place.nextSibling;
  for (const node of nodes) place.parentNode?.insertBefore(node, behind);
}

const urlAttributes: readonly string[] = ['href', 'src', 'poster'];

/** Links of a later page would lead elsewhere on the first. */
function makeUrlsAbsolute(root: DomElement, base: string): void {
  for (let node: DomNode | null = root; node !== null; node = nextNode(node, root)) {
    if (node.nodeType !== NodeType.element || !isElement(node)) continue;
    for (const name of urlAttributes) {
      const value = node.getAttribute(name);
      if (value === null || /^\s*(?:[a-z][a-z0-9+.-]*:|$)/i.test(value)) continue;
      if (canParseUrl(value, base)) node.setAttribute(name, new URL(value, base).href);
    }
  }
}

function baseOf(root: DomElement, url: string): string {
  const base = root.querySelector('base[href]')?.getAttribute('href') ?? '';
  return canParseUrl(base, url) ? new URL(base, url).href : url;
}
