/** Puts a backslash before those characters of the page's text that markdown would take for markup. */
import { markBackticks } from './escape-backticks.ts';
import { type BracketContext, markBrackets } from './escape-brackets.ts';
import { markDelimiters } from './escape-delimiters.ts';
import { EscapeMarks } from './escape-marks.ts';
import type { Piece } from './piece.ts';

/** What is special about the place of the text. */
export interface EscapeContext extends BracketContext {
  /** True at the start of a list item, where `[ ]` is a check box. */
  readonly itemStart: boolean;
  /** True where a bare link may stand right before the pieces. @default false */
  readonly followsLink?: boolean;
}

/** Escapes the text pieces in place: what has no meaning where it stands stays untouched. */
export function escapePieces(pieces: Piece[], context: EscapeContext): void {
  const marks = new EscapeMarks();
  let special = false;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as Piece;
    if (piece.role !== 'text') continue;
    if (context.blockStart && startsLine(pieces, at)) markLineStart(pieces, at, context, marks);
    const before = pieces[at - 1];
    if (before?.role === 'literal' && before.text.startsWith('[^') && /^[(:]/.test(piece.text)) {
      // After a reference to a footnote these would make a link or a definition.
      marks.add(at, 0);
    }
    special ||= /[\\`*_[\]<&~!]/.test(piece.text);
  }
  if (special) {
    markCharacters(pieces, context.inCell, marks);
    markBackticks(pieces, context.inCell, marks);
    for (const delimiter of ['*', '_', '~']) markDelimiters(pieces, delimiter, marks);
    markBrackets(pieces, context, marks);
  }
  marks.apply(pieces, context.followsLink === true);
}

function startsLine(pieces: readonly Piece[], at: number): boolean {
  return at === 0 || pieces[at - 1]?.role === 'break';
}

/** A line that would begin another block. Group 1 is what stays, group 2 what is escaped. */
const blockStarts: readonly RegExp[] = [
  /^()(#)#{0,5}(?= |$)/,
  /^()(>)/,
  /^()([-+*])(?= |$)/,
  /^(\d{1,9})([.)])(?= |$)/,
  /^()(?=(?:- ?){3,}$)(-)/,
  /^()(?=(?:\* ?){3,}$)(\*)/,
  /^()(?=(?:_ ?){3,}$)(_)/,
  /^()(`{3,})[^`]*$/,
  /^()(~{3,})/,
  /^()(<)(?:[!?]|\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|pre|script|search|section|source|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$))/i,
];

/** A line that would turn the line before it into a heading or a table. */
const underlines: readonly RegExp[] = [
  /^()([=-])\2*$/,
  /^()([|:-]) ?:?-*:? ?(?:\| ?:?-+:? ?)*\|?$/,
];

function markLineStart(
  pieces: readonly Piece[],
  at: number,
  context: EscapeContext,
  marks: EscapeMarks,
): void {
  const text = pieces[at]?.text ?? '';
  if (!/^[#>+*_`~<=|:[\d-]/.test(text)) return;
  const next = pieces[at + 1];
  const wholeLine = next === undefined || next.role === 'break';
  for (const pattern of at > 0 && wholeLine ? [...blockStarts, ...underlines] : blockStarts) {
    const match = pattern.exec(wholeLine ? text : `${text}\0`);
    if (match !== null) {
      const [whole, kept = '', escaped = ''] = match;
      // What is left of a run could pair with delimiters in other pieces.
      const alone = pieces.length === 1 || !/^[*_]/.test(escaped);
      const run = alone ? escaped : (/^([*_])\1*/.exec(text)?.[0] ?? whole);
      marks.add(at, kept.length, run.length);
      return;
    }
  }
  if (at === 0 && context.itemStart && /^\[[ xX]\](?: |$)/.test(text)) marks.add(at, 0);
}

/** Autolinks also where `<` ends them: it may be written as a reference, which goes on. */
const tag =
  /<(?:[a-zA-Z][a-zA-Z0-9-]*(?:\s+[a-zA-Z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|\/[a-zA-Z][a-zA-Z0-9-]*\s*>|[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*[<>]|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+[<>])/y;
const entity = /&(?:#[xX][0-9a-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/y;

/** Backslashes, `<` of tags and autolinks, `&` of entities, and `!` before a link. */
function markCharacters(pieces: readonly Piece[], inCell: boolean, marks: EscapeMarks): void {
  const lastClose = inCell ? Infinity : pieces.findLastIndex((piece) => piece.text.includes('>'));
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as Piece;
    if (role !== 'text') continue;
    const lastCloseHere = text.lastIndexOf('>');
    for (let offset = 0; offset < text.length; offset++) {
      const character = text[offset];
      if (character === '\\') {
        if (/[!-/:-@[-`{-~]/.test(characterAfter(pieces, at, offset))) marks.add(at, offset);
      } else if (character === '&') {
        if (matchesAt(entity, text, offset)) marks.add(at, offset);
      } else if (character === '<') {
        const isMarkup =
          matchesAt(tag, text, offset) ||
          (/[!?]/.test(text[offset + 1] ?? '') && lastCloseHere > offset) ||
          // What reaches into other pieces: any later `>` may close it, also one after a quote.
          (lastClose > at && /[a-zA-Z/!?]/.test(characterAfter(pieces, at, offset)));
        if (isMarkup) marks.add(at, offset);
      } else if (character === '!' && offset === text.length - 1) {
        if (characterAfter(pieces, at, offset) === '[') marks.add(at, offset);
      }
    }
  }
}

/** The character that follows in the output; pieces may have become empty. */
function characterAfter(pieces: readonly Piece[], at: number, offset: number): string {
  const here = pieces[at]?.text[offset + 1];
  if (here !== undefined) return here;
  let next = at + 1;
  while (pieces[next]?.text === '') next++;
  return pieces[next]?.text[0] ?? '';
}

function matchesAt(pattern: RegExp, text: string, offset: number): boolean {
  pattern.lastIndex = offset;
  return pattern.test(text);
}
