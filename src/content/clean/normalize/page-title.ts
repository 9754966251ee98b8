/** Turns the page title into a heading where it is a plain line. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import type { HtmlPage } from '../../../core/model/page.ts';
import { oneLine } from '../../text/plain-text.ts';
import { moveChildren, newElement, replaceElement } from './normalizer.ts';

const limits = {
  startLength: 3, // characters compared before a text is read
  longestTitle: 200,
  shortestTitle: 8,
};

/** Turns the line with the title from the page's head into an `h1`, if no heading has that text. */
export function markTitle({ root, document }: HtmlPage, lines: readonly DomElement[]): void {
  if (lines.some((line) => line.localName === 'h1' && !isSiteName(line))) return;
  const titles = titlesOf(document.head);
  if (titles.size === 0) return;
  const starts = new Set([...titles].map((title) => title.slice(0, limits.startLength)));
  let found: DomElement | undefined;
  for (let node: DomNode | null = root; node !== null;) {
    let skip = false;
    if (isElement(node)) {
      if (/^h[1-6]$/.test(node.localName) || node.getAttribute('role') === 'heading') {
        const isTitle = node.localName === 'h1' || titles.has(wordsOf(node, limits.longestTitle));
        if (isTitle && !isSiteName(node)) return;
        skip = true;
      }
      skip ||= unread.has(node.localName) || navigation.test(node.getAttribute('class') ?? '');
    } else if (isText(node) && beginsWith(starts, node.data)) {
      const box = boxOf(node, titles);
      if (box !== undefined && (found === undefined || (!isNamed(found) && isNamed(box))))
        found = box;
    }
    node = nextNode(node, root, skip);
  }
  if (found === undefined) return;
  if (/^(?:div|p|center)$/.test(found.localName)) replaceElement(found, 'h1');
  else {
    const heading = newElement(found, 'h1');
    moveChildren(found, heading);
    found.append(heading);
  }
}

function beginsWith(starts: ReadonlySet<string>, text: string): boolean {
  const at = text.search(/\S/);
  return at >= 0 && starts.has(text.slice(at, at + limits.startLength).toLowerCase());
}

const unread: ReadonlySet<string> = new Set(
  'button figcaption footer label nav ol script select style svg template textarea ul'.split(' '),
);

const navigation = /(?:^|[\s_-])(?:bread-?)?(?:crumbs?|nav|menu)(?:$|[\s_-])/i;

/** The title, its first part, and the title for networks, in lower case. */
function titlesOf(head: DomElement): Set<string> {
  const title = oneLine(head.querySelector('title')?.textContent ?? '');
  const shared = oneLine(
    head.querySelector('meta[property="og:title"]')?.getAttribute('content') ?? '',
  );
  const titles = [title, shared, title.split(/\s+[|–—•·»-]\s+|\s*\|\s*/, 1)[0] ?? ''];
  return new Set(
    titles
      .map((one) => one.toLowerCase())
      .filter((one) => one.length >= limits.shortestTitle && one.length <= limits.longestTitle),
  );
}

/** The text in lower case; longer texts are cut. */
function wordsOf(element: DomElement, most: number): string {
  let text = '';
  let left = 100;
  for (let node = element.firstChild; node !== null && text.length <= 2 * most && --left > 0;) {
    if (isText(node)) text += node.data.slice(0, 2 * most);
    else if (isElement(node) && node.localName === 'br') text += ' ';
    node = nextNode(node, element);
  }
  return oneLine(text).toLowerCase();
}

/** A heading that links to the home page, or is in the site's header. */
function isSiteName(heading: DomElement): boolean {
  return heading.closest('header') !== null && heading.querySelector('a, img') !== null;
}

/** The box with only the title; undefined for text that does not begin with it. */
function boxOf(
  text: DomNode & { data: string },
  titles: ReadonlySet<string>,
): DomElement | undefined {
  const start = oneLine(text.data).toLowerCase();
  if (![...titles].some((title) => title.startsWith(start))) return undefined;
  let box = text.parentElement;
  for (let level = 0; box !== null && level < 5 && inline.has(box.localName); level++) {
    if (box.localName === 'a') return undefined;
    box = box.parentElement;
  }
  if (box === null || inline.has(box.localName) || !boxes.has(box.localName)) return undefined;
  return titles.has(wordsOf(box, limits.longestTitle)) ? box : undefined;
}

const inline: ReadonlySet<string> = new Set('a b em font i small span strong'.split(' '));
const boxes: ReadonlySet<string> = new Set('center div header p section td'.split(' '));

/** True for an element, its parent or its child named as a title. */
function isNamed(box: DomElement): boolean {
  return [box, box.parentElement, box.firstElementChild].some(
    (element) =>
      element !== null &&
      (/title|headline|heading|(?:^|[\s_-])name/i.test(element.getAttribute('class') ?? '') ||
        /^(?:name|headline)$/.test(element.getAttribute('itemprop') ?? '')),
  );
}
