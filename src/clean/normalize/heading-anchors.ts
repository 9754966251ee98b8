/** The signs beside headings and definitions that link to them: `#`, `¶`, "Copy link". */
import type { DomElement } from '../../html/dom.ts';
import { elementsOf } from '../../html/nodes.ts';
import { pageFragment } from '../../url/page-fragment.ts';
import { headingAround } from './heading-around.ts';
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
  const isSign =
    text === ''
      ? heading !== undefined && !holdsPicture(link)
      : signs.test(text) || isLabel(link, text, heading !== undefined);
  if (!isSign) return undefined;
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

const signs = /^[#¶§∞⚓🔗🔖\ufe0e\ufe0f\u200b]+$/u;

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
