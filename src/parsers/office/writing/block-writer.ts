/** Paragraphs, lists and the like, one after the other, as HTML. */
import { escapeAttribute } from '../../../html/escape.ts';
import type { HtmlBudget } from './html-budget.ts';

/** Where an item stands. */
export interface ItemPlace {
  /** From 0. */
  readonly level: number;
  readonly isOrdered: boolean;
  /** Its number, for ordered lists. @default 1 */
  readonly number?: number | undefined;
}

interface OpenList {
  readonly tag: 'ol' | 'ul';
  readonly level: number;
  /** Of its last item. */
  number: number;
}

/** Levels of lists; deeper items stand on the deepest. */
const mostLevels = 12;

/**
 * Writes blocks. Items come as word processors have them, as paragraphs with a level: the lists around
 * them, and lines of code or quoted paragraphs that belong together, are found here.
 */
export class BlockWriter {
  readonly #budget: HtmlBudget;
  readonly #parts: string[] = [];
  readonly #lists: OpenList[] = [];
  #group: 'pre' | 'blockquote' | undefined;

  constructor(budget: HtmlBudget) {
    this.#budget = budget;
  }

  /** A block of any kind. */
  add(html: string): void {
    if (html === '') return;
    this.#close();
    this.#push(html);
  }

  paragraph(html: string, id?: string): void {
    if (html !== '') this.add(`<p${idAttribute(id)}>${html}</p>`);
  }

  /** `level` from 1; those below 6 are written as 6. */
  heading(level: number, html: string, id?: string): void {
    const tag = `h${Math.min(6, Math.max(1, level))}`;
    if (html !== '') this.add(`<${tag}${idAttribute(id)}>${html}</${tag}>`);
  }

  /** A line of a block of code. */
  codeLine(html: string): void {
    const isNext = this.#group === 'pre';
    if (!isNext) {
      this.#close();
      this.#group = 'pre';
      this.#push('<pre><code>');
    }
    this.#push(isNext ? `\n${html}` : html);
  }

  /** A paragraph of a quotation. */
  quote(html: string): void {
    if (html === '') return;
    if (this.#group !== 'blockquote') {
      this.#close();
      this.#group = 'blockquote';
      this.#push('<blockquote>');
    }
    this.#push(`<p>${html}</p>`);
  }

  /** An item of a list. */
  item(html: string, place: ItemPlace, id?: string): void {
    const level = Math.min(mostLevels, Math.max(0, place.level));
    const tag = place.isOrdered ? 'ol' : 'ul';
    this.#closeGroup();
    for (let top = this.#lists.at(-1); top !== undefined; top = this.#lists.at(-1)) {
      // A list that begins anew is another list.
      const isNext = tag === 'ul' || place.number === undefined || place.number === top.number + 1;
      if (top.level < level || (top.level === level && top.tag === tag && isNext)) break;
      this.#closeList();
    }
    const list = this.#lists.at(-1);
    if (list?.level === level) {
      this.#push('</li>');
      list.number += 1;
    } else {
      const number = place.number ?? 1;
      this.#push(tag === 'ol' && number !== 1 ? `<ol start="${number}">` : `<${tag}>`);
      this.#lists.push({ tag, level, number });
    }
    this.#push(`<li${idAttribute(id)}>${html}`);
  }

  /** A block that belongs to the last item; with a level, to the last one of that level. */
  inItem(html: string, level?: number): void {
    this.#closeGroup();
    if (level !== undefined) {
      while (this.#lists.length > 1 && (this.#lists.at(-1)?.level ?? 0) > level) this.#closeList();
    }
    this.#push(html);
  }

  /** True while the last thing that was written is an item. */
  get isInList(): boolean {
    return this.#lists.length > 0;
  }

  /** All of it. */
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
