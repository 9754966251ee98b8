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
import { loadModule } from '../load-module.ts';
import type { HtmlPage, Page } from '../model/page.ts';
import type { Limits } from '../model/request.ts';
import type { Redactor } from '../text/redactor.ts';

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
  redactTree(page.document.documentElement, redactor);
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

/** False for a page that was made of a feed, subtitles or a drawing, whose own text is its source. */
function isTree({ source, mediaType }: HtmlPage): boolean {
  return /html/.test(mediaType) || source.startsWith('<!DOCTYPE html><html');
}

function sourceOf({ document, source }: HtmlPage, redactor: Redactor): string {
  if (source === '') return '';
  const doctype = /<!doctype[^>]{0,500}>/i.exec(source.slice(0, 3000))?.[0] ?? '';
  return `${redactor.text(doctype)}${document.documentElement.outerHTML}`;
}

/** Elements within a line of text. Text of one line may be one value, however it is marked up. */
const inline: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rp rt ' +
    'ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

function redactTree(root: DomElement, redactor: Redactor): void {
  const comments: DomNode[] = [];
  const named: DomElement[] = [];
  let line: DomText[] = [];
  const endLine = (): void => {
    if (line.length > 0) redactLine(line, redactor);
    line = [];
  };
  const leave = (element: DomElement): void => {
    if (!inline.has(element.localName)) endLine();
  };
  for (let node: DomNode | null = root; node !== null;) {
    if (isText(node)) line.push(node);
    else if (node.nodeType === NodeType.comment) comments.push(node);
    else if (isElement(node)) {
      leave(node);
      if (isPersonal(node.localName, redactor)) named.push(node);
      redactAttributes(node, redactor);
    }
    node = node.firstChild ?? nodeAfter(node, root, leave);
  }
  endLine();
  for (const comment of comments) comment.parentNode?.removeChild(comment);
  for (const element of named) {
    while (element.firstChild !== null) element.before(element.firstChild);
    element.remove();
  }
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
    const redacted = isUrl ? redactor.url(value) : redactor.text(value);
    if (redacted !== value) element.setAttribute(name, redacted);
  }
}

/** A piece of a text node without characters that do not show, and its place in the line. */
interface LinePiece {
  readonly node: DomText;
  /** The position in the node. */
  readonly from: number;
  /** The position in the line. */
  readonly start: number;
  readonly end: number;
}

/** Replaces what the line shows, then what stands in one of its nodes: `<b>Tel</b><i>030 1234567</i>`. */
function redactLine(nodes: readonly DomText[], redactor: Redactor): void {
  const [first] = nodes;
  if (first === undefined) return;
  if (nodes.length === 1 && !invisible.test(first.data)) return redactText(first, redactor);
  const pieces: LinePiece[] = [];
  let text = '';
  for (const node of nodes) {
    for (const { index, 0: shown } of node.data.matchAll(visible)) {
      const start = text.length;
      text += shown;
      pieces.push({ node, from: index, start, end: text.length });
    }
  }
  const edits = new Map<DomText, string[]>();
  let at = 0;
  for (const { type, start, end } of redactor.find(text)) {
    let isFirst = true;
    for (; at < pieces.length; at += 1) {
      const piece = pieces[at] as LinePiece;
      if (piece.end <= start) continue;
      if (piece.start >= end) break;
      const { node } = piece;
      const units = edits.get(node) ?? node.data.split('');
      edits.set(node, units);
      const to = Math.min(end, piece.end);
      for (let one = Math.max(start, piece.start); one < to; one += 1) {
        units[piece.from + one - piece.start] = isFirst ? `[${type}]` : '';
        isFirst = false;
      }
      // The rest of the piece may be part of the next value.
      if (piece.end > end) break;
    }
  }
  for (const [node, units] of edits) node.data = units.join('');
  for (const node of nodes) redactText(node, redactor);
}

function redactText(node: DomText, redactor: Redactor): void {
  const { data } = node;
  const parent = node.parentElement;
  const isJson =
    parent?.localName === 'script' && parent.getAttribute('type')?.includes('json') === true;
  const redacted = redactor.text(data, { isJson });
  if (redacted !== data) node.data = redacted;
}

/** Soft hyphens, joiners and marks of direction. */
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/;

const visible = /[^\u00ad\u200b-\u200f\u2060\ufeff]+/g;
