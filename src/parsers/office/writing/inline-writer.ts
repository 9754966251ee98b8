/** The text of a paragraph from runs that have marks: bold, raised, linked. */
import { escapeAttribute, escapeText } from '../../../html/escape.ts';
import { isSafeUrl } from '../../../url/safe-url.ts';
import type { HtmlBudget } from './html-budget.ts';

/** What a run of text looks like. */
export interface Marks {
  readonly bold?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly struck?: boolean | undefined;
  readonly raised?: boolean | undefined;
  readonly lowered?: boolean | undefined;
  readonly code?: boolean | undefined;
  /** Where it links to. */
  readonly href?: string | undefined;
}

/** What takes the runs of a paragraph. */
export interface RunWriter {
  readonly isEmpty: boolean;
  text(text: string, marks?: Marks): void;
  html(html: string, marks?: Marks): void;
  lineBreak(): void;
  finish(): string;
}

/** The runs of a line of code: blanks count, marks do not. */
export class CodeWriter implements RunWriter {
  readonly #budget: HtmlBudget;
  #line = '';

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#line === '';
  }

  text(text: string): void {
    this.#line += this.#budget.spend(escapeText(text.replace(unwanted, '')));
  }

  /** There are no pictures in code. */
  html(): void {
    // Nothing to write.
  }

  lineBreak(): void {
    this.#line += '\n';
  }

  finish(): string {
    const line = this.#line;
    this.#line = '';
    return line;
  }
}

/**
 * Writes runs. Programs cut a text into runs wherever somebody typed: equal marks of neighbours become
 * one element, and blanks at the ends of a run stand outside of it.
 */
export class InlineWriter implements RunWriter {
  readonly #budget: HtmlBudget;
  readonly #parts: string[] = [];
  /** Opening tags, outermost first. */
  #open: string[] = [];
  #blank = '';
  #length = 0;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  /** True while nothing but blanks was written. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  text(text: string, marks: Marks = {}): void {
    if (text === '') return;
    const clean = text.replace(unwanted, '');
    if (marks.code === true) {
      this.#write(escapeText(clean), tagsOf(marks));
      return;
    }
    const core = clean.trim();
    const start = clean.length - clean.trimStart().length;
    this.#blank += core === '' ? clean : clean.slice(0, start);
    if (core === '') return;
    this.#write(escapeText(core), tagsOf(marks));
    this.#blank += clean.slice(start + core.length);
  }

  /** HTML that is escaped already: a picture, a formula, a note's reference. */
  html(html: string, marks: Marks = {}): void {
    this.#write(html, tagsOf({ href: marks.href }));
  }

  /** A new line in the paragraph. */
  lineBreak(): void {
    this.#blank = '';
    this.#parts.push(this.#budget.spend('<br>'));
  }

  /** The HTML of the paragraph. The writer is empty after it. */
  finish(): string {
    this.#closeTo(0);
    // A break at an end of the paragraph breaks nothing.
    const html = this.#parts.join('').replace(/^(?:<br>)+/, '');
    this.#parts.length = 0;
    this.#blank = '';
    this.#length = 0;
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
    this.#length += html.length;
  }

  #closeTo(level: number): void {
    for (const tag of this.#open.slice(level).reverse()) {
      this.#parts.push(`</${/^\w+/.exec(tag)?.[0] ?? ''}>`);
    }
    this.#open = this.#open.slice(0, level);
  }
}

/** Control characters, and the soft hyphens that are not shown. */
const unwanted = /[\0-\x08\x0b\x0c\x0e-\x1f\xad\ufffe\uffff]/g;

function tagsOf(marks: Marks): string[] {
  const tags: string[] = [];
  if (marks.href !== undefined && isSafeUrl(marks.href))
    tags.push(`a href="${escapeAttribute(marks.href)}"`);
  if (marks.bold === true) tags.push('strong');
  if (marks.italic === true) tags.push('em');
  if (marks.struck === true) tags.push('del');
  if (marks.raised === true) tags.push('sup');
  if (marks.lowered === true) tags.push('sub');
  if (marks.code === true) tags.push('code');
  return tags;
}
