/** Removes personal data from a parsed page: texts, attributes, comments, and the source returned by rawHtml. */
import {
  type DomElement,
  type DomNode,
  type DomText,
  isElement,
  isText,
  nodeAfter,
  NodeType,
} from '../html/dom.ts';
import { blockElements } from '../html/tags.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { HtmlPage, Page } from '../../core/model/page.ts';
import type { Limits } from '../../core/model/request-options.ts';
import type { Redactor, TextRules } from '../text/redactor.ts';
import { isMarkedHidden } from './hidden-elements.ts';
import type { Transformer } from './transformer.ts';

/**
 * The page without the data that `redactor` finds. An HTML page is changed in place; its source is rewritten
 * from its tree, so that nothing remains in it that parsers read differently.
 */
export function redactPage(page: Page, redactor: Redactor): Page {
  if (page.kind === 'text') {
    const rules = { isJson: page.mediaType.includes('json') };
    const source = redactor.text(page.source, rules);
    return { ...page, source, markdown: redactor.text(page.markdown, rules) };
  }
  redactTree(page.document.documentElement, redactor, page.unseen?.hidden);
  const source = isTree(page) ? sourceOf(page, redactor) : redactor.text(page.source);
  const { file } = page;
  if (file?.verbatim === undefined) return { ...page, source };
  const texts = [...file.verbatim].map(
    ([element, text]) => [element, redactor.text(text)] as const,
  );
  return { ...page, source, file: { ...file, verbatim: new Map(texts) } };
}

/** The HTML of a document without the data that `redactor` finds. */
export async function redactHtml(
  html: string,
  limits: Pick<Limits, 'nodes' | 'depth'>,
  redactor: Redactor,
): Promise<string> {
  const { parseHtml } = await loadModule(() => import('../html/parse.ts'));
  const { documentElement } = parseHtml(html, limits);
  redactTree(documentElement, redactor);
  return documentElement.outerHTML;
}

/** Redacts the cleaned page again: elements between the parts of a value are gone now. */
export const redactRest: Transformer = {
  name: 'redactRest',
  apply({ root }, { redactor }) {
    if (redactor !== undefined) redactTree(root, redactor);
  },
};

/** False for a page built from a feed, subtitles or a drawing, whose own text is its source. */
function isTree({ source, mediaType }: HtmlPage): boolean {
  return /html/.test(mediaType) || source.startsWith('<!DOCTYPE html><html');
}

function sourceOf({ document, source }: HtmlPage, redactor: Redactor): string {
  if (source === '') return '';
  const doctype = /<!doctype[^>]{0,500}>/i.exec(source.slice(0, 3000))?.[0] ?? '';
  return `${redactor.text(doctype)}${document.documentElement.outerHTML}`;
}

/** Elements besides blocks that end a line of text; SVG and MathML elements are laid out like cells. */
const otherBreaks: ReadonlySet<string> = new Set(
  'br caption col colgroup foreignObject frame head mtable mtd mtr text'.split(' '),
);

/** Elements whose content is not page text. */
const codeElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/** Elements whose content is not, or may not be, part of the surrounding line. */
const asideElements: ReadonlySet<string> = new Set(
  (
    'annotation annotation-xml audio button canvas datalist desc iframe metadata meter noembed noframes object ' +
    'progress rp rt select svg textarea title video'
  ).split(' '),
);

/** Text between two breaks, in the page or in one element that is outside of its surrounding line. */
interface LineFrame {
  readonly element: DomElement;
  /** Visible texts. */
  readonly seen: DomText[];
  /** Including elements that may be hidden. */
  readonly all: DomText[];
  /** No longer one line. */
  isBroken: boolean;
}

/** Replaces personal data in texts, attributes and names below `root`, and removes comments. */
export function redactTree(
  root: DomElement,
  redactor: Redactor,
  unseen?: ReadonlySet<DomElement>,
): void {
  const comments: DomNode[] = [];
  const named: DomElement[] = [];
  // Text of one line may be one value, whatever its markup.
  /** The previous line, if it is as short as a label. */
  let lineLabel = '';
  /** From the page to the innermost element outside of its line. */
  const frames = [frameOf(root)];
  for (let node: DomNode | null = root; node !== null;) {
    if (isText(node)) add(node);
    else if (node.nodeType === NodeType.comment) comments.push(node);
    else if (isElement(node)) {
      enter(node);
      if (isPersonal(node.localName, redactor)) named.push(node);
      redactAttributes(node, redactor);
    }
    node = node.firstChild ?? nodeAfter(node, root, (element) => leave(element));
  }
  end();
  for (const comment of comments) comment.parentNode?.removeChild(comment);
  for (const element of named) {
    while (element.firstChild !== null) element.before(element.firstChild);
    element.remove();
  }

  function add(text: DomText): void {
    const frame = top();
    frame.seen.push(text);
    frame.all.push(text);
  }

  function enter(element: DomElement): void {
    if (isAside(element) || unseen?.has(element) === true) {
      frames.push(frameOf(element));
    } else if (breaksLine(element)) breakLine();
  }

  function leave(element: DomElement): void {
    const frame = top();
    if (frame.element !== element || frames.length === 1) {
      if (breaksLine(element)) breakLine();
      return;
    }
    const texts = [...frame.all];
    const isPart = !frame.isBroken && !breaksLine(element) && !codeElements.has(element.localName);
    end();
    frames.pop();
    if (isPart && texts.length <= mostAsideTexts) top().all.push(...texts);
  }

  function breakLine(): void {
    top().isBroken = true;
    end();
  }

  /** Replaces values in the visible line, then values within one node: `<b>Tel</b><i>030 1234567</i>`. */
  function end(): void {
    const { element, seen, all } = top();
    const [first] = seen;
    if (codeElements.has(element.localName)) {
      const isJson = element.localName === 'script' ? true : undefined;
      for (const text of seen) replace([text], { isJson });
    } else if (first !== undefined) {
      const label = first.parentElement?.getAttribute('itemprop') ?? lineLabel;
      lineLabel = labelIn(seen) ?? lineLabel;
      replace(seen, { label, collapses: true });
      if (all.length > seen.length) replace(all, { label, collapses: true });
      if (all.length > 1) for (const text of all) replace([text], { collapses: true });
    }
    seen.length = 0;
    all.length = 0;
  }

  function replace(texts: readonly DomText[], rules: TextRules): void {
    const redacted = redactor.texts(
      texts.map(({ data }) => data),
      rules,
    );
    for (const [at, text] of texts.entries()) {
      const data = redacted[at] ?? '';
      if (data !== text.data) text.data = data;
    }
  }

  function top(): LineFrame {
    return frames.at(-1) as LineFrame;
  }
}

const mostAsideTexts = 50; // texts of one hidden element that are also read as part of the line
const longestLabel = 40;

function frameOf(element: DomElement): LineFrame {
  return { element, seen: [], all: [], isBroken: false };
}

/** Undefined for white space. */
function labelIn(texts: readonly DomText[]): string | undefined {
  let label = '';
  for (const { data } of texts) {
    if (label.length + data.length > 10 * longestLabel) return '';
    label += data;
  }
  label = label.trim();
  return label === '' ? undefined : label.length > longestLabel ? '' : label;
}

function breaksLine({ localName }: DomElement): boolean {
  return blockElements.has(localName) || otherBreaks.has(localName);
}

function isAside(element: DomElement): boolean {
  const { localName } = element;
  return codeElements.has(localName) || asideElements.has(localName) || isHiddenAside(element);
}

function isHiddenAside(element: DomElement): boolean {
  return (
    element.attributes.length > 0 &&
    (element.getAttribute('aria-hidden') === 'true' || isMarkedHidden(element))
  );
}

/** True for a name used like an address, as in "Jane <jane@example.org>" without escapes. */
function isPersonal(name: string, redactor: Redactor): boolean {
  return !/^[a-z][a-z\d:-]{0,30}$/i.test(name) && redactor.text(name) !== name;
}

/** Attributes for drawing or style, which name a person only in an address. */
const drawn: ReadonlySet<string> = new Set(
  'class d points style transform viewbox width height x y x1 x2 y1 y2 cx cy r'.split(' '),
);

const urls: ReadonlySet<string> = new Set(
  (
    'action background cite data formaction href imagesrcset longdesc manifest ping poster src srcset ' +
    'usemap xlink:href'
  ).split(' '),
);

function redactAttributes(element: DomElement, redactor: Redactor): void {
  for (const { name, value } of [...element.attributes]) {
    if (isPersonal(name, redactor)) element.removeAttribute(name);
    if (value === '' || (drawn.has(name) && !/@|%40|url\(/i.test(value))) continue;
    const isUrl = urls.has(name) || /^\s*(?:[a-z][a-z\d+.-]{1,20}:)?\/\/\S*$/i.test(value);
    const redacted = isUrl
      ? redactor.url(value)
      : redactor.text(value, { label: labelOf(element, name) });
    if (redacted !== value) element.setAttribute(name, redacted);
  }
}

/** The kind of value of an attribute: `data-phone`, or the name of the field that has the value. */
function labelOf(element: DomElement, name: string): string {
  if (name !== 'value' && name !== 'content') return name;
  for (const one of ['itemprop', 'property', 'name', 'type']) {
    const label = element.getAttribute(one);
    if (label !== null) return label;
  }
  return '';
}
