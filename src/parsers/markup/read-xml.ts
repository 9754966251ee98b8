/** XML as a small tree, for feeds and drawings: tolerant, bounded, nothing expanded or fetched. */
import { SaxesParser } from 'saxes';
import { PagewrightError } from '../../errors.ts';

/** An element. Names are lower-case, without the prefix of the root. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

/** What was read. */
export interface XmlTree {
  readonly root: XmlElement | undefined;
  /** Set when the text ended, or was left, before the root did. */
  readonly warning: string | undefined;
}

/** No feed nests as deep; an end tag without a start costs the parser time with the depth. */
const depthLimit = 256;
const attributeLimit = 256;
const errorLimit = 100_000;
const pieceLength = 65_536;

/** Ends the parser from within a callback. */
class Stop extends Error {}

/**
 * Reads as far as it can: a syntax error does not end it. Entities of a document type stay as they are
 * written. Throws `PARSE_LIMIT` for more than `nodeLimit` elements and texts.
 */
export function readXml(source: string, nodeLimit: number, url: string): XmlTree {
  const parser = new SaxesParser();
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let prefix = '';
  let isOver = false as boolean;
  let warning: string | undefined;
  let [nodes, errors, attributes] = [0, 0, 0];
  const stop = (reason: string): never => {
    warning = `The XML ${reason}; the rest was not read.`;
    throw new Stop();
  };
  const count = (): void => {
    if (++nodes > nodeLimit) throw tooManyNodes(url, nodeLimit);
  };
  const addText = (text: string): void => {
    const parent = open.at(-1);
    if (parent === undefined || text === '') return;
    count();
    parent.children.push(text);
  };
  parser.on('opentagstart', () => (attributes = 0));
  parser.on('attribute', () => {
    if (++attributes > attributeLimit) stop('has an element with too many attributes');
  });
  parser.on('opentag', ({ name, attributes: given }) => {
    if (isOver) return;
    count();
    if (open.length >= depthLimit) stop('nests its elements too deep');
    if (root === undefined) prefix = name.slice(0, name.indexOf(':') + 1).toLowerCase();
    const lower = name.toLowerCase();
    const isPrefixed = prefix !== '' && lower.startsWith(prefix);
    const element: XmlElement = {
      name: isPrefixed ? lower.slice(prefix.length) : lower,
      attributes: given,
      children: [],
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    open.pop();
    isOver ||= open.length === 0;
  });
  parser.on('error', () => {
    if (++errors > errorLimit) stop('has too many syntax errors');
  });
  try {
    const text = withEscapedAmpersands(source);
    for (let at = 0; at < text.length && !isOver; at += pieceLength) {
      parser.write(text.slice(at, at + pieceLength));
    }
    if (!isOver) warning = 'The XML ends before its root element does.';
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { root, warning };
}

/** The child elements of a name. */
export function childrenNamed(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => typeof child !== 'string' && names.includes(child.name),
  );
}

/** The text of an element and of all that is in it, without white space around it. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  const parts: string[] = [];
  const waiting: (XmlElement | string)[] = [element];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') parts.push(next);
    else waiting.push(...next.children.toReversed());
  }
  return parts.join('').trim();
}

/** After a bare `&`, the most common error, the parser would take all up to the next semicolon for a name. */
function withEscapedAmpersands(source: string): string {
  const parts: string[] = [];
  for (let at = 0; at < source.length;) {
    const open = source.indexOf('<![CDATA[', at);
    const text = source.slice(at, open < 0 ? source.length : open);
    parts.push(text.replace(/&(?!#\d{1,8};|#x[\da-f]{1,8};|[a-z][\w.-]{0,40};)/gi, '&amp;'));
    if (open < 0) break;
    const close = source.indexOf(']]>', open);
    const end = close < 0 ? source.length : close + 3;
    parts.push(source.slice(open, end));
    at = end;
  }
  return parts.join('');
}

function tooManyNodes(url: string, limit: number): PagewrightError {
  return new PagewrightError(
    'PARSE_LIMIT',
    `${url} has more than ${limit} elements and texts. Raise limits.nodes to read it.`,
    { url },
  );
}
