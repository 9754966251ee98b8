/** Rewrites code, formulas, notes and boxes of page builders and libraries as plain HTML. */
import { type DomElement, type DomNode, isElement, isText, nextNode } from '../../html/dom.ts';
import { rememberedTest } from '../../../core/runtime/remembered-test.ts';
import type { Transformer } from '../transformer.ts';
import { button } from './buttons.ts';
import { callout, textAside } from './callouts.ts';
import { codeBlock, codeByClass, codeOnLines, codeTable, copyControl } from './code-blocks.ts';
import { collectReference, connectFootnotes } from './footnotes.ts';
import { formulaByClass, formulaImage, math, mathjaxContainer, mathScript } from './formulas.ts';
import { headedTable, pageTitle } from './generated-headings.ts';
import { gluedSpan } from './glued-spans.ts';
import { headingAnchor } from './heading-anchors.ts';
import { preservesLineBreaks, keepLineBreaks } from './line-breaks.ts';
import {
  FailedSearches,
  idClaims,
  newElement,
  type Normalizer,
  type PageState,
  unwrap,
} from './normalizer.ts';
import { markTitle } from './page-title.ts';
import { markStruckText, mayStrike } from './struck-text.ts';
import { collectTabList, labelPanels, markUnfilled } from './tabs.ts';
import { resolveWidgetText } from './widget-text.ts';

/**
 * One walk over the page; the first rule that matches an element rewrites it. Does not depend on the
 * requested part of the page, so that every format reads the same.
 */
export const normalize: Transformer = {
  name: 'normalize',
  apply(htmlPage) {
    const { root, baseUrl } = htmlPage;
    const page: PageState = {
      root,
      baseUrl,
      failed: new FailedSearches(),
      claimId: idClaims(root),
      tabLists: [],
      references: [],
      drawn: new WeakSet(),
      showsBreaks: false,
      struck: [],
      sheets: [...htmlPage.document.head.querySelectorAll('style')],
      lines: [],
    };
    for (let node = root.firstChild; node !== null;) {
      node = isElement(node) ? afterRules(node, page) : nextNode(node, root);
    }
    markUnfilled(page);
    labelPanels(page);
    connectFootnotes(page);
    keepLineBreaks(page);
    markStruckText(page);
    resolveWidgetText(root);
    markTitle(htmlPage, page.lines);
  },
};

/** Returns the node at which the walk continues. */
function afterRules(element: DomElement, page: PageState): DomNode | null {
  const name = element.localName;
  if (unreadElements.has(name)) {
    if (name === 'style') page.sheets.push(element);
    return nextNode(element, page.root, true);
  }
  if (isDrawn(element, page)) return nextNode(element, page.root);
  const byName = rulesByName.get(name);
  const classes = element.getAttribute('class');
  const isNamed = classes !== null && isMeaningful(classes);
  const isRole = element.hasAttribute('role');
  const style = element.getAttribute('style');
  page.showsBreaks ||= preservesLineBreaks(isNamed ? classes : null, style);
  if (mayStrike(element, classes, style)) page.struck.push(element);
  if (lineNames.has(name)) page.lines.push(element);
  if (byName === undefined && !isNamed && !isRole) return nextNode(element, page.root);
  const after = nextNode(element, page.root, true);
  for (const rule of byName ?? noRules) {
    const result = rule(element, page);
    if (result !== undefined) return result === 'done' ? after : nextNode(result, page.root);
  }
  if (!isNamed && !isRole) return nextNode(element, page.root);
  for (const rule of rulesByClass) {
    const result = rule(element, page);
    if (result !== undefined) return result === 'done' ? after : nextNode(result, page.root);
  }
  return nextNode(element, page.root);
}

/** True for SVG elements: the rules are for HTML, which SVG only contains in `foreignObject`. */
function isDrawn(element: DomElement, { drawn }: PageState): boolean {
  const name = element.localName;
  const isPart = element.parentNode !== null && drawn.has(element.parentNode);
  if (name !== 'svg' && (!isPart || name.toLowerCase() === 'foreignobject')) return false;
  drawn.add(element);
  return true;
}

const noRules: readonly Normalizer[] = [];

/** Elements that name what follows. */
const lineNames: ReadonlySet<string> = new Set('dt h1 h2 h3 h4 h5 h6 summary'.split(' '));

// `dl`: removes the boxes around its groups.

/** Terms and definitions become children of the list. */
const definitionList: Normalizer = (list) => {
  for (let child = list.firstElementChild; child !== null;) {
    const next = child.nextElementSibling;
    if (child.localName === 'div' && holdsOnlyTerms(child)) unwrap(child);
    child = next;
  }
  return list;
};

// `sup`: unwraps the parts of a price.

/** In `$1,299.95`, sign and cents may be superscript without being exponents. */
const raisedAmount: Normalizer = (raised) => {
  const text = (raised.textContent ?? '').trim();
  const isSign = /^[$€£¥₹]$/.test(text) && /^\s*\d/.test(raised.nextSibling?.textContent ?? '');
  const areCents =
    /^[.,]\d\d$/.test(text) && /\d\s*$/.test(raised.previousSibling?.textContent ?? '');
  if (!isSign && !areCents) return undefined;
  unwrap(raised);
  return 'done';
};

// Players that a script would insert: custom elements for videos and frames.

/** A frame or a video with the address that the script would have loaded, and with its title. */
const embed: Normalizer = (element) => {
  const source = sourceOfEmbed(element);
  if (source === undefined) return undefined;
  const frame = newElement(element, element.localName === 'amp-video' ? 'video' : 'iframe');
  frame.setAttribute('src', source);
  for (const name of ['title', 'playlabel', 'videotitle', 'aria-label']) {
    const title = element.getAttribute(name) ?? '';
    if (title === '') continue;
    frame.setAttribute('title', title);
    break;
  }
  for (const name of ['class', 'id']) {
    const value = element.getAttribute(name);
    if (value !== null) frame.setAttribute(name, value);
  }
  element.replaceWith(frame);
  return 'done';
};

const rulesByName: ReadonlyMap<string, readonly Normalizer[]> = new Map(
  Object.entries({
    a: [headingAnchor, collectReference, gluedSpan],
    'amp-iframe': [embed],
    'amp-video': [embed],
    'amp-youtube': [embed],
    aside: [textAside, callout],
    b: [gluedSpan],
    button: [button],
    code: [codeOnLines],
    dl: [definitionList],
    img: [formulaImage],
    label: [gluedSpan],
    listing: [codeBlock],
    'lite-vimeo': [embed],
    'lite-youtube': [embed],
    math: [math],
    'mjx-container': [mathjaxContainer],
    pre: [codeBlock],
    script: [mathScript],
    small: [gluedSpan],
    span: [gluedSpan],
    strong: [gluedSpan],
    sup: [raisedAmount],
    table: [codeTable, headedTable],
    time: [gluedSpan],
    xmp: [codeBlock],
  }),
);

/** For elements identified by class or role, whatever their tag. */
const rulesByClass: readonly Normalizer[] = [
  formulaByClass,
  codeByClass,
  copyControl,
  callout,
  collectTabList,
  pageTitle,
];

/** Classes outside this pattern match none of the rules by class. */
const isMeaningful = rememberedTest(
  /(?:^|\s)(?:title|caption|fragment)(?:\s|$)|math|katex|latex|formula|equation|highlight|code|editor|view-lines|cm-content|ace_|copy|clipboard|toolbar|admonition|alert|callout|custom-|hint|notecard|aside|note|tip|warning|caution|important|tab|pre-(?:wrap|line)|break-spaces|space-pre/i,
);

/** Elements whose content is not page content, or has no rules. */
const unreadElements: ReadonlySet<string> = new Set([
  'noscript',
  'select',
  'style',
  'template',
  'textarea',
]);

function holdsOnlyTerms(group: DomElement): boolean {
  let terms = 0;
  for (let child = group.firstChild; child !== null; child = child.nextSibling) {
    if (isText(child) && /\S/.test(child.data)) return false;
    if (!isElement(child)) continue;
    if (child.localName !== 'dt' && child.localName !== 'dd') return false;
    terms++;
  }
  return terms > 0;
}

function sourceOfEmbed(element: DomElement): string | undefined {
  const id = element.getAttribute('videoid') ?? element.getAttribute('data-videoid') ?? '';
  if (/^[\w-]{1,40}$/.test(id)) {
    return element.localName === 'lite-vimeo'
      ? `https://player.vimeo.com/video/${id}`
      : `https://www.youtube.com/embed/${id}`;
  }
  const source = element.getAttribute('src') ?? '';
  return source === '' ? undefined : source;
}
