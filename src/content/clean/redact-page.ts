/** Takes personal data out of a parsed page: texts, attributes, comments, and the source that rawHtml shows. */
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
import type { Limits } from '../../core/model/request.ts';
import type { Redactor, TextRules } from '../text/redactor.ts';
import { isMarkedHidden } from './hidden-elements.ts';
import type { Transformer } from './transformer.ts';

/**
 * The page without the data that `redactor` finds. An HTML page is changed in place; its source is written anew
 * from its tree, so that nothing is left in it that parsers read differently.
 */
export function redactPage(page: Page, redactor: Redactor): Page {
  if (page.kind === 'text') {
    const place = { isJson: page.mediaType.includes('json') };
    const source = redactor.text(page.source, place);
    return { ...page, source, markdown: redactor.text(page.markdown, place) };
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

/** Redacts the cleaned page again: what stood between the parts of a value is removed now. */
export const redactRest: Transformer = {
  name: 'redactRest',
  apply({ root }, { redactor }) {
    if (redactor !== undefined) redactTree(root, redactor);
  },
};

/** False for a page that was made of a feed, subtitles or a drawing, whose own text is its source. */
function isTree({ source, mediaType }: HtmlPage): boolean {
  return /html/.test(mediaType) || source.startsWith('<!DOCTYPE html><html');
}

function sourceOf({ document, source }: HtmlPage, redactor: Redactor): string {
  if (source === '') return '';
  const doctype = /<!doctype[^>]{0,500}>/i.exec(source.slice(0, 3000))?.[0] ?? '';
  return `${redactor.text(doctype)}${document.documentElement.outerHTML}`;
}

/** Elements beside blocks that end a line of text; those of SVG and MathML are laid out like cells. */
const otherBreaks: ReadonlySet<string> = new Set(
  'br caption col colgroup foreignObject frame head mtable mtd mtr text'.split(' '),
);

/** Elements whose content is no text of the page. */
const codeElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/** Elements whose content is not part of the line around them, or may not be. */
const asideElements: ReadonlySet<string> = new Set(
  (
    'annotation annotation-xml audio button canvas datalist desc iframe metadata meter noembed noframes object ' +
    'progress rp rt select svg textarea title video'
  ).split(' '),
);

/** Text between two breaks, in the page or in one element that is beside the line around it. */
interface LineFrame {
  readonly element: DomElement;
  /** What readers see. */
  readonly seen: DomText[];
  /** With the text of elements that may be hidden. */
  readonly all: DomText[];
  /** It is no longer one line. */
  isBroken: boolean;
}

/** Replaces what is found in texts, attributes and names below `root`, and removes comments. */
export function redactTree(
  root: DomElement,
  redactor: Redactor,
  unseen?: ReadonlySet<DomElement>,
): void {
  const comments: DomNode[] = [];
  const named: DomElement[] = [];
  const lines = new LineReader(root, redactor, unseen);
  for (let node: DomNode | null = root; node !== null;) {
    if (isText(node)) lines.add(node);
    else if (node.nodeType === NodeType.comment) comments.push(node);
    else if (isElement(node)) {
      lines.enter(node);
      if (isPersonal(node.localName, redactor)) named.push(node);
      redactAttributes(node, redactor);
    }
    node = node.firstChild ?? nodeAfter(node, root, (element) => lines.leave(element));
  }
  lines.end();
  for (const comment of comments) comment.parentNode?.removeChild(comment);
  for (const element of named) {
    while (element.firstChild !== null) element.before(element.firstChild);
    element.remove();
  }
}

/** Text of one line may be one value, however it is marked up. */
class LineReader {
  readonly #redactor: Redactor;
  /** Elements that a browser did not show. */
  readonly #unseen: ReadonlySet<DomElement> | undefined;
  /** From the page to the innermost element that is beside its line. */
  readonly #frames: LineFrame[];
  /** What the line before says, if it is as short as a label. */
  #label = '';

  constructor(root: DomElement, redactor: Redactor, unseen: ReadonlySet<DomElement> | undefined) {
    this.#redactor = redactor;
    this.#unseen = unseen;
    this.#frames = [frameOf(root)];
  }

  add(text: DomText): void {
    const frame = this.#top();
    frame.seen.push(text);
    frame.all.push(text);
  }

  enter(element: DomElement): void {
    if (isAside(element) || this.#unseen?.has(element) === true) {
      this.#frames.push(frameOf(element));
    } else if (breaksLine(element)) this.#breakLine();
  }

  leave(element: DomElement): void {
    const frame = this.#top();
    if (frame.element !== element || this.#frames.length === 1) {
      if (breaksLine(element)) this.#breakLine();
      return;
    }
    const texts = [...frame.all];
    const isPart = !frame.isBroken && !breaksLine(element) && !codeElements.has(element.localName);
    this.end();
    this.#frames.pop();
    if (isPart && texts.length <= mostAsideTexts) this.#top().all.push(...texts);
  }

  #breakLine(): void {
    this.#top().isBroken = true;
    this.end();
  }

  /** Replaces what the line shows, then what stands in one of its nodes: `<b>Tel</b><i>030 1234567</i>`. */
  end(): void {
    const { element, seen, all } = this.#top();
    const [first] = seen;
    if (codeElements.has(element.localName)) {
      const isJson = element.localName === 'script' ? true : undefined;
      for (const text of seen) this.#replace([text], { isJson });
    } else if (first !== undefined) {
      const label = first.parentElement?.getAttribute('itemprop') ?? this.#label;
      this.#label = labelIn(seen) ?? this.#label;
      this.#replace(seen, { label, collapses: true });
      if (all.length > seen.length) this.#replace(all, { label, collapses: true });
      if (all.length > 1) for (const text of all) this.#replace([text], { collapses: true });
    }
    seen.length = 0;
    all.length = 0;
  }

  #replace(texts: readonly DomText[], rules: TextRules): void {
    const redacted = this.#redactor.texts(
      texts.map(({ data }) => data),
      rules,
    );
    for (const [at, text] of texts.entries()) {
      const data = redacted[at] ?? '';
      if (data !== text.data) text.data = data;
    }
  }

  #top(): LineFrame {
    return this.#frames.at(-1) as LineFrame;
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

/** True for a name that stands where an address does, as in "Jane <jane@example.org>" without escapes. */
function isPersonal(name: string, redactor: Redactor): boolean {
  return !/^[a-z][a-z\d:-]{0,30}$/i.test(name) && redactor.text(name) !== name;
}

/** Attributes that draw or style, and name no one but in an address. */
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

/** What an attribute holds: `data-phone`, or the name of the field whose value it is. */
function labelOf(element: DomElement, name: string): string {
  if (name !== 'value' && name !== 'content') return name;
  for (const one of ['itemprop', 'property', 'name', 'type']) {
    const label = element.getAttribute(one);
    if (label !== null) return label;
  }
  return '';
}
