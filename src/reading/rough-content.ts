/** The text of what is probably the content of a page, found in one walk that changes nothing. */
import { type DomElement, type DomNode, isElement, isText } from '../html/dom.ts';
import { elementsOf, nextNode } from '../html/nodes.ts';
import type { Page } from '../model/page.ts';

/** Elements whose text is not the content, or not text. Links lead elsewhere. */
const leftOut: ReadonlySet<string> = new Set(
  (
    'a nav header footer aside form button select script style noscript template svg math iframe ' +
    'object textarea dialog'
  ).split(' '),
);
/** The same in the names that authors give. */
const besideNames =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|side|footer|header|masthead|breadcrumbs?|related|recommended|share|sharing|social|comments?|cookies?|consent|banner|promo|widget|newsletter|subscribe|advert|ads?|popup|modal|toolbar|pagination|copyright|byline|meta|timestamp|print-?(?:info|footer))(?:$|[\s_-])/i;
const besideRoles: ReadonlySet<string> = new Set(
  'navigation banner contentinfo complementary search dialog alert menu'.split(' '),
);

/** In document order. Less exact than the main content, and much quicker. */
export function roughContent(page: Page): string {
  if (page.kind === 'text') return page.markdown;
  const root = firstOf(page.root, isMain) ?? page.root;
  const pieces: string[] = [];
  for (let node: DomNode | null = root; node !== null;) {
    const isLeftOut = node !== root && isElement(node) && isBeside(node);
    if (isText(node)) pieces.push(node.data);
    node = nextNode(node, root, isLeftOut);
  }
  return pieces.join(' ');
}

/** The first element of its kind, where it is not far down in a long page. */
export function firstOf(
  root: DomElement,
  isWanted: (element: DomElement) => boolean,
): DomElement | undefined {
  let seen = 0;
  for (const element of elementsOf(root)) {
    if (isWanted(element)) return element;
    if (++seen > elementsSearched) return undefined;
  }
  return undefined;
}

const elementsSearched = 3000;

function isMain(element: DomElement): boolean {
  return element.localName === 'main' || element.getAttribute('role') === 'main';
}

function isBeside(element: DomElement): boolean {
  if (leftOut.has(element.localName) || element.hasAttribute('hidden')) return true;
  if (element.localName === 'body' || element.localName === 'article') return false;
  if (besideRoles.has(element.getAttribute('role') ?? '')) return true;
  const names = `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;
  return names.length > 1 && besideNames.test(names.slice(0, 500));
}
