/** Collects the inline content of one block: white space collapsed, marks balanced, empty marks dropped. */

import { withoutInvisible } from '../text/plain-text.ts';

/** A mark that can wrap inline content. */
export type InlineMark =
  | { readonly kind: 'strong' | 'emphasis' | 'strike' | 'sub' | 'sup' }
  | { readonly kind: 'link'; readonly url: string; readonly title: string };

/** A piece of inline content, in the order of the page. */
export type InlineToken =
  | { readonly type: 'text' | 'code'; text: string }
  /** The alternative text of a picture, in its place. */
  | { readonly type: 'alt'; readonly text: string }
  /** Markdown that is written as it is. */
  | { readonly type: 'raw'; readonly text: string }
  | { readonly type: 'open' | 'close'; readonly mark: InlineMark }
  | { readonly type: 'break' };

type InlineGap = 'none' | 'space' | 'newline' | 'break';

/**
 * Collects the tokens of a block.
 *
 * White space, line breaks and opening marks wait until visible content follows them. So space
 * ends up outside of marks, and an empty mark leaves no trace.
 */
export class InlineRun {
  #tokens: InlineToken[] = [];
  /** Marks around the current position; the first `#opened` of them have their token. */
  readonly #marks: InlineMark[] = [];
  #opened = 0;
  #gap: InlineGap = 'none';
  #lead = '';
  /** True right after the alternative text of a picture. */
  #afterAlt = false;
  /** True in headings, which are bold already. Changes between blocks only. */
  dropStrong = false;
  readonly #dropLinks: boolean;

  /** `dropLinks`: of links only their content is collected. */
  constructor(dropLinks = false) {
    this.#dropLinks = dropLinks;
  }

  /** True until visible content was added. */
  get isEmpty(): boolean {
    return this.#tokens.length === 0;
  }

  /** True if a line break is pending. */
  get endsWithBreak(): boolean {
    return this.#gap === 'break';
  }

  /** True while a lead is pending. */
  get hasLead(): boolean {
    return this.#lead !== '';
  }

  /** Adds text of the page, with its white space as in the source. */
  text(source: string): void {
    const isPlain = !unusual.test(source);
    const data = isPlain ? source : withoutInvisible(source).replace(idleJoiners, '');
    let from = 0;
    let to = data.length;
    let newline = false;
    for (; from < to && isCollapsible(data.charCodeAt(from)); from++) {
      if (data.charCodeAt(from) === lineFeed) newline = true;
    }
    if (from > 0) this.space(newline);
    if (from === to) return;
    newline = false;
    for (; isCollapsible(data.charCodeAt(to - 1)); to--) {
      if (data.charCodeAt(to - 1) === lineFeed) newline = true;
    }
    const ink = isPlain ? data.slice(from, to) : collapse(data.slice(from, to));
    this.#begin(ink);
    this.#append(ink);
    if (to < data.length) this.space(newline);
  }

  /** Adds white space between the content before and the content that may follow. */
  space(newline = false): void {
    if (this.#gap === 'none' || (newline && this.#gap === 'space')) {
      this.#gap = newline ? 'newline' : 'space';
    }
  }

  /** Adds a line break between the content before and the content that may follow. */
  break(): void {
    if (!this.isEmpty) this.#gap = 'break';
  }

  /** Adds a code span; directly adjacent ones become one. */
  code(source: string): void {
    const text = withoutInvisible(source);
    if (text === '') return;
    this.#begin('');
    const last = this.#tokens.at(-1);
    if (last?.type === 'code') last.text += text;
    else this.#tokens.push({ type: 'code', text });
  }

  /** Adds finished markdown. */
  raw(text: string): void {
    this.#begin('');
    this.#tokens.push({ type: 'raw', text });
  }

  /** Adds the alternative text of a picture, with spaces where the picture parts words. */
  alt(text: string): void {
    const last = this.#tokens.findLast(({ type }) => type !== 'open' && type !== 'close');
    const isInk = last?.type === 'alt' || last?.type === 'code';
    if (isInk || (last !== undefined && 'text' in last && endsWord.test(last.text))) this.space();
    this.#begin(text);
    this.#afterAlt = true;
    this.#tokens.push({ type: 'alt', text });
  }

  /** Adds markdown to write before the next content, replacing a space; dropped if none follows. */
  lead(text: string): void {
    this.#lead = text;
  }

  /** True inside of a mark of this kind. */
  has(kind: InlineMark['kind']): boolean {
    for (const mark of this.#marks) if (mark.kind === kind) return true;
    return false;
  }

  /** Wraps everything that `body` adds in the mark, once. */
  wrap(mark: InlineMark, body: () => void): void {
    if (this.has(mark.kind)) {
      body();
      return;
    }
    this.#marks.push(mark);
    body();
    this.#marks.pop();
    if (this.#opened > this.#marks.length) {
      this.#opened--;
      this.#close(mark);
    }
  }

  /** Ends the block: returns its tokens and starts anew inside of the same marks. */
  take(): InlineToken[] {
    const tokens = this.#tokens;
    for (; this.#opened > 0; this.#opened--) {
      const mark = this.#marks[this.#opened - 1];
      if (mark !== undefined) this.#close(mark);
    }
    this.#tokens = [];
    this.#gap = 'none';
    this.#lead = '';
    this.#afterAlt = false;
    return tokens;
  }

  /** Writes the pending tokens. */
  #begin(ink: string): void {
    if (this.#afterAlt && (ink === '' || startsWord.test(ink))) this.space();
    this.#afterAlt = false;
    if (!this.isEmpty) {
      const gap = this.#gap;
      const isSpace = gap === 'space' || (gap === 'newline' && !this.#joins(ink));
      if (gap === 'break') this.#tokens.push({ type: 'break' });
      else if (isSpace && !this.hasLead) this.#append(' ');
    }
    this.#gap = 'none';
    if (this.hasLead) {
      this.#tokens.push({ type: 'raw', text: this.#lead });
      this.#lead = '';
    }
    for (; this.#opened < this.#marks.length; this.#opened++) {
      const mark = this.#marks[this.#opened];
      if (mark !== undefined) this.#open(mark);
    }
  }

  /** Reopens a mark of the same kind that was just closed, instead of a new one. */
  #open(mark: InlineMark): void {
    if (this.#isDropped(mark)) return;
    const last = this.#tokens.at(-1);
    if (last?.type === 'close' && last.mark.kind === mark.kind && mark.kind !== 'link') {
      this.#tokens.pop();
    } else {
      this.#tokens.push({ type: 'open', mark });
    }
  }

  #close(mark: InlineMark): void {
    if (!this.#isDropped(mark)) this.#tokens.push({ type: 'close', mark });
  }

  #isDropped(mark: InlineMark): boolean {
    return mark.kind === 'link' ? this.#dropLinks : this.dropStrong && mark.kind === 'strong';
  }

  #append(text: string): void {
    const last = this.#tokens.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.#tokens.push({ type: 'text', text });
  }

  /** A source line break between two East Asian characters is not a space (CSS Text 3, 4.1.3). */
  #joins(ink: string): boolean {
    const last = this.#tokens.at(-1);
    return last?.type === 'text' && endsWide.test(last.text) && startsWide.test(ink);
  }
}

const startsWord = /^[\p{L}\p{N}]/u;
const endsWord = /[\p{L}\p{N}.,:;!?]$/u;

const lineFeed = 10;

/** White space that browsers collapse; no-break spaces and line separators become plain space. */
function isCollapsible(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13 && code !== 11);
  return code === 160 || code === 0x2028 || code === 0x2029;
}

/** Anything but printable ASCII with single spaces, and the other letters that most languages need. */
const unusual =
  / {2}|[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\u2e7f]/;

/** Joiners with nothing to join, which editors leave in empty paragraphs. */
const idleJoiners =
  /(?<![\u0590-\u1fff\u2190-\u2bff\u3000-\uffef\u200c\u200d])[\u200c\u200d]+(?![\u0590-\u1fff\u2190-\u2bff\u3000-\uffef\u200c\u200d])/g;

const wide =
  '[\\u2e80-\\u312f\\u3190-\\ua4cf\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff01-\\uff60\\u{20000}-\\u{3ffff}]';
const endsWide = new RegExp(`${wide}$`, 'u');
const startsWide = new RegExp(`^${wide}`, 'u');
const wideNewline = new RegExp(`(?<=${wide})[ \\t\\r\\f]*\\n[ \\t\\n\\f\\r]*(?=${wide})`, 'gu');

/** White space other than a single plain space. */
const runsOfSpace =
  /[\t\n\f\r\u00a0\u2028\u2029][ \t\n\f\r\u00a0\u2028\u2029]*| [ \t\n\f\r\u00a0\u2028\u2029]+/g;

function collapse(text: string): string {
  const joined =
    text.includes('\n') && /[\u2e80-\uffff]/.test(text) ? text.replace(wideNewline, '') : text;
  return joined.replace(runsOfSpace, ' ');
}
