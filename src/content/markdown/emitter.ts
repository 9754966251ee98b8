/** Walks a tree and writes markdown: rules by tag name, one run of inline content at a time. */
import { type DomElement, type DomNode, elementsOf, isElement, isText } from '../html/dom.ts';
import { blockElements } from '../html/tags.ts';
import { withoutInvisible } from '../text/plain-text.ts';
import {
  isCodeUrl,
  isSafeUrl,
  pageFragment,
  PlainLinks,
  withoutCredentials,
} from '../../core/url/links.ts';
import { urlOf } from '../../core/url/normalize-url.ts';
import { BlockWriter, type ContainerLevel, type ListLevel } from './block-writer.ts';
import { type InlineMark, InlineRun, type InlineToken } from './inline-run.ts';
import type { MarkdownOptions } from './markdown-options.ts';
import { References, type WrittenMarkdown } from './references.ts';
import { type RunContext, serializeRun } from './serialize-run.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** Writes one kind of element. */
export type MarkdownRule = (element: DomElement, out: Emitter) => void;

/** Rules for every kind of node. For elements without a rule, the content is written. */
export interface MarkdownRules {
  readonly text: (data: string, out: Emitter) => void;
  readonly elements: Readonly<Record<string, MarkdownRule>>;
}

/** A link around blocks; the first heading, or else the first text inside becomes the link. */
interface LinkCard {
  readonly mark: InlineMark;
  readonly heading: DomElement | undefined;
  readonly hasText: boolean;
  used: boolean;
}

const maxDepth = 1200; // deeper elements are written as text only, which bounds the recursion

/** The page of a conversion. */
export interface WrittenPage {
  readonly root: DomElement;
  readonly url: string;
  readonly baseUrl: string;
  /** `verbatim`: elements whose markdown is given. */
  readonly file?: { readonly verbatim?: ReadonlyMap<DomElement, string> | undefined };
}

/** The state of one conversion, and the methods that rules write with. */
export class Emitter {
  readonly urls: UrlResolver;
  readonly footnotes: Footnotes;
  readonly writer: BlockWriter = new BlockWriter();
  readonly references: References;
  readonly style: MarkdownOptions;
  /** The inline content that is being collected. */
  run: InlineRun;
  /** True inside of a table cell, where everything is one line. */
  inCell = false;
  readonly #page: WrittenPage;
  readonly #rules: MarkdownRules;
  #heading: { readonly level: number; readonly element: DomElement } | undefined;
  #card: LinkCard | undefined;
  /** True for content of a link that is written apart. */
  #isInLink = false;
  #depth = 0;

  /** `outer`: the emitter of the content around, for a part that is written apart. */
  constructor(page: WrittenPage, rules: MarkdownRules, style: MarkdownOptions, outer?: Emitter) {
    this.#page = page;
    this.#rules = rules;
    this.style = style;
    this.run = this.#newRun();
    this.urls = outer?.urls ?? new UrlResolver(page.baseUrl);
    this.footnotes = outer?.footnotes ?? new Footnotes(page.root);
    this.references = outer?.references ?? new References(style.links);
  }

  /** True in a card whose link is not written yet: the first line becomes the link. */
  get opensCard(): boolean {
    return this.#card?.used === false;
  }

  /** True if a link may not begin here. */
  get inLink(): boolean {
    return this.run.has('link') || this.#card !== undefined || this.#isInLink;
  }

  /** True while a heading is collected. */
  get inHeading(): boolean {
    return this.#heading !== undefined;
  }

  /** True before any content of a list item was written or collected. */
  get atItemStart(): boolean {
    const { level } = this.writer;
    return level.kind === 'item' && !level.used && this.run.isEmpty && !this.inCell;
  }

  /** Writes a node and everything in it. */
  visit(node: DomNode): void {
    if (isText(node)) {
      this.#rules.text(node.data, this);
    } else if (isElement(node)) {
      if (this.#depth >= maxDepth) {
        this.run.text(node.textContent ?? '');
        return;
      }
      this.#depth++;
      this.#element(node);
      this.#depth--;
    }
  }

  /** Writes the content of an element. */
  children(element: DomElement): void {
    let child = element.firstChild;
    while (child !== null) {
      let next = child.nextSibling;
      if (isText(child)) {
        // The parser ends a text node at every character reference.
        let data = child.data;
        for (; isText(next); next = next.nextSibling) data += next.data;
        this.#rules.text(data, this);
      } else {
        this.visit(child);
      }
      child = next;
    }
  }

  #element(element: DomElement): void {
    const name = element.localName;
    const { elements } = this.#rules;
    const known = this.#page.file?.verbatim?.get(element);
    if (known !== undefined) {
      this.block(withoutInvisible(known));
      return;
    }
    const label = this.footnotes.labelOfNote(element);
    if (label !== undefined) this.note(label, element);
    else if (Object.hasOwn(elements, name)) elements[name]?.(element, this);
    else if (blockElements.has(name)) this.paragraph(element);
    else this.children(element);
  }

  /** Writes the content of an element as a paragraph of its own. */
  paragraph(element: DomElement): void {
    this.boundary();
    this.children(element);
    this.boundary();
  }

  /** `<br>`: two of them end the paragraph. */
  lineBreak(): void {
    if (this.run.has('link') || this.inHeading) this.run.space();
    else if (this.run.endsWithBreak && !this.inCell) this.flush();
    else this.run.break();
  }

  /** A paragraph boundary; in a heading or link text only a space. */
  boundary(): void {
    if (this.run.hasLead || this.run.isEmpty) return;
    if (this.inHeading || this.run.has('link')) this.run.space();
    else if (this.inCell) this.run.break();
    else this.flush();
  }

  /** Writes the inline content collected so far as a block of its own. */
  flush(): void {
    if (this.inCell) {
      this.boundary();
      return;
    }
    const heading = this.#heading;
    this.#heading = undefined;
    const itemStart = this.writer.level.kind === 'item' && !this.writer.level.used;
    const tokens = this.run.take();
    this.run.dropStrong = false;
    if (tokens.length === 0) return;
    const inline = heading !== undefined;
    const text = serializeRun(this.#withCard(tokens, heading?.element), {
      lineBreak: '  \n',
      blockStart: !inline,
      itemStart,
      inCell: false,
      isFootnote: this.#isFootnote,
      references: this.references,
    });
    if (text === '') return;
    const { level } = this.writer;
    if (heading) this.writer.write(`${'#'.repeat(heading.level)} ${headingText(text)}`);
    else {
      const isAlt = tokens.every(
        ({ type }) => type !== 'text' && type !== 'code' && type !== 'raw',
      );
      this.writer.write(level.kind === 'note' && !level.used ? noteText(text) : text, isAlt);
    }
  }

  /** Writes finished lines as a block. */
  block(text: string): void {
    this.flush();
    // Parsers without footnotes would read a fence on a note's first line as a link destination.
    if (this.writer.level.kind === 'note' && !this.writer.level.used) this.writer.write('');
    this.writer.write(text);
  }

  /** Writes a heading; block structure inside ends it. */
  heading(level: number, element: DomElement): void {
    if (this.inCell) {
      this.paragraph(element);
      return;
    }
    // As in browsers, a heading ends an unclosed heading.
    this.flush();
    this.#heading = { level, element };
    this.run.dropStrong = true;
    this.children(element);
    this.flush();
    this.#heading = undefined;
  }

  /** Writes the output of `body` into the container. */
  inside(level: ContainerLevel, body: () => void): void {
    this.flush();
    const outer = this.writer.level;
    this.writer.level = level;
    body();
    this.flush();
    this.writer.level = outer;
  }

  /** Writes a list item. False when it is empty. */
  item(list: ListLevel, element: DomNode): boolean {
    const marker = list.ordered ? `${Math.min(list.next, 999_999_999)}${list.marker}` : list.marker;
    const item = this.writer.newLevel('item', `${marker} `, ' '.repeat(marker.length + 1));
    this.inside(item, () => {
      if (isElement(element) && element.localName === 'li') this.children(element);
      else this.visit(element);
    });
    if (item.used) list.lastItem = item;
    return item.used;
  }

  /** Writes the text of a footnote. */
  note(label: string, element: DomElement): void {
    const level = this.writer.newLevel('note', `[^${label}]: `, '    ');
    this.inside(level, () => this.children(element));
  }

  /** Writes blocks that together are one link. */
  card(mark: InlineMark, element: DomElement, heading: DomElement | undefined): void {
    this.flush();
    const hasText = /\S/.test(element.textContent ?? '');
    this.#card = { mark, heading, hasText, used: false };
    this.children(element);
    this.flush();
    this.#card = undefined;
  }

  /** The content of a table cell on one line. */
  cell(element: DomElement): string {
    const only = element.firstChild;
    if (isText(only) && only.nextSibling === null && plainWords.test(only.data)) return only.data;
    const { run, inCell } = this;
    const heading = this.#heading;
    this.run = this.#newRun();
    this.inCell = true;
    this.#heading = undefined;
    this.children(element);
    const text = serializeRun(this.run.take().map(asCellContent), {
      lineBreak: '<br>',
      blockStart: false,
      itemStart: false,
      inCell: true,
      isFootnote: this.#isFootnote,
      references: this.references,
    });
    this.run = run;
    this.inCell = inCell;
    this.#heading = heading;
    return text.replaceAll('|', '\\|');
  }

  /** What `write` writes, as markdown of its own. */
  apart(write: (inner: Emitter) => void): string {
    const inner = new Emitter(this.#page, this.#rules, this.style, this);
    inner.#card = this.#card;
    inner.#isInLink = this.inLink;
    inner.#depth = this.#depth;
    write(inner);
    inner.flush();
    return inner.writer.toString();
  }

  /** The finished document. */
  finish(): WrittenMarkdown {
    this.flush();
    return this.references.settle(this.writer.toString());
  }

  #withCard(tokens: InlineToken[], heading: DomElement | undefined): readonly InlineToken[] {
    const card = this.#card;
    if (card === undefined || card.used) return tokens;
    const hasText = tokens.some((token) => token.type === 'text' || token.type === 'code');
    const fits = card.heading === undefined ? hasText || !card.hasText : card.heading === heading;
    if (!fits) return tokens;
    card.used = true;
    const { mark } = card;
    // The text of a link is one line.
    const line = tokens.map((token): InlineToken => (token.type === 'break' ? space : token));
    if (this.style.links === 'text') return line;
    return [{ type: 'open', mark }, ...line, { type: 'close', mark }];
  }

  #newRun(): InlineRun {
    return new InlineRun(this.style.links === 'text');
  }

  readonly #isFootnote: RunContext['isFootnote'] = (label) => this.footnotes.hasLabel(label);
}

const space: InlineToken = { type: 'text', text: ' ' };

/** A code span with a backslash before a bar becomes text: parsers disagree whether the bar ends the cell. */
function asCellContent(token: InlineToken): InlineToken {
  return token.type === 'code' && token.text.includes('\\|') ? { ...token, type: 'text' } : token;
}

/** Text that needs no escaping: the content of most cells. */
const plainWords = /^[a-z\d.,:;%()'/+-]+(?: [a-z\d.,:;%()'/+-]+)*$/i;

/** Parsers without footnotes read a note's first word as a link destination: it must not be a code URL. */
function noteText(text: string): string {
  const [word = ''] = text.split(/\s/, 1);
  // Some parsers decode escaped character references.
  const isTarget = isCodeUrl(word) || word.startsWith('\\&');
  return isTarget ? text.replace(/^([^\s:]*:)(?=\S)/, '$1 ') : text;
}

/** Escapes a `#` at the end, which would be a closing sequence. */
function headingText(text: string): string {
  return text.replace(/(^|\s)(#+)$/, '$1\\$2');
}

// Makes the URLs of a page absolute, resolving each distinct URL once.

/** Resolves the URLs of one page. */
class UrlResolver {
  readonly #base: string;
  readonly #plain: PlainLinks;
  readonly #resolved = new Map<string, string>();
  readonly #sources = new Set<string>();

  constructor(baseUrl: string) {
    this.#base = baseUrl;
    this.#plain = new PlainLinks(baseUrl);
  }

  /** The absolute target of a link; undefined for an empty, a placeholder or an unsafe link. */
  link(href: string | null): string | undefined {
    const trimmed = href?.trim() ?? '';
    if (trimmed === '' || pageFragment(trimmed, this.#base) === '') return undefined;
    return this.#safe(trimmed);
  }

  /** The source of an image or a frame; images in data URIs stay as they are. */
  source(src: string | null): string | undefined {
    const trimmed = src?.trim() ?? '';
    if (trimmed === '') return undefined;
    // The placeholder that cleaning writes for an inline image is not a URL.
    if (/^data:image\//i.test(trimmed) || trimmed === '<Base64-Image-Removed>') return trimmed;
    return this.#safe(trimmed);
  }

  /** True on the first call with this image source. */
  isNewSource(source: string): boolean {
    const isNew = !this.#sources.has(source);
    this.#sources.add(source);
    return isNew;
  }

  /** True for a link to the page itself or to a part of it. */
  isOnPage(href: string): boolean {
    if (pageFragment(href, this.#base) !== undefined) return true;
    return this.#base !== '' && this.link(href) === this.#base.replace(/#.*$/s, '');
  }

  #safe(reference: string): string | undefined {
    const plain = this.#plain.resolve(reference);
    if (plain !== undefined) return plain;
    const url = this.#resolve(reference);
    return url !== '' && isSafeUrl(url) ? url : undefined;
  }

  #resolve(reference: string): string {
    return getOrInsert(this.#resolved, reference, () => resolve(reference, this.#base));
  }
}

function resolve(reference: string, base: string): string {
  const url = urlOf(reference, base);
  if (url !== undefined) return withoutCredentials(url.href);
  // Without a base, relative links stay; a malformed absolute URL is not a link.
  const isAbsolute = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(reference);
  return isAbsolute ? '' : withoutInvisible(reference).trim();
}

// Footnotes as written by cleaning: references and notes with the same label.

/** The footnotes of a page, searched on first use. */
class Footnotes {
  readonly #root: DomElement;
  #labels: Set<string> | undefined;
  readonly #notes = new Map<string, DomElement>();

  constructor(root: DomElement) {
    this.#root = root;
  }

  /** The label of a note element; undefined when no reference to the note is left. */
  labelOfNote(element: DomElement): string | undefined {
    const label = element.getAttribute('data-footnote');
    if (label === null || !this.hasLabel(label)) return undefined;
    return this.#notes.get(label) === element ? label : undefined;
  }

  /** The label of the note that the link refers to; undefined when the note is not on the page. */
  labelOfReference(link: DomElement): string | undefined {
    const label = link.getAttribute('data-footnote-ref');
    return label !== null && this.hasLabel(label) ? label : undefined;
  }

  /** True when a note has this label and a reference to it exists. */
  hasLabel(label: string): boolean {
    this.#labels ??= this.#scan();
    return this.#labels.has(label);
  }

  #scan(): Set<string> {
    const referred = new Set<string>();
    for (const element of elementsOf(this.#root)) {
      const note = element.getAttribute('data-footnote');
      if (note !== null && isLabel.test(note) && !this.#notes.has(note)) {
        this.#notes.set(note, element);
      }
      const reference =
        element.localName === 'a' ? element.getAttribute('data-footnote-ref') : null;
      if (reference !== null) referred.add(reference);
    }
    return new Set([...this.#notes.keys()].filter((label) => referred.has(label)));
  }
}

/** A label contains no character that ends its brackets. */
const isLabel = /^[\p{L}\p{N}]+(?:-\d+)?$/u;
