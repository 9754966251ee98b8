/** Finds side content, the parts of a page about other subjects: related offers, comments, earlier editions. */
import type { DomElement } from '../../content/html/dom.ts';
import { labelText } from '../facts/element-text.ts';

/** True for an element in side content, or at its start. */
export type IsSide = (element: DomElement) => boolean;

const maxHeadings = 500;
const maxSiblings = 200;

/** Collects the headings and names of such parts once. */
export function sideContent(root: DomElement): IsSide {
  const sides = new Set<DomElement>();
  const named = root.querySelectorAll(
    'aside, nav, footer, [role="navigation"], [role="complementary"], [role="contentinfo"]',
  );
  for (const element of named) sides.add(element);
  for (const element of root.querySelectorAll('section, div, ul, ol, article')) {
    if (names.test(`${element.id} ${element.className}`.slice(0, 300))) sides.add(element);
  }
  let seen = 0;
  for (const heading of root.querySelectorAll('h2, h3, h4, h5, h6')) {
    if ((seen += 1) > maxHeadings) break;
    if (!phrases.test(labelText(heading))) continue;
    for (const element of sectionOf(heading)) sides.add(element);
  }
  const known = new WeakMap<DomElement, boolean>();
  const isSide: IsSide = (element) => {
    const path: DomElement[] = [];
    let found = false;
    let around: DomElement | null = element;
    for (; around !== null; around = around.parentElement) {
      const before = known.get(around);
      if (before !== undefined || sides.has(around) || around === root) {
        found = before ?? (sides.has(around) && around !== root);
        break;
      }
      path.push(around);
    }
    for (const one of path) known.set(one, found);
    return found;
  };
  return isSide;
}

/** Class names and ids of such parts; matched as whole words. */
const names =
  /(?:^|[\s_-])(?:related|similar|recommend(?:ed|ations?)?|also-(?:like|bought|viewed)|you-may-also-like|cross-?sells?|up-?sells?|comments?|sidebar|breadcrumbs?|newsletter|promo|advert(?:isement)?s?|recently-viewed|cookie)(?:[\s_-]|$)/i;

/** Phrases that begin or occur in their headings. */
const phrases = new RegExp(
  [
    '^(?:related|similar|recommended|more (?!about|details|information|on this)|other |earlier|previous|past|nearby|sold nearby|comments?|recently|people also|discussion|references|bibliography|news|latest)',
    'may also|might also|also (?:bought|like|viewed)|you.ll love|near(?:by| you)|in the area',
    '^(?:ähnliche|weitere|mehr |andere|frühere|kommentare|kundenkommentare|literatur|zuletzt angesehen|unsere empfehlungen|empfehlungen|auch interessant|neues$|aktuelles)',
    'auch gefallen|auch interessier|kauften auch|ihnen gefallen|dir gefallen',
    '^(?:autres|d.autres|similaires|commentaires|bibliographie|références|prochains?|prochaines?|précédent|éditions précédentes|à lire aussi|actualités)|similaires$',
    'aimerez aussi|pourriez aimer|aussi acheté|recommand',
    '^(?:otros|otras|más |relacionad|comentarios|bibliografía|referencias|ediciones anteriores|próxim|noticias)|relacionad[oa]s$|similares$',
    'también te|te puede|también compraron|recomendad',
    '^(?:altri|altre|correlati|commenti|andere|gerelateerd|reacties|outros|outras)|simili$|correlat[ie]$',
  ].join('|'),
  'iu',
);

/** The content below a heading: its parent if the heading opens it, else the siblings up to the next heading. */
function sectionOf(heading: DomElement): DomElement[] {
  const parent = heading.parentElement;
  const opens =
    parent?.firstElementChild === heading && /^(section|div|article)$/.test(parent.localName);
  // A parent that contains the page's own title is the page.
  if (parent !== null && opens && parent.querySelector('h1') === null) return [parent];
  const section = [heading];
  let next = heading.nextElementSibling;
  for (let steps = 0; next !== null && steps < maxSiblings; steps += 1) {
    if (/^h[1-6]$/.test(next.localName) && next.localName <= heading.localName) break;
    section.push(next);
    next = next.nextElementSibling;
  }
  return section;
}
