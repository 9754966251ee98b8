/** Writes a page as simplified HTML for a model that writes selectors: visible content, and names. */
import { type DomElement, isElement, isText } from '../../content/html/dom.ts';
import { findModelInstructions } from '../../content/text/prompt-injection.ts';
import { oneLine, withoutInvisible } from '../../content/text/plain-text.ts';
import type { MarkupOutline } from './recipe-page.ts';

const limits = {
  depth: 100,
  slack: 2, // factor of the limit at which building an outline stops
  shortestOrder: 12, // characters; a shorter value is too short for prompt injection
  remembered: 5000, // values whose check is cached, so that each is searched once
};

/** From the whole page to a small part of it: the first outline that fits is used. */
const measures: readonly Measure[] = [
  { rows: 60, text: 400 },
  { rows: 20, text: 250 },
  { rows: 8, text: 150 },
  { rows: 4, text: 80 },
];

interface Measure {
  /** Sibling elements with the same names that are written. */
  readonly rows: number;
  /** Characters of one text that are written. */
  readonly text: number;
}

/** The outline, with the text left out as prompt injection. */
export interface WrittenOutline extends MarkupOutline {
  readonly dropped: readonly string[];
}

/**
 * The outline of `root`, from which hidden content is already removed. Text is escaped: it cannot form a tag.
 * Only attributes that name or address something are written, and no sentences.
 */
export function pageOutline(
  root: DomElement,
  showing: ReadonlySet<DomElement>,
  characters: number,
): WrittenOutline {
  const names = new KnownNames();
  let last: Writer | undefined;
  for (const measure of measures) {
    last = new Writer(showing, names, measure, characters * limits.slack);
    last.write(root, 0);
    if (last.length <= characters) {
      return { html: last.html, isShortened: last.isShortened, dropped: names.dropped };
    }
  }
  const html = last?.html ?? '';
  const cut = `${html.slice(0, characters)}\n<!-- the rest is left out -->`;
  return { html: cut, isShortened: true, dropped: names.dropped };
}

class Writer {
  length = 0;
  isShortened = false;
  readonly #lines: string[] = [];
  readonly #showing: ReadonlySet<DomElement>;
  readonly #names: KnownNames;
  readonly #measure: Measure;
  readonly #most: number;

  constructor(showing: ReadonlySet<DomElement>, names: KnownNames, measure: Measure, most: number) {
    this.#showing = showing;
    this.#names = names;
    this.#measure = measure;
    this.#most = most;
  }

  get html(): string {
    return this.#lines.join('\n');
  }

  write(element: DomElement, depth: number): void {
    if (this.length > this.#most) return;
    const indent = ' '.repeat(Math.min(depth, 40));
    const open = startTag(element, this.#names);
    const close = `</${tagName(element)}>`;
    const line = this.#plainContent(element);
    if (line !== undefined) {
      this.#add(`${indent}${open}${line}${isVoid(element) ? '' : close}`);
      return;
    }
    this.#add(`${indent}${open}`);
    this.#writeChildren(element, depth + 1);
    this.#add(`${indent}${close}`);
  }

  /** The text of an element without child elements; of one nested too deep, all its text. */
  #plainContent(element: DomElement): string | undefined {
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (isElement(node) && this.#showing.has(node)) return undefined;
    }
    return this.#text(element.textContent ?? '');
  }

  #writeChildren(element: DomElement, depth: number): void {
    const indent = ' '.repeat(Math.min(depth, 40));
    let run = '';
    let count = 0;
    let left = 0;
    const report = (): void => {
      if (left > 0) this.#add(`${indent}<!-- ${left} more like the one before -->`);
      left = 0;
    };
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (isText(node)) {
        const text = this.#text(node.data);
        if (text === '') continue;
        report();
        run = '';
        this.#add(`${indent}${text}`);
      } else if (isElement(node) && this.#showing.has(node)) {
        const names = `${node.localName} ${node.getAttribute('class') ?? ''}`;
        if (names !== run) report();
        count = names === run ? count + 1 : 1;
        run = names;
        if (count > this.#measure.rows) {
          left += 1;
          this.isShortened = true;
        } else if (depth > limits.depth)
          this.#add(`${indent}${this.#text(node.textContent ?? '')}`);
        else this.write(node, depth);
      }
    }
    report();
  }

  #text(text: string): string {
    const line = oneLine(text.slice(0, 20_000));
    const visible =
      line.length > this.#measure.text ? `${line.slice(0, this.#measure.text)}…` : line;
    return visible.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  }

  #add(line: string): void {
    this.length += line.length + 1;
    if (this.length <= this.#most) this.#lines.push(line);
  }
}

/** Attribute values that may be written; values with prompt injection are not. */
class KnownNames {
  readonly #dropped = new Map<string, boolean>();

  get dropped(): string[] {
    return [...this.#dropped].flatMap(([words, isDropped]) => (isDropped ? [words] : []));
  }

  allows(value: string): boolean {
    // Separators of names may join words, too.
    const words = withoutInvisible(value).replace(/[-_+./:#@]|%20/g, ' ');
    if (words.length < limits.shortestOrder) return true;
    const known = this.#dropped.get(words);
    if (known !== undefined) return !known;
    const isDropped = findModelInstructions(words, 1).length > 0;
    if (this.#dropped.size < limits.remembered) this.#dropped.set(words, isDropped);
    return !isDropped;
  }
}

function startTag(element: DomElement, names: KnownNames): string {
  const attributes: string[] = [];
  for (const { name, value } of element.attributes) {
    if (attributes.length >= 12) break;
    const outlined = outlinedValue(name, value);
    if (outlined !== undefined && names.allows(outlined)) attributes.push(` ${name}="${outlined}"`);
  }
  return `<${tagName(element)}${attributes.join('')}>`;
}

/** White space only between names: an attribute must not hold sentences. */
function outlinedValue(name: string, value: string): string | undefined {
  if (name === 'class' || name === 'itemprop' || name === 'rel') {
    const names = value.split(/\s+/).filter((one) => /^[^\s"<>&]{1,60}$/.test(one));
    return names.length === 0 ? undefined : names.slice(0, 12).join(' ');
  }
  if (name === 'href' || name === 'src') {
    return /^(?!data:)[^\s"<>]{1,300}$/i.test(value) ? value : undefined;
  }
  const isName = /^(?:id|role|type|name|lang|datetime|itemtype|content|value|data-[\w-]{1,40})$/;
  return isName.test(name) && /^[\w.:+/#@-]{1,60}$/.test(value) ? value : undefined;
}

function tagName({ localName }: DomElement): string {
  return /^[a-z][\w-]{0,40}$/.test(localName) ? localName : 'div';
}

function isVoid({ localName }: DomElement): boolean {
  return /^(?:img|br|hr|input|meta|link|source|wbr)$/.test(localName);
}
