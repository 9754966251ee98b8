/** A page as its readers see it: a copy, from which what is hidden was taken. */
import type { UnseenText } from '../clean/unseen/remove-unseen.ts';
import { type DomElement, isElement } from '../html/dom.ts';
import { elementsOf } from '../html/nodes.ts';
import type { HtmlPage, UnseenNodes } from '../model/page.ts';

/** The copy, its html element, and the text that was taken, to be searched. */
export interface SeenCopy {
  readonly copy: HtmlPage;
  readonly html: DomElement;
  readonly hidden: UnseenText;
}

/** With its head, which has styles; what changes here is told nobody. */
export async function seenCopy(page: HtmlPage): Promise<SeenCopy> {
  // With all that reads CSS: most pages are not read by models.
  const { removeUnseen } = await import('../clean/unseen/remove-unseen.ts');
  const html = page.document.documentElement.cloneNode(true) as DomElement;
  let root: DomElement | undefined;
  for (let node = html.firstChild; node !== null; node = node.nextSibling) {
    if (isElement(node) && node.localName === page.root.localName) root = node;
  }
  root ??= page.root.cloneNode(true) as DomElement;
  const quirksMode = !/^\s*(?:<!--[^]{0,2000}?-->\s*|<\?[^>]{0,200}>\s*)?<!doctype html/i.test(
    page.source.slice(0, 3000),
  );
  const unseen = page.unseen && copied(page.unseen, page.document.documentElement, html);
  const hidden = removeUnseen(html, root, { quirksMode, unseen });
  return { copy: { ...page, root, warnings: [] }, html, hidden };
}

/** The same elements of the copy. */
function copied(
  { hidden, faded, illegible }: UnseenNodes,
  original: DomElement,
  copy: DomElement,
): UnseenNodes {
  const copies = new Map<DomElement, DomElement>();
  const others = elementsOf(copy);
  for (const element of elementsOf(original)) {
    const other = others.next();
    if (other.done === true) break;
    copies.set(element, other.value);
  }
  const of = (elements: ReadonlySet<DomElement>): ReadonlySet<DomElement> =>
    new Set([...elements].flatMap((element) => copies.get(element) ?? []));
  return { hidden: of(hidden), faded: of(faded), illegible: of(illegible) };
}
