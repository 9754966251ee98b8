/** Joins the words of lines: restores spaces, undoes hyphenation, keeps links and styles; code with its indents. */
import { oneLine } from '../../content/text/plain-text.ts';
import type { Inline } from './blocks.ts';
import { type Box, gapsOf, median, type Segment, type TextRun } from './geometry.ts';

/** Words within the file's lines, in lower case. They decide which hyphens are real. */
export type Vocabulary = ReadonlySet<string>;

const maxWords = 200_000;
const maxRun = 1000; // characters read of a run

/** The words of all runs except the last of each, which may continue on the next line. */
export function vocabularyOf(runs: Iterable<TextRun>): Vocabulary {
  const words = new Set<string>();
  for (const { text } of runs) {
    for (const [word] of text
      .slice(0, maxRun)
      .toLowerCase()
      .matchAll(/\p{L}+(?:[-‐]\p{L}+)*(?![\p{L}‐-])/gu)) {
      if (words.size >= maxWords) return words;
      if (word.length < 40) words.add(word.replaceAll('‐', '-'));
    }
  }
  return words;
}

/** The text of consecutive lines in one block. */
export function textOfLines(lines: readonly Segment[], words: Vocabulary): Inline[] {
  const writer = new InlineWriter(words);
  for (const line of lines) writer.line(inReadingOrder(line.runs));
  return writer.end();
}

/** The words of a line from left to right, whatever the script. */
export function textFromLeft(runs: readonly TextRun[]): string {
  const sorted = [...runs].sort((a, b) => a.left - b.left);
  return sorted
    .map(({ text }) => text)
    .join(' ')
    .trim();
}

/** The words of a line in reading order, separated by single spaces. */
export function wordsInOrder(runs: readonly TextRun[]): string {
  return oneLine(
    inReadingOrder(runs)
      .map(({ text }) => text)
      .join(' '),
  );
}

/** The text of runs that are parts of one word. */
export function joinedText(runs: readonly TextRun[]): string {
  return runs
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** The approximate width in points of the first word of a text. */
export function firstWordWidth(text: string, { left, right }: Pick<Box, 'left' | 'right'>): number {
  return ((right - left) * text.search(/\s|$/)) / Math.max(text.length, 1);
}

/** True for a gap of more than this many letters between runs, which are in any order. */
export function hasWideGap(runs: readonly TextRun[], letters: number): boolean {
  const sorted = [...runs].sort((a, b) => a.left - b.left);
  return sorted.some(
    (run, at) => run.left - (sorted[at - 1]?.right ?? run.left) > run.size * letters,
  );
}

/** Runs from left to right; from right to left for right-to-left scripts. */
export function inReadingOrder(runs: readonly TextRun[]): readonly TextRun[] {
  const sorted = [...runs].sort((a, b) => a.left - b.left);
  if (!isRightToLeft(sorted)) return sorted;
  const ordered: TextRun[] = [];
  let numbers: TextRun[] = [];
  for (const run of sorted.reverse()) {
    if (rightToLeft.test(run.text) || !/[\p{L}\p{N}]/u.test(run.text)) {
      ordered.push(...numbers, run);
      numbers = [];
    } else numbers.unshift(run);
  }
  return [...ordered, ...numbers];
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** True when most letters are of right-to-left scripts. */
export function isRightToLeft(runs: readonly TextRun[]): boolean {
  // Most lines have no such letter: counting is skipped.
  if (!runs.some(({ text }) => rightToLeft.test(text))) return false;
  let balance = 0;
  for (const { text } of runs) {
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    balance += rightToLeft.test(text) ? letters : -letters;
  }
  return balance > 0;
}

type InlineStyle = Omit<Inline, 'text'>;

class InlineWriter {
  readonly #words: Vocabulary;
  readonly #parts: { text: string; style: InlineStyle }[] = [];
  /** True after a line of code that continues without a space. */
  #isBroken = false;

  constructor(words: Vocabulary) {
    this.#words = words;
  }

  line(given: readonly TextRun[]): void {
    let previous: TextRun | undefined;
    const { runs, mark } = given.some(({ text }) => /[←↩↵⏎]/u.test(text))
      ? withoutBreakMark(given)
      : { runs: given };
    for (const run of runs) {
      const text = run.text.replace(/\s+/g, ' ');
      if (previous === undefined && !this.#isBroken) this.#joinLine(text);
      else if (previous !== undefined && isApart(previous, run)) this.#space();
      this.#add(previous === undefined ? text.trimStart() : text, styleOf(run));
      previous = run;
    }
    this.#isBroken = mark !== undefined;
  }

  end(): Inline[] {
    const parts = this.#parts.filter(({ text }) => text !== '');
    return parts.map(({ text, style }, at) => ({
      ...style,
      text: at === parts.length - 1 ? text.trimEnd() : text,
    }));
  }

  #add(text: string, style: InlineStyle): void {
    const last = this.#parts.at(-1);
    const clean = last === undefined || /\s$/.test(last.text) ? text.trimStart() : text;
    if (last !== undefined && isSame(last.style, style)) last.text += clean;
    else this.#parts.push({ text: clean, style });
  }

  #space(): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && !/\s$/.test(last.text)) last.text += ' ';
  }

  /** Joins two lines by a space, or as one hyphenated word. */
  #joinLine(next: string): void {
    const last = this.#parts.at(-1);
    if (last === undefined) return;
    last.text = last.text.trimEnd();
    const joined = joinText(last.text, next, this.#words);
    if (joined === undefined) last.text += ' ';
    else last.text = joined;
  }
}

/** The end of a line as joined to its continuation; undefined if a space joins them. */
export function joinText(end: string, next: string, words: Vocabulary): string | undefined {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，：；）」]$/u.test(end)) {
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，：；（「]/u.test(next))
      return end;
  }
  const first = /(?:^|[^\p{L}])((?:\p{L}+[-‐])*\p{L}+)[-‐\u00ad]$/u.exec(end.slice(-60))?.[1];
  const second = /^\p{Ll}[\p{L}]*/u.exec(next)?.[0];
  if (first !== undefined && second === undefined && isSplitName(first, next, words)) {
    return end.slice(0, -1);
  }
  if (first === undefined || second === undefined) {
    return /[\p{L}\p{N}][-‐/]$|:\/\/\S*$/u.test(end.slice(-60)) &&
      /^[\p{L}\p{N}]/u.test(next) &&
      !/\s/.test(end.at(-1) ?? '')
      ? endOfUrlOrCompound(end)
      : undefined;
  }
  if (end.endsWith('\u00ad')) return end.slice(0, -1);
  const hyphened = `${first}-${second}`.toLowerCase().replaceAll('‐', '-');
  const whole = `${first}${second}`.toLowerCase().replaceAll('‐', '-');
  // A part of a compound is a separate word: `state-of-` `the-art`, but `flo-` `wer-like`.
  const isCompound = /[-‐]/.test(first) || /^\p{L}+[-‐]\p{L}/u.test(next);
  const parts = [first.split(/[-‐]/).at(-1) ?? '', second].map((part) => part.toLowerCase());
  const areWords = parts.every((part) => words.has(part)) && !words.has(parts.join(''));
  const isReal = !words.has(whole) && (words.has(hyphened) || (isCompound && areWords));
  return isReal ? end.replace(/‐$/, '-') : end.slice(0, -1);
}

/** True for a name with an inner capital, such as `OpenOffice`, that occurs elsewhere as one word. */
function isSplitName(first: string, next: string, words: Vocabulary): boolean {
  const second = /^\p{Lu}\p{L}*/u.exec(next)?.[0];
  if (second === undefined || /[-‐]/.test(first)) return false;
  const [whole, hyphened] = [first + second, `${first}-${second}`].map((one) => one.toLowerCase());
  return words.has(whole ?? '') && !words.has(hyphened ?? '');
}

/** Keeps a hyphen before a capital or a number, without a space: `UTF-` `8`; the same in URLs. */
function endOfUrlOrCompound(end: string): string | undefined {
  return /[-‐]$/.test(end) || /:\/\/\S*$/.test(end.slice(-200)) ? end : undefined;
}

/** True when there is a space between two runs of a line. */
export function isApart(a: TextRun, b: TextRun): boolean {
  if (b.afterSpace || /\s$/.test(a.text)) return true;
  const gap = Math.max(b.left - a.right, a.left - b.right);
  return gap > Math.max(a.size, b.size) * 0.18;
}

function styleOf({
  font: { isBold, isItalic, isMono },
  verticalAlign,
  href,
}: TextRun): InlineStyle {
  return { isBold, isItalic, isMono, verticalAlign, href };
}

function isSame(a: InlineStyle, b: InlineStyle): boolean {
  return (
    a.isBold === b.isBold &&
    a.isItalic === b.isItalic &&
    a.isMono === b.isMono &&
    a.verticalAlign === b.verticalAlign &&
    a.href === b.href
  );
}

// Lines of code: monospaced, with the indents and gaps of the page.

/** True for lines whose letters are all monospaced. TeX has some symbols of code only in other fonts. */
export function isCodeLine({ runs }: Segment): boolean {
  if (runs.every(({ font, text }) => font.isMono || text.trim() === '')) return true;
  const [first] = inReadingOrder(runs);
  return (
    first?.font.isMono === true &&
    withoutBreakMark(runs).runs.every(({ font, text }) => font.isMono || signsOfCode.test(text))
  );
}

const signsOfCode = /^[\\{}<>|*~^=\s→⇒]*$/;

/** The arrow after a wrapped line of code, which TeX has in other fonts. */
const breakMark = /^(?:←\s?[-↩\u0593]|[↩↵⏎])$/u;

/** The runs of a line from the left, without the mark at its end. */
function withoutBreakMark(runs: readonly TextRun[]): {
  readonly runs: readonly TextRun[];
  /** The left edge of the mark; undefined without one. */
  readonly mark?: number | undefined;
} {
  const sorted = inReadingOrder(runs);
  const end = sorted.findLastIndex(({ font }) => font.isMono) + 1;
  const [first] = sorted.slice(end);
  if (end === 0 || first === undefined || sorted.length > end + 2) return { runs: sorted };
  const text = sorted.slice(end).map((run) => run.text);
  return breakMark.test(text.join('').trim())
    ? { runs: sorted.slice(0, end), mark: first.left }
    : { runs: sorted };
}

/** The lines with their indents; a vertical gap becomes an empty line. */
export function codeText(lines: readonly Segment[]): string {
  const width = median(lines.flatMap(({ runs }) => runs.map(widthOfLetter))) || 6;
  const left = Math.min(...lines.map((line) => line.left));
  const leading = leadingOf(lines);
  const out: string[] = [];
  let brokenEnd: string | undefined;
  let brokenLeft = Infinity;
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    const gap = before === undefined ? 0 : line.baseline - before.baseline;
    if (leading > 0 && gap > leading * 1.6) out.push('');
    const { runs, mark } = withoutBreakMark(line.runs);
    // The mark follows one space, and another if the line ends with one.
    const isJoined = brokenEnd !== undefined;
    // The line may begin with the space instead.
    if (isJoined) brokenLeft = Math.min(brokenLeft, line.left);
    const end = isJoined && line.left > brokenLeft + width * 0.5 ? ' ' : brokenEnd;
    let text = isJoined ? `${out.pop() ?? ''}${end}` : '';
    let right = isJoined ? line.left : left;
    for (const run of runs) {
      const spaces = Math.min(Math.round((run.left - right) / width), 200);
      const least = run.afterSpace && text !== '' && right !== line.left ? 1 : 0;
      text += ' '.repeat(Math.max(spaces, least)) + run.text.trimEnd();
      right = run.left + width * run.text.trimEnd().length;
    }
    out.push(text);
    brokenEnd = mark === undefined ? undefined : mark - right > width * 1.5 ? ' ' : '';
  }
  return out.join('\n');
}

function widthOfLetter({ left, right, text }: Segment['runs'][number]): number {
  return (right - left) / Math.max(text.length, 1);
}

/** The usual line distance, which is the smallest common one. */
export function leadingOf(lines: readonly Segment[]): number {
  const gaps = gapsOf(lines)
    .filter((gap) => gap > 1)
    .sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 4)] ?? 0;
}
