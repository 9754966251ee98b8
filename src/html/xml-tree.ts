/** XML to a plain tree, for the files that are made of it: office documents, books. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { PagewrightError } from '../errors.ts';

/** An element with its content. */
export interface XmlElement {
  /** With a prefix that stands for its namespace: `w:p`. */
  readonly name: string;
  /** By names with prefixes. Has no prototype. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlNode[];
}

/** An element or a text. */
export type XmlNode = XmlElement | string;

/** How a tree is read. */
export interface XmlReading {
  /** Elements and texts of the whole tree; more are `PARSE_LIMIT`. */
  readonly nodes: number;
  /** The prefixes by which the caller knows namespaces; others stay as the document has them. */
  readonly prefixes?: ReadonlyMap<string, string>;
  /** The text of entities beside the five of XML. Others are left as they are written. */
  readonly entity?: (name: string) => string | undefined;
}

/** Levels of elements; what is nested deeper stands side by side, so that callers may recurse. */
const mostLevels = 200;

/**
 * The root element. Tolerant: missing ends, and ends without a start, are no errors. Nothing is
 * declared or fetched by a document: its DTD is passed over.
 */
export function parseXml(source: string, reading: XmlReading): XmlElement {
  const builder = new XmlBuilder(source, reading);
  const tokenizer = new Tokenizer({ xmlMode: true }, builder);
  tokenizer.write(source);
  tokenizer.end();
  return builder.root.children.find((node) => typeof node !== 'string') ?? builder.root;
}

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

class XmlBuilder implements TokenizerCallbacks {
  readonly root: OpenElement = { name: '', attributes: noAttributes(), children: [] };
  readonly #source: string;
  readonly #reading: XmlReading;
  /** From the root to the element that is open; its end is beyond `mostLevels` in deep documents. */
  readonly #open: OpenElement[] = [this.root];
  /** Names as written of all open elements. */
  readonly #names: string[] = [];
  /** The prefixes of the document and what they stand for, declared anywhere before. */
  readonly #prefixes = new Map<string, string>();
  /** How many more levels are open than elements are nested. */
  #tooDeep = 0;
  #nodes = 0;
  #text = '';
  #name = '';
  #attributes: Record<string, string> = noAttributes();
  #attribute = '';
  #value = '';

  constructor(source: string, reading: XmlReading) {
    this.#source = source;
    this.#reading = reading;
  }

  ontext(start: number, end: number): void {
    const text = this.#source.slice(start, end);
    const { entity } = this.#reading;
    this.#text +=
      entity !== undefined && text.includes('&')
        ? text.replace(/&(\w{2,31});/g, (whole, name: string) => entity(name) ?? whole)
        : text;
  }

  ontextentity(codePoint: number): void {
    this.#text += String.fromCodePoint(codePoint);
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#text += this.#source.slice(start, end - offset);
  }

  onopentagname(start: number, end: number): void {
    this.#flush();
    this.#name = this.#source.slice(start, end);
    this.#attributes = noAttributes();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#source.slice(start, end);
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    this.#count();
    this.#attributes[this.#attribute] ??= this.#value;
    this.#value = '';
  }

  onopentagend(): void {
    const { prefixes } = this.#reading;
    const element: OpenElement = {
      name: this.#name,
      attributes: this.#attributes,
      children: [],
    };
    const known = prefixes === undefined ? element : this.#withKnownPrefixes(element, prefixes);
    this.#count();
    this.#open.at(-1)?.children.push(known);
    this.#names.push(this.#name);
    if (this.#open.length <= mostLevels) this.#open.push(known);
    else this.#tooDeep += 1;
  }

  onselfclosingtag(): void {
    this.onopentagend();
    this.#end();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#source.slice(start, end);
    this.#flush();
    // An end that fits nothing nearby is ignored: a search through all of the open ones would be slow.
    const { length } = this.#names;
    const lowest = Math.max(0, length - 20);
    let at = length - 1;
    while (at >= lowest && this.#names[at] !== name) at -= 1;
    if (at < lowest) return;
    while (this.#names.length > at) this.#end();
  }

  oncomment(): void {
    // Not content.
  }

  ondeclaration(): void {
    // Entities of a DTD are never expanded.
  }

  onprocessinginstruction(): void {
    // Not content.
  }

  onend(): void {
    this.#flush();
  }

  #end(): void {
    this.#flush();
    this.#names.pop();
    if (this.#tooDeep > 0) this.#tooDeep -= 1;
    else if (this.#open.length > 1) this.#open.pop();
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

  #withKnownPrefixes(element: OpenElement, known: ReadonlyMap<string, string>): OpenElement {
    for (const [name, value = ''] of Object.entries(element.attributes)) {
      const [, prefix] = /^xmlns(?::(.+))?$/.exec(name) ?? [];
      if (!name.startsWith('xmlns')) continue;
      const own = known.get(value);
      if (own !== undefined) this.#prefixes.set(prefix ?? '', own);
    }
    const attributes = noAttributes();
    for (const [name, value = ''] of Object.entries(element.attributes)) {
      attributes[name.includes(':') ? this.#known(name) : name] = value;
    }
    return { ...element, name: this.#known(element.name), attributes };
  }

  #known(name: string): string {
    const colon = name.indexOf(':');
    const prefix = this.#prefixes.get(colon < 0 ? '' : name.slice(0, colon));
    return prefix === undefined ? name : `${prefix}:${name.slice(colon + 1)}`;
  }
}

function noAttributes(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

/** True for elements, of this name where one is given. */
export function isXmlElement(node: XmlNode | undefined, name?: string): node is XmlElement {
  return (
    node !== undefined && typeof node !== 'string' && (name === undefined || node.name === name)
  );
}

/** The elements in an element, of one name where one is given. */
export function xmlChildren(element: XmlElement | undefined, name?: string): XmlElement[] {
  return (element?.children ?? []).filter((node) => isXmlElement(node, name));
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
