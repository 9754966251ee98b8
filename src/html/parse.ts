/** HTML text to a DOM that always has html, head and body, within limits of depth and size. */
import { DOMParser } from 'linkedom';
import { PagewrightError } from '../errors.ts';
import { type DomDocument, type DomElement, type DomNode, isElement, isText } from './dom.ts';

/** How large and how deep a document may be. */
export interface ParseLimits {
  /** Tags, comments and other markup in the source. */
  readonly nodes: number;
  /** Elements open at the same time. */
  readonly depth: number;
}

/**
 * Parses a whole page or a fragment.
 *
 * Throws `PARSE_LIMIT` before any tree is built when the source goes beyond `limits`: the parser's
 * time grows with the square of the depth (200,000 nested divs take 40 s).
 */
export function parseHtml(source: string, limits: ParseLimits): DomDocument {
  checkLimits(source, limits);
  const parsed = parse(source);
  return hasSkeleton(parsed) ? parsed : withSkeleton(parsed);
}

const emptyPage = '<!DOCTYPE html><html><head></head><body></body></html>';

/** linkedom's own types describe more than it has; the nodes fit our interfaces. */
function parse(source: string): DomDocument {
  return new DOMParser().parseFromString(source || emptyPage, 'text/html') as unknown as DomDocument;
}

/** Elements whose end tag HTML lets authors leave out, and void ones: they do not nest by being left open. */
const neverNest = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr ' +
    'p li dt dd tr td th thead tbody tfoot option optgroup colgroup rp rt html head body'
  ).split(' '),
);

function checkLimits(source: string, limits: ParseLimits): void {
  let nodes = 0;
  let depth = 0;
  const tag = /<(\/?)([a-zA-Z][^\s/>]*)?/g;
  for (let match = tag.exec(source); match !== null; match = tag.exec(source)) {
    if (++nodes > limits.nodes) throw beyond('markup nodes', limits.nodes);
    const name = match[2];
    if (name === undefined || neverNest.has(name.toLowerCase())) continue;
    if (match[1] === '/') depth = Math.max(0, depth - 1);
    else if (++depth > limits.depth && !isBalanced(source, limits)) {
      throw beyond('levels of nested elements', limits.depth);
    }
  }
}

/**
 * The quick count above takes `<p` inside scripts and comments for tags. Before a page is refused
 * for its depth, those are cut out and the count is made again.
 */
function isBalanced(source: string, limits: ParseLimits): boolean {
  const markup = source.replace(
    /<!--[^]*?-->|<(script|style|textarea|title|svg|math)\b[^]*?<\/\1\s*>/gi,
    '',
  );
  let depth = 0;
  for (const [, close, name = ''] of markup.matchAll(/<(\/?)([a-zA-Z][^\s/>]*)[^>]*>/g)) {
    if (neverNest.has(name.toLowerCase())) continue;
    if (close === '/') depth = Math.max(0, depth - 1);
    else if (++depth > limits.depth) return false;
  }
  return true;
}

function beyond(what: string, limit: number): PagewrightError {
  return new PagewrightError(
    'PARSE_LIMIT',
    `The page has more than ${limit} ${what}. Raise limits.nodes or limits.depth to read it all the same.`,
  );
}

function hasSkeleton(document: DomDocument): boolean {
  const roots = [...document.childNodes].filter((node) => isElement(node) || isText(node));
  const [html] = roots;
  if (roots.length !== 1 || !isElement(html) || html.localName !== 'html') return false;
  const parts = [...html.childNodes].filter((node) => isElement(node) || hasInk(node));
  const [head, body] = parts;
  return (
    parts.length === 2 &&
    isElement(head) &&
    head.localName === 'head' &&
    isElement(body) &&
    body.localName === 'body' &&
    // A second <body> start tag opens a nested body in this parser.
    body.querySelector('body') === null
  );
}

const headElements = new Set(
  'base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);

/** Rebuilds the tree as the HTML standard's "before head" to "after body" insertion modes would. */
function withSkeleton(parsed: DomDocument): DomDocument {
  const page = parse(emptyPage);
  const { documentElement: html, head, body } = page;
  let inBody = false;
  // A stack of node lists instead of recursion: each list holds what is still to be placed.
  const pending: DomNode[] = [...parsed.childNodes].reverse();
  while (pending.length > 0) {
    const node = pending.pop() as DomNode;
    if (isElement(node)) {
      const name = node.localName;
      if (name === 'html' || name === 'head' || name === 'body') {
        if (name === 'html') copyAttributes(node, html);
        if (name === 'body') {
          copyAttributes(node, body);
          inBody = true;
        }
        pending.push(...[...node.childNodes].reverse());
      } else if (!inBody && headElements.has(name)) {
        head.appendChild(node);
      } else {
        inBody = true;
        body.appendChild(node);
      }
    } else if (isText(node) && (inBody || hasInk(node))) {
      inBody = true;
      body.appendChild(node);
    }
  }
  for (const nested of [...body.querySelectorAll('body')]) {
    nested.replaceWith(...nested.childNodes);
  }
  return page;
}

function copyAttributes(from: DomElement, to: DomElement): void {
  for (const { name, value } of from.attributes) {
    if (!to.hasAttribute(name)) to.setAttribute(name, value);
  }
}

function hasInk(node: DomNode): boolean {
  return isText(node) && /\S/.test(node.data);
}
