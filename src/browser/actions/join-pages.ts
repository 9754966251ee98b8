/** Joins the HTML of consecutive pages; parts that they share are written once. */
import {
  type DomElement,
  type DomNode,
  isElement,
  nextNode,
  NodeType,
} from '../../content/html/dom.ts';
import { parseHtml } from '../../content/html/parse.ts';
import { serializeNode } from '../../content/html/serialize.ts';
import type { PaginatedPage } from '../../core/model/snapshot.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';

const limits = { nodes: 1_000_000, depth: 512 };

/**
 * The first page, with the differing parts of later pages after similar ones: rows after rows, paragraphs
 * after paragraphs. Headers, footers, navigation and equal parts are not repeated.
 */
export function joinPages(pages: readonly PaginatedPage[]): string {
  const [first, ...rest] = pages;
  if (first === undefined) return '';
  if (rest.length === 0) return first.html;
  const whole = parseHtml(first.html, limits);
  /** The previous page, whose parts show what is repeated. */
  const plain = parseHtml(first.html, limits);
  const trees = new TreeIds();
  trees.add(plain.body);
  for (const { url, html } of rest) {
    const page = parseHtml(html, limits);
    trees.add(page.body);
    if (url !== first.url) makeUrlsAbsolute(page.body, baseOf(page.documentElement, url));
    mergeChildren(whole.body, plain.body, page.body, trees);
  }
  return `<!DOCTYPE html>${serializeNode(whole.documentElement)}`;
}

/** Equal numbers for equal trees. Comparing HTML at each level would take depth times size. */
class TreeIds {
  readonly #ids = new Map<string, number>();
  readonly #nodes = new WeakMap<DomNode, number>();

  add(root: DomNode): void {
    const nodes: DomNode[] = [];
    for (let node: DomNode | null = root; node !== null; node = nextNode(node, root)) {
      nodes.push(node);
    }
    // Children come before their parents.
    for (const node of nodes.reverse()) {
      const facts: (string | number | undefined)[] = [node.nodeName];
      if (isElement(node)) for (const { name, value } of node.attributes) facts.push(name, value);
      else facts.push(node.textContent ?? '');
      for (let one = node.firstChild; one !== null; one = one.nextSibling) facts.push(this.of(one));
      const text = JSON.stringify(facts);
      const id = this.#ids.get(text) ?? this.#ids.size;
      this.#ids.set(text, id);
      this.#nodes.set(node, id);
    }
  }

  of(node: DomNode): number | undefined {
    return this.#nodes.get(node);
  }
}

/** Adds to `whole` the parts of `source` that `first`, in its original state, does not have. */
function mergeChildren(
  whole: DomElement,
  first: DomElement,
  source: DomElement,
  trees: TreeIds,
): void {
  const known = partsOf(first);
  const parts = partsOf(source);
  const before = new Set(known.map(({ node }) => trees.of(node)));
  const isOld = ({ node }: PagePart): boolean => before.has(trees.of(node));
  const isAllOld = parts.every(isOld);
  const isListed = [parts, known].map(listedIn);
  const twins = new Map(known.map(({ signature, node }) => [signature, node]));
  // The last of its kind: additions of the previous page come first.
  const targets = new Map(partsOf(whole).map(({ signature, node }) => [signature, node]));
  const added: DomNode[] = [];
  const rowNames = new Set<string>();
  for (const part of parts) {
    const { node, signature } = part;
    if (isListed.some((test) => test(part))) {
      // The last name is the last in the set.
      rowNames.delete(node.localName);
      rowNames.add(node.localName);
      if (isRecord(node) ? !isAllOld : !isOld(part)) added.push(node);
      continue;
    }
    if (isOld(part)) continue;
    const twin = twins.get(signature);
    const target = targets.get(signature);
    if (twin === undefined || target === undefined) {
      added.push(node);
    } else if (node.firstElementChild === null && twin.firstElementChild === null) {
      if ((node.textContent ?? '').trim() !== '') insertBehind(target, [node]);
    } else {
      mergeChildren(target, twin, node, trees);
    }
  }
  const lasts = new Map(partsOf(whole).map(({ node }) => [node.localName, node]));
  const last = [...rowNames].reverse().find((name) => lasts.has(name));
  const behind = last === undefined ? undefined : lasts.get(last);
  if (behind === undefined) for (const node of added) whole.appendChild(node);
  else insertBehind(behind, added);
}

interface PagePart {
  readonly node: DomElement;
  readonly signature: string;
}

/** The children that can be content. */
function partsOf(parent: DomElement): PagePart[] {
  return [...parent.children]
    .filter((node) => !isFrame(node))
    .map((node) => ({ node, signature: `${node.localName}.${node.className}` }));
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

/** The test for one of several of its kind: a row, a card, a paragraph. */
function listedIn(parts: readonly PagePart[]): (part: PagePart) => boolean {
  const counts = new Map<string, number>();
  /** The most frequent signature by name. */
  const most = new Map<string, number>();
  for (const { node, signature } of parts) {
    const count = (counts.get(signature) ?? 0) + 1;
    counts.set(signature, count);
    most.set(node.localName, Math.max(count, most.get(node.localName) ?? 0));
  }
  return ({ node, signature }) =>
    isRecord(node) || (counts.get(signature) ?? 0) > 1 || (most.get(node.localName) ?? 0) > 2;
}

/** Two of these may be equal. */
function isRecord({ localName }: DomElement): boolean {
  return /^(?:li|tr|article|dt|dd|p)$/.test(localName);
}

function insertBehind(before: DomNode, nodes: readonly DomNode[]): void {
  const behind = before.nextSibling;
  for (const node of nodes) before.parentNode?.insertBefore(node, behind);
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
