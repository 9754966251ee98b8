/**
 * Parses XML to a plain tree, for all XML-based files: tolerant and bounded, without expanding entities or
 * fetching.
 */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { readXmlAttributes, type XmlEvents, XmlScanner } from './xml-scanner.ts';

const limits = {
  levels: 200, // nested elements; more than any feed or document has
  attributes: 256, // of one element
  prefixes: 64, // known namespaces' prefixes at one position; documents have a dozen
};

/** Options for parsing XML. */
export interface XmlReading {
  /** Elements, attributes and texts of the whole tree; more are `PARSE_LIMIT`. */
  readonly nodes: number;
  /** The prefixes by which the caller knows namespaces, or `` for none; others stay as the document has them. */
  readonly prefixes?: ReadonlyMap<string, string>;
  /** The text of entities beside the five of XML. Others are left as they are written. */
  readonly entity?: (name: string) => string | undefined;
  /** Names of elements in lower case and without the prefix of the root. @default false */
  readonly isFolded?: boolean;
  /**
   * True to stop at elements that are nested too deep. Otherwise these become siblings, so that callers
   * may recurse. @default false
   */
  readonly endsWhereDeep?: boolean;
}

/** The parsed tree. */
export interface XmlText {
  /** The first element; undefined where there is none. */
  readonly root: XmlElement | undefined;
  /** Why the root is incomplete, as a sentence. */
  readonly warning: string | undefined;
}

/**
 * Reads as far as possible: missing end tags, stray end tags and bare ampersands are not errors, and the
 * first of duplicate attributes counts. Declares and fetches nothing: the DTD is skipped. Throws
 * `PARSE_LIMIT`.
 */
export function readXml(source: string, reading: XmlReading): XmlText {
  const builder = new XmlBuilder(reading);
  const scanner = new XmlScanner(builder);
  try {
    scanner.write(source);
    scanner.end();
    builder.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    const warning = 'The XML nests its elements too deep; the rest was not read.';
    return { root: builder.root, warning };
  }
  const isWhole = builder.root === undefined || builder.isWhole;
  return {
    root: builder.root,
    warning: isWhole ? undefined : 'The XML ends before its root element does.',
  };
}

/** Ends the scanner from within an event. */
class TooDeep extends Error {}

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

interface OpenName {
  readonly name: string;
  /** The outer prefixes, if the element declares its own. */
  readonly around: XmlNames | undefined;
}

class XmlBuilder implements XmlEvents {
  root: XmlElement | undefined;
  isWhole = false;
  readonly #reading: XmlReading;
  /** Open elements from the root on; in deep documents the last ones are beyond `mostLevels`. */
  readonly #open: OpenElement[] = [];
  /** Names as written of all open elements. */
  readonly #names: OpenName[] = [];
  #scope: XmlNames;
  /** The number of open levels beyond the nested elements. */
  #tooDeep = 0;
  #nodes = 0;
  #text = '';
  #rootPrefix = '';

  constructor(reading: XmlReading) {
    this.#reading = reading;
    this.#scope = new XmlNames(reading.prefixes ?? new Map(), new Map());
  }

  open(name: string, attributes: string, isEmpty: boolean): void {
    this.#flush();
    // Content after the root is not part of the document.
    if (this.isWhole) return;
    this.#count();
    const before = this.#scope;
    const read = this.#readAttributes(attributes);
    const known = this.#folded(this.#scope.known(name));
    this.#add({ name: known, attributes: read, children: [] });
    this.#names.push({ name, around: before === this.#scope ? undefined : before });
    if (isEmpty) this.#closeElement();
  }

  close(name: string): void {
    // An end tag that matches nothing nearby is ignored: searching all open elements would be slow.
    const { length } = this.#names;
    const lowest = Math.max(0, length - 20);
    let at = length - 1;
    while (at >= lowest && this.#names[at]?.name !== name) at -= 1;
    if (at < lowest) return;
    while (this.#names.length > at) this.#closeElement();
  }

  text(text: string): void {
    if (this.#open.length > 0) this.#text += text;
  }

  /** Keeps the text before a missing end. */
  end(): void {
    this.#flush();
  }

  entity(name: string): string | undefined {
    return this.#reading.entity?.(name);
  }

  #add(element: OpenElement): void {
    const parent = this.#open.at(-1);
    parent?.children.push(element);
    this.root ??= element;
    if (this.#open.length < limits.levels) this.#open.push(element);
    else if (this.#reading.endsWhereDeep === true) throw new TooDeep();
    else this.#tooDeep += 1;
  }

  #closeElement(): void {
    this.#flush();
    this.#scope = this.#names.pop()?.around ?? this.#scope;
    if (this.#tooDeep > 0) this.#tooDeep -= 1;
    else this.#open.pop();
    this.isWhole = this.#open.length === 0;
  }

  #flush(): void {
    if (this.#text === '') return;
    this.#count();
    this.#open.at(-1)?.children.push(this.#text);
    this.#text = '';
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes <= this.#reading.nodes) return;
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The file has more than ${this.#reading.nodes} elements, attributes and texts in one part. Raise limits.nodes to read it.`,
    );
  }

  /** Also adds prefix declarations among them to the scope. */
  #readAttributes(written: string): XmlElement['attributes'] {
    if (written.length < 3) return noAttributes;
    const given: string[] = [];
    readXmlAttributes(written, (name, value) => {
      this.#count();
      if (given.length < limits.attributes * 2) given.push(name, value);
    });
    if (given.length === 0) return noAttributes;
    if (written.includes('xmlns')) this.#scope = this.#scope.declaring(given);
    const attributes = Object.create(bareName) as Record<string, string>;
    for (let at = 0; at < given.length; at += 2) {
      const name = given[at] ?? '';
      attributes[name.includes(':') ? this.#scope.known(name) : name] ??= given[at + 1] ?? '';
    }
    return attributes;
  }

  #folded(name: string): string {
    if (this.#reading.isFolded !== true) return name;
    const lower = name.toLowerCase();
    if (this.root === undefined) this.#rootPrefix = lower.slice(0, lower.indexOf(':') + 1);
    const isOfRoot = this.#rootPrefix !== '' && lower.startsWith(this.#rootPrefix);
    return isOfRoot ? lower.slice(this.#rootPrefix.length) : lower;
  }
}

/** Has nothing to inherit. Objects without any prototype are slow and large dictionaries. */
const bareName: object = Object.freeze(Object.create(null) as object);

const noAttributes: XmlElement['attributes'] = Object.freeze(
  Object.create(bareName) as Record<string, string>,
);

// Names of XML with the prefixes that a reader knows for their namespaces.

/** The namespace prefixes in scope at one position of a document. */
class XmlNames {
  readonly #known: ReadonlyMap<string, string>;
  /** From a prefix as written to the prefix that the reader knows. */
  readonly #prefixes: ReadonlyMap<string, string>;
  /** Names as written, each looked up once. */
  readonly #names = new Map<string, string>();

  constructor(known: ReadonlyMap<string, string>, prefixes: ReadonlyMap<string, string>) {
    this.#known = known;
    this.#prefixes = prefixes;
  }

  /** The prefixes in scope in an element with these attributes: alternating names and values. */
  declaring(attributes: readonly string[]): XmlNames {
    if (this.#known.size === 0) return this;
    let prefixes: Map<string, string> | undefined;
    for (let at = 0; at < attributes.length; at += 2) {
      const name = attributes[at] ?? '';
      const isDeclaration = name === 'xmlns' || name.startsWith('xmlns:');
      if (!isDeclaration) continue;
      const prefix = name.slice('xmlns:'.length);
      const own = this.#known.get(attributes[at + 1] ?? '');
      if ((prefixes ?? this.#prefixes).get(prefix) === own) continue;
      prefixes ??= new Map(this.#prefixes);
      if (own === undefined) prefixes.delete(prefix);
      else if (prefixes.size < limits.prefixes) prefixes.set(prefix, own);
    }
    return prefixes === undefined ? this : new XmlNames(this.#known, prefixes);
  }

  /** The name with the prefix that the reader knows, or as it is written. */
  known(name: string): string {
    if (this.#prefixes.size === 0) return name;
    const found = this.#names.get(name);
    if (found !== undefined) return found;
    const colon = name.indexOf(':');
    const prefix = this.#prefixes.get(colon < 0 ? '' : name.slice(0, colon));
    const local = name.slice(colon + 1);
    const known = prefix === undefined ? name : prefix === '' ? local : `${prefix}:${local}`;
    // A document has a few hundred names; a cache beyond that would only serve made-up ones.
    if (this.#names.size < 2_000) this.#names.set(name, known);
    return known;
  }
}

// The plain tree of an XML text, and access to its elements and texts.

/** An element with its content. */
export interface XmlElement {
  /** With a prefix that stands for its namespace: `w:p`. */
  readonly name: string;
  /** By names with prefixes. `constructor` and the like are names as all others. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlNode[];
}

/** An element or a text. */
export type XmlNode = XmlElement | string;

/** True for elements, of this name where one is given. */
export function isXmlElement(node: XmlNode | undefined, name?: string): node is XmlElement {
  return (
    node !== undefined && typeof node !== 'string' && (name === undefined || node.name === name)
  );
}

/** The elements in an element, of these names where any is given. */
export function xmlChildren(
  element: XmlElement | undefined,
  ...names: readonly string[]
): XmlElement[] {
  const found: XmlElement[] = [];
  for (const node of element?.children ?? []) {
    if (typeof node === 'string') continue;
    if (names.length === 0 || names.includes(node.name)) found.push(node);
  }
  return found;
}

/** The first element at the end of a path of names. */
export function xmlChild(
  element: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined {
  let found = element;
  for (const name of path) {
    found = found?.children.find((node): node is XmlElement => isXmlElement(node, name));
  }
  return found;
}

/** Every element inside, in document order. */
export function* xmlElements(root: XmlElement | undefined, name?: string): Generator<XmlElement> {
  const waiting: XmlNode[] = root === undefined ? [] : [...root.children].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') continue;
    if (name === undefined || node.name === name) yield node;
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at];
      if (child !== undefined) waiting.push(child);
    }
  }
}

/** All text inside. */
export function xmlText(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  const [first = '', second] = element.children;
  if (second === undefined && typeof first === 'string') return first;
  const parts: string[] = [];
  const waiting: XmlNode[] = [element];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === 'string') parts.push(node);
    else
      for (let at = node.children.length - 1; at >= 0; at -= 1)
        waiting.push(node.children[at] ?? '');
  }
  return parts.join('');
}

/** All text inside, without white space around it. */
export function trimmedXmlText(element: XmlElement | undefined): string {
  return xmlText(element).trim();
}
