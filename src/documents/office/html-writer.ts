/** Writes HTML for the readers of office files: blocks, runs of marked text, and the budget that limits both. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';
import { isSafeUrl } from '../../core/url/links.ts';

/** The position of a list item. */
export interface ListItemLevel {
  /** From 0. */
  readonly level: number;
  readonly isOrdered: boolean;
  /** The item's number in an ordered list. @default 1 */
  readonly number?: number | undefined;
}

interface OpenList {
  readonly tag: 'ol' | 'ul';
  readonly level: number;
  /** The number of its last item. */
  number: number;
}

const mostLevels = 12; // list levels; deeper items are on the deepest level

/**
 * Writes blocks. List items come as in DOCX and ODT, as paragraphs with a level: this class adds the lists
 * around them, and joins consecutive lines of code and quoted paragraphs.
 */
export class BlockWriter {
  readonly #budget: HtmlBudget;
  readonly #parts: string[] = [];
  readonly #lists: OpenList[] = [];
  #group: 'pre' | 'blockquote' | undefined;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  /** Adds a block of any kind. */
  add(html: string): void {
    if (html === '') return;
    this.#close();
    this.#push(html);
  }

  paragraph(html: string, id?: string): void {
    if (html !== '') this.add(`<p${idAttribute(id)}>${html}</p>`);
  }

  /** `level` from 1; levels deeper than 6 are written as 6. */
  heading(level: number, html: string, id?: string): void {
    const tag = `h${Math.min(6, Math.max(1, level))}`;
    if (html !== '') this.add(`<${tag}${idAttribute(id)}>${html}</${tag}>`);
  }

  /** Adds a line of a code block. */
  codeLine(html: string): void {
    const isNext = this.#group === 'pre';
    if (!isNext) {
      this.#close();
      this.#group = 'pre';
      this.#push('<pre><code>');
    }
    this.#push(isNext ? `\n${html}` : html);
  }

  /** Adds a paragraph of a quotation. */
  quote(html: string): void {
    if (html === '') return;
    if (this.#group !== 'blockquote') {
      this.#close();
      this.#group = 'blockquote';
      this.#push('<blockquote>');
    }
    this.#push(`<p>${html}</p>`);
  }

  /** Adds an item of a list. */
  item(html: string, itemLevel: ListItemLevel, id?: string): void {
    const level = Math.min(mostLevels, Math.max(0, itemLevel.level));
    const tag = itemLevel.isOrdered ? 'ol' : 'ul';
    this.#closeGroup();
    for (let top = this.#lists.at(-1); top !== undefined; top = this.#lists.at(-1)) {
      // A list whose numbers restart is another list.
      const isNext =
        tag === 'ul' || itemLevel.number === undefined || itemLevel.number === top.number + 1;
      if (top.level < level || (top.level === level && top.tag === tag && isNext)) break;
      this.#closeList();
    }
    const list = this.#lists.at(-1);
    if (list?.level === level) {
      this.#push('</li>');
      list.number += 1;
    } else {
      const number = itemLevel.number ?? 1;
      this.#push(tag === 'ol' && number !== 1 ? `<ol start="${number}">` : `<${tag}>`);
      this.#lists.push({ tag, level, number });
    }
    this.#push(`<li${idAttribute(id)}>${html}`);
  }

  /** Adds a block to the last item; with a level, to the last item of that level. */
  inItem(html: string, level?: number): void {
    this.#closeGroup();
    if (level !== undefined) {
      while (this.#lists.length > 1 && (this.#lists.at(-1)?.level ?? 0) > level) this.#closeList();
    }
    this.#push(html);
  }

  /** True while the last written block is an item. */
  get isInList(): boolean {
    return this.#lists.length > 0;
  }

  /** The HTML of all blocks. */
  finish(): string {
    this.#close();
    return this.#parts.join('');
  }

  #push(html: string): void {
    this.#parts.push(html);
    this.#budget.spend(html.slice(0, 16));
  }

  #close(): void {
    this.#closeGroup();
    while (this.#lists.length > 0) this.#closeList();
  }

  #closeList(): void {
    const list = this.#lists.pop();
    if (list !== undefined) this.#push(`</li></${list.tag}>`);
  }

  #closeGroup(): void {
    if (this.#group === undefined) return;
    this.#push(this.#group === 'pre' ? '</code></pre>' : '</blockquote>');
    this.#group = undefined;
  }
}

function idAttribute(id: string | undefined): string {
  return id === undefined ? '' : ` id="${escapeAttribute(id)}"`;
}

/** A reference to a note, by its number. */
export function noteReference(number: number): string {
  return `<sup><a href="#note-${number}" role="doc-noteref">${number}</a></sup>`;
}

/** The notes after the text, in the order of their numbers. */
export function notesSection(notes: readonly string[]): string {
  if (notes.length === 0) return '';
  const items = notes.map((html, at) => `<li id="note-${at + 1}">${html}</li>`);
  return `<section class="footnotes"><ol>${items.join('')}</ol></section>`;
}

/** The parts of a slide as HTML, each empty if the slide has none. */
export interface SlideContent {
  readonly title: string;
  readonly html: string;
  /** The speaker's notes. */
  readonly notes: string;
}

/** Writes a slide under its title, with its notes as a quotation. */
export function writeSlide(
  number: number,
  { title, html, notes }: SlideContent,
  blocks: BlockWriter,
): void {
  blocks.heading(2, title === '' ? `Slide ${number}` : title);
  blocks.add(html);
  if (notes !== '') blocks.add(`<blockquote><p><strong>Notes:</strong></p>${notes}</blockquote>`);
}

/** The paragraphs of a title on one line. */
export function titleText(paragraphs: readonly string[]): string {
  return paragraphs
    .filter((html) => html !== '')
    .join(' ')
    .replaceAll('<br>', ' ')
    .replace(/<\/?strong>/g, '');
}

// The text of a paragraph from runs with marks: bold, superscript, linked.

/** The marks of a run of text. */
export interface RunMarks {
  readonly bold?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly struck?: boolean | undefined;
  readonly superscript?: boolean | undefined;
  readonly subscript?: boolean | undefined;
  readonly code?: boolean | undefined;
  /** The link target. */
  readonly href?: string | undefined;
}

/**
 * Writes runs. Programs split a text into runs at every edit: equal marks of adjacent runs become one
 * element, and spaces at the ends of a run are outside of it. In a line of code white space counts, and marks
 * and pictures do not.
 */
export class InlineWriter {
  readonly #budget: HtmlBudget;
  readonly #isCode: boolean;
  readonly #parts: string[] = [];
  /** Opening tags, outermost first. */
  #open: string[] = [];
  #blank = '';

  constructor(budget: HtmlBudget, isCode = false) {
    this.#budget = budget;
    this.#isCode = isCode;
  }

  text(text: string, marks: RunMarks = {}): void {
    if (text === '') return;
    const clean = text.replace(unwanted, '');
    if (this.#isCode) return this.#write(escapeText(clean), []);
    if (marks.code === true) return this.#write(escapeText(clean), tagsOf(marks));
    const core = clean.trim();
    const start = clean.length - clean.trimStart().length;
    this.#blank += core === '' ? clean : clean.slice(0, start);
    if (core === '') return;
    this.#write(escapeText(core), tagsOf(marks));
    this.#blank += clean.slice(start + core.length);
  }

  /** Writes HTML that is already escaped: a picture, a formula, a note's reference. */
  html(html: string, marks: RunMarks = {}): void {
    if (!this.#isCode) this.#write(html, tagsOf({ href: marks.href }));
  }

  /** Writes a line break in the paragraph. */
  lineBreak(): void {
    this.#blank = '';
    this.#parts.push(this.#isCode ? '\n' : this.#budget.spend('<br>'));
  }

  /** The HTML of the paragraph. Empties the writer. */
  finish(): string {
    this.#closeTo(0);
    // A break at the start or end of the paragraph has no effect.
    const html = this.#parts.join('').replace(/^(?:<br>)+/, '');
    this.#parts.length = 0;
    this.#blank = '';
    let end = html.length;
    while (html.endsWith('<br>', end)) end -= 4;
    return html.slice(0, end);
  }

  #write(html: string, tags: string[]): void {
    let shared = 0;
    while (shared < tags.length && tags[shared] === this.#open[shared]) shared += 1;
    if (shared < this.#open.length) this.#closeTo(shared);
    if (this.#blank !== '') this.#parts.push(this.#budget.spend(escapeText(this.#blank)));
    this.#blank = '';
    for (const tag of tags.slice(shared)) this.#parts.push(this.#budget.spend(`<${tag}>`));
    this.#open = tags;
    this.#parts.push(this.#budget.spend(html));
  }

  #closeTo(level: number): void {
    for (const tag of this.#open.slice(level).reverse()) {
      this.#parts.push(`</${/^\w+/.exec(tag)?.[0] ?? ''}>`);
    }
    this.#open = this.#open.slice(0, level);
  }
}

/** Control characters, and invisible soft hyphens. */
const unwanted = /[\0-\x08\x0b\x0c\x0e-\x1f\xad\ufffe\uffff]/g;

function tagsOf(marks: RunMarks): string[] {
  const tags: string[] = [];
  if (marks.href !== undefined && isSafeUrl(marks.href))
    tags.push(`a href="${escapeAttribute(marks.href)}"`);
  if (marks.bold === true) tags.push('strong');
  if (marks.italic === true) tags.push('em');
  if (marks.struck === true) tags.push('del');
  if (marks.superscript === true) tags.push('sup');
  if (marks.subscript === true) tags.push('sub');
  if (marks.code === true) tags.push('code');
  return tags;
}

// The limit of the HTML written by a file reader.

/** Counts characters: a small file may refer to one long text ten thousand times. */
export class HtmlBudget {
  readonly #most: number;
  #left: number;

  /** `most`: characters. */
  constructor(most: number) {
    this.#most = most;
    this.#left = most;
  }

  /** Returns the text; throws `PARSE_LIMIT` when the budget is used up. */
  spend(text: string): string {
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The content of the file has more than ${this.#most} characters. Raise limits.text to read it.`,
    );
  }
}
