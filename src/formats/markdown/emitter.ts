/** Walks a tree and writes markdown: rules by tag name, one run of inline content at a time. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { withoutUnseen } from '../../text/unseen.ts';
import { isCodeUrl } from '../../url/safe-url.ts';
import { blockElements } from './block-elements.ts';
import { BlockWriter, type Level, type ListLevel } from './block-writer.ts';
import { Footnotes } from './footnotes.ts';
import { InlineRun, type Mark, type Token } from './inline-run.ts';
import { type RunPlace, serializeRun } from './serialize-run.ts';
import { UrlResolver } from './url-resolver.ts';

/** Writes one kind of element. */
export type Rule = (element: DomElement, out: Emitter) => void;

/** How every kind of node is written. Elements without a rule give their content. */
export interface Rules {
  readonly text: (data: string, out: Emitter) => void;
  readonly elements: Readonly<Record<string, Rule>>;
}

/** A link around blocks: the first heading, or else the first text inside carries it. */
interface Card {
  readonly mark: Mark;
  readonly heading: DomElement | undefined;
  readonly hasText: boolean;
  used: boolean;
}

/** Deeper elements give their text only: recursion stays far from the end of the stack. */
const maxDepth = 1200;

/** The state of one conversion, and what rules write with. */
export class Emitter {
  readonly urls: UrlResolver;
  readonly footnotes: Footnotes;
  readonly writer: BlockWriter = new BlockWriter();
  /** The inline content that is being collected. */
  run: InlineRun = new InlineRun();
  /** True inside of a table cell, where everything is one line. */
  inCell = false;
  readonly #rules: Rules['elements'];
  readonly #text: Rules['text'];
  readonly #verbatim: ReadonlyMap<DomElement, string> | undefined;
  #heading: { readonly level: number; readonly element: DomElement } | undefined;
  #card: Card | undefined;
  #depth = 0;

  constructor(
    root: DomElement,
    baseUrl: string,
    rules: Rules,
    verbatim?: ReadonlyMap<DomElement, string>,
  ) {
    this.#verbatim = verbatim;
    this.#rules = rules.elements;
    this.#text = rules.text;
    this.urls = new UrlResolver(baseUrl);
    this.footnotes = new Footnotes(root);
  }

  /** True where a link may not begin. */
  get inLink(): boolean {
    return this.run.has('link') || this.#card !== undefined;
  }

  /** True while a heading is collected. */
  get inHeading(): boolean {
    return this.#heading !== undefined;
  }

  /** True before anything of a list item was written or collected. */
  get atItemStart(): boolean {
    const { level } = this.writer;
    return level.kind === 'item' && !level.used && this.run.isEmpty && !this.inCell;
  }

  /** Writes a node and everything in it. */
  visit(node: DomNode): void {
    if (isText(node)) {
      this.#text(node.data, this);
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

  /** Writes what is in an element. */
  children(element: DomElement): void {
    let child = element.firstChild;
    while (child !== null) {
      let next = child.nextSibling;
      if (isText(child)) {
        // The parser ends a text node at every character reference.
        let data = child.data;
        for (; isText(next); next = next.nextSibling) data += next.data;
        this.#text(data, this);
      } else {
        this.visit(child);
      }
      child = next;
    }
  }

  #element(element: DomElement): void {
    const name = element.localName;
    const known = this.#verbatim?.get(element);
    if (known !== undefined) {
      this.block(withoutUnseen(known));
      return;
    }
    const label = this.footnotes.labelOfNote(element);
    if (label !== undefined) this.note(label, element);
    else if (Object.hasOwn(this.#rules, name)) this.#rules[name]?.(element, this);
    else if (blockElements.has(name)) this.paragraph(element);
    else this.children(element);
  }

  /** Writes what is in an element, apart from what is before and after. */
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

  /** The edge of a paragraph. In a heading or in the text of a link it is only a space. */
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
    });
    if (text === '') return;
    const { level } = this.writer;
    if (heading) this.writer.write(`${'#'.repeat(heading.level)} ${headingText(text)}`);
    else this.writer.write(level.kind === 'note' && !level.used ? noteText(text) : text);
  }

  /** Writes finished lines as a block. */
  block(text: string): void {
    this.flush();
    // Readers without footnotes would take the fence of a note's first line for the target of a link.
    if (this.writer.level.kind === 'note' && !this.writer.level.used) this.writer.write('');
    this.writer.write(text);
  }

  /** Writes a heading; block structure inside ends it. */
  heading(level: number, element: DomElement): void {
    if (this.inCell) {
      this.paragraph(element);
      return;
    }
    // As in browsers, a heading ends one that was left open.
    this.flush();
    this.#heading = { level, element };
    this.run.dropStrong = true;
    this.children(element);
    this.flush();
    this.#heading = undefined;
  }

  /** What `body` writes goes into the container. */
  inside(level: Level, body: () => void): void {
    this.flush();
    const outer = this.writer.level;
    this.writer.level = level;
    body();
    this.flush();
    this.writer.level = outer;
  }

  /** Writes an item of a list. False when there is nothing in it. */
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

  /** Writes blocks that are one link together. */
  card(mark: Mark, element: DomElement, heading: DomElement | undefined): void {
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
    this.run = new InlineRun();
    this.inCell = true;
    this.#heading = undefined;
    this.children(element);
    const text = serializeRun(this.run.take().map(asCellContent), {
      lineBreak: '<br>',
      blockStart: false,
      itemStart: false,
      inCell: true,
      isFootnote: this.#isFootnote,
    });
    this.run = run;
    this.inCell = inCell;
    this.#heading = heading;
    return text.replaceAll('|', '\\|');
  }

  /** The document. */
  finish(): string {
    this.flush();
    return this.writer.toString();
  }

  #withCard(tokens: Token[], heading: DomElement | undefined): readonly Token[] {
    const card = this.#card;
    if (card === undefined || card.used) return tokens;
    const hasText = tokens.some((token) => token.type === 'text' || token.type === 'code');
    const fits = card.heading === undefined ? hasText || !card.hasText : card.heading === heading;
    if (!fits) return tokens;
    card.used = true;
    const { mark } = card;
    // The text of a link is one line.
    const line = tokens.map((token): Token => (token.type === 'break' ? space : token));
    return [{ type: 'open', mark }, ...line, { type: 'close', mark }];
  }

  readonly #isFootnote: RunPlace['isFootnote'] = (label) => this.footnotes.hasLabel(label);
}

const space: Token = { type: 'text', text: ' ' };

/** In code a backslash before a bar cannot be written: readers do not agree whether it ends the cell. */
function asCellContent(token: Token): Token {
  return token.type === 'code' && token.text.includes('\\|') ? { ...token, type: 'text' } : token;
}

/** Text that is markdown as it is: the content of most cells. */
const plainWords = /^[a-z\d.,:;%()'/+-]+(?: [a-z\d.,:;%()'/+-]+)*$/i;

/** Readers without footnotes take the first word of a note for the target of a link: it must not be code. */
function noteText(text: string): string {
  const [word = ''] = text.split(/\s/, 1);
  // Some of them decode references that are escaped.
  const isTarget = isCodeUrl(word) || word.startsWith('\\&');
  return isTarget ? text.replace(/^([^\s:]*:)(?=\S)/, '$1 ') : text;
}

/** A `#` at the end would be taken for a closing sequence. */
function headingText(text: string): string {
  return text.replace(/(^|\s)(#+)$/, '$1\\$2');
}
