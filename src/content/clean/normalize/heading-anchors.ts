/** Permalinks of headings and definitions: `#`, `¶`, "Copy link". */
import { type DomElement, closestWhere, findElement } from '../../html/dom.ts';
import { pageFragment } from '../../../core/url/links.ts';
import type { Normalizer } from './normalizer.ts';

/**
 * Removes the link. A heading without an `id` gets the link's `id`, or else the link's target if no element
 * has that id: links to the heading keep working.
 */
export const headingAnchor: Normalizer = (link, { baseUrl, claimId }) => {
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
    else if (idOfHeading.test(fragment) && claimId(fragment)) named.id = fragment;
  }
  link.remove();
  return 'done';
};

/** Excludes routes of an application, and text fragments. */
const idOfHeading = /^(?![/!]|:~:)\S+$/;

/** The heading right before or after the link, in the same box. */
function headingBeside(link: DomElement): DomElement | undefined {
  return (
    [link.previousElementSibling, link.nextElementSibling].find(
      (element) => element !== null && /^h[1-6]$/.test(element.localName),
    ) ?? undefined
  );
}

const anchorSymbols = /^[#¶§◆∞⚓🔗🔖\ufe0e\ufe0f\u200b]+$/u;

/** True for a picture with its own text; icons have no alt, or the link's text. */
function holdsPicture(link: DomElement): boolean {
  const isPicture = (element: DomElement): boolean => {
    const alt = element.localName === 'img' ? (element.getAttribute('alt') ?? '').trim() : '';
    return alt !== '' && !anchorLabel.test(alt);
  };
  return findElement(link, isPicture) !== undefined;
}

function isLabel(link: DomElement, text: string, inHeading: boolean): boolean {
  if (text.length > 200 || !anchorLabel.test(text)) return false;
  return anchorClass.test(link.className) || (inHeading && text.length > 'anchor'.length);
}

const anchorClass = /\b(?:anchor|header-?link|hash-?link|heading-?link|permalink)\b/i;

/** Labels of such a link or button for screen readers. */
export const anchorLabel: RegExp =
  /^(?:anchor|copy(?: (?:heading |section )?link| url)?(?: to (?:clipboard|this section|section|heading))?|direct link\b.*|link|link to (?:this|heading|section)\b.*|permalink\b.*)$/i;

// The heading that contains a link or a button.

/** The heading, term or summary around the element, by tag or role. */
export function headingAround(element: DomElement): DomElement | undefined {
  const isHeading = (around: DomElement): boolean =>
    /^(?:h[1-6]|dt|summary)$/.test(around.localName) || around.getAttribute('role') === 'heading';
  return closestWhere(element.parentElement, isHeading, 4);
}
