/** The text of the probable content of a page, whole or in blocks, found in one walk without changes to the tree. */
import {
  type DomElement,
  type DomNode,
  findElement,
  isElement,
  isMain,
  isText,
  nextNode,
  nodesBelow,
} from '../../content/html/dom.ts';
import type { Page } from '../model/page.ts';
import type { TextBlock } from '../../content/text/query-evidence.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { rememberedTest } from '../runtime/remembered-test.ts';

/** Elements whose text is not content, such as links. */
const skippedElements: ReadonlySet<string> = new Set(
  (
    'a nav header footer aside form button select script style noscript template svg math iframe ' +
    'object textarea dialog'
  ).split(' '),
);

/** Class names and ids of elements that are not content. */
const isSideName = rememberedTest(
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|side|footer|header|masthead|breadcrumbs?|related|recommended|share|sharing|social|comments?|cookies?|consent|banner|promo|widget|newsletter|subscribe|advert|ads?|popup|modal|toolbar|pagination|copyright|byline|meta|timestamp|print-?(?:info|footer))(?:$|[\s_-])/i,
);

const sideRoles: ReadonlySet<string> = new Set(
  'navigation banner contentinfo complementary search dialog alert menu'.split(' '),
);

/** The text in document order. Less exact than the main content, and much faster. */
export function roughContent(page: Page): string {
  if (page.kind === 'text') return page.markdown;
  const root = firstOf(page.root, isMain) ?? page.root;
  const pieces: string[] = [];
  for (const node of nodesBelow(root, isSideContent)) if (isText(node)) pieces.push(node.data);
  return pieces.join(' ');
}

// The same content in blocks, with the text of links inside sentences.

/**
 * Headings and blocks of text in document order. Blocks that consist mostly of links are left out, so that a list of
 * links has no text; so are headings that lead to another page.
 */
export function* contentBlocks(page: Page): Generator<TextBlock, void, undefined> {
  if (page.kind === 'text') {
    for (const part of page.markdown.split(/\n\s*\n/)) {
      const level = /^#{1,6}(?= )/.exec(part)?.[0].length;
      const text = oneLine(part.slice(level ?? 0));
      if (text !== '') yield { text, level };
    }
    return;
  }
  const root = firstOf(page.root, isMain) ?? page.root;
  let pieces: string[] = [];
  let linked = 0;
  let length = 0;
  let level: number | undefined;
  let block: DomNode = root;
  for (let node: DomNode | null = root; node !== null;) {
    const isLeftOut =
      node !== root &&
      isElement(node) &&
      !inlineElements.has(node.localName) &&
      isSideContent(node);
    const next = nextNode(node, root, isLeftOut);
    if (isText(node)) {
      pieces.push(node.data);
      const size = node.data.trim().length;
      length += size;
      if (size > 0 && isLinked(node, block)) linked += size;
    } else if (isElement(node) && gaps.has(node.localName)) pieces.push(' ');
    const border = blockOf(next, root);
    if (border !== block) {
      const text = oneLine(pieces.join(''));
      if (text !== '' && linked <= length / 2) yield { text, level };
      pieces = [];
      linked = length = 0;
      block = border;
      level = isElement(border) ? headingLevels[border.localName] : undefined;
    }
    node = next;
  }
}

/** Elements whose text belongs to the block around them. */
const inlineElements: ReadonlySet<string> = new Set(
  (
    'a abbr b bdi bdo br button cite code data del dfn em font i ins kbd label mark q s samp small span strong sub sup ' +
    'td th time u var wbr'
  ).split(' '),
);

/** Inline elements between words. */
const gaps: ReadonlySet<string> = new Set(['br', 'button', 'td', 'th']);

/** Terms and summaries are headings of the text below. */
const headingLevels: Readonly<Record<string, number>> = {
  h1: 1,
  h2: 2,
  h3: 3,
  h4: 4,
  h5: 5,
  h6: 6,
  summary: 7,
  caption: 7,
  dt: 7,
};

const mostAround = 30; // inline elements around a text that are examined

/** The nearest element around a node that is not inline. */
function blockOf(node: DomNode | null, root: DomElement): DomNode {
  let around = node;
  for (let seen = 0; around !== null && around !== root && seen < mostAround; seen += 1) {
    if (isElement(around) && !inlineElements.has(around.localName)) return around;
    around = around.parentNode;
  }
  return root;
}

/** True for text of a link or button; a link within the page is none. */
function isLinked(node: DomNode, block: DomNode): boolean {
  let around = node.parentNode;
  for (let seen = 0; around !== null && around !== block && seen < mostAround; seen += 1) {
    if (!isElement(around)) return false;
    if (around.localName === 'button') return true;
    if (around.localName === 'a') return around.getAttribute('href')?.startsWith('#') === false;
    around = around.parentNode;
  }
  return false;
}

/** The first element of its kind, unless it is deep in a long page. */
export function firstOf(
  root: DomElement,
  isWanted: (element: DomElement) => boolean,
): DomElement | undefined {
  return findElement(root, isWanted, elementsSearched + 1);
}

const elementsSearched = 3000;

function isSideContent(element: DomElement): boolean {
  if (skippedElements.has(element.localName) || element.hasAttribute('hidden')) return true;
  if (element.localName === 'body' || element.localName === 'article') return false;
  if (sideRoles.has(element.getAttribute('role') ?? '')) return true;
  const names = `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;
  return names.length > 1 && isSideName(names.slice(0, 500));
}
