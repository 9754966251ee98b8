/** The links beside headings and definitions that lead to them: `#`, `¶`, "Copy link". */
import { type DomElement, elementsOf } from '../../html/dom.ts';
import { pageFragment } from '../../url/links.ts';
import type { Normalizer } from './normalizer.ts';

/**
 * Removes the link. A heading without an `id` takes over that of the link, or the name that the link
 * leads to where no element has it: links to the heading stay right.
 */
export const headingAnchor: Normalizer = (link, { baseUrl, ids }) => {
  const fragment = pageFragment(link.getAttribute('href'), baseUrl);
  if (fragment === undefined) return undefined;
  const text = (link.textContent ?? '').trim();
  const heading = headingAround(link);
  const isAnchorSymbol =
    text === ''
      ? heading !== undefined && !holdsPicture(link)
      : anchorSymbols.test(text) || isLabel(link, text, heading !== undefined);
  if (!isAnchorSymbol) return undefined;
  const named = heading ?? headingBeside(link);
  if (named !== undefined && named.id === '') {
    const id = link.getAttribute('id') ?? link.getAttribute('name') ?? '';
    if (id !== '') named.id = id;
    else if (idOfHeading.test(fragment) && ids.claim(fragment)) named.id = fragment;
  }
  link.remove();
  return 'done';
};

/** Not the routes of an application, nor the text that a browser is to look for. */
const idOfHeading = /^(?![/!]|:~:)\S+$/;

/** A heading that the link stands right before or after, in a box of their own. */
function headingBeside(link: DomElement): DomElement | undefined {
  return (
    [link.previousElementSibling, link.nextElementSibling].find(
      (element) => element !== null && /^h[1-6]$/.test(element.localName),
    ) ?? undefined
  );
}

const anchorSymbols = /^[#¶§∞⚓🔗🔖\ufe0e\ufe0f\u200b]+$/u;

/** Icons have no words, or those of the link. */
function holdsPicture(link: DomElement): boolean {
  for (const element of elementsOf(link)) {
    const alt = element.localName === 'img' ? (element.getAttribute('alt') ?? '').trim() : '';
    if (alt !== '' && !anchorLabel.test(alt)) return true;
  }
  return false;
}

function isLabel(link: DomElement, text: string, inHeading: boolean): boolean {
  if (text.length > 200 || !anchorLabel.test(text)) return false;
  return anchorClass.test(link.className) || (inHeading && text.length > 'anchor'.length);
}

const anchorClass = /\b(?:anchor|header-?link|hash-?link|heading-?link|permalink)\b/i;

/** What such a link or button says to screen readers. */
export const anchorLabel: RegExp =
  /^(?:anchor|copy(?: (?:heading |section )?link| url)?(?: to (?:clipboard|this section|section|heading))?|direct link\b.*|link|link to (?:this|heading|section)\b.*|permalink\b.*)$/i;

// The heading that a link or a button belongs to.

/** The heading, term or summary that the element stands in, by tag or role. */
export function headingAround(element: DomElement): DomElement | undefined {
  let around = element.parentElement;
  for (let level = 0; level < 4 && around !== null; level++, around = around.parentElement) {
    if (/^(?:h[1-6]|dt|summary)$/.test(around.localName)) return around;
    if (around.getAttribute('role') === 'heading') return around;
  }
  return undefined;
}
