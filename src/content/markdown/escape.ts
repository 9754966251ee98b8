/** Escapes the characters of page text that markdown would read as markup. */
import { mayOpen, neighbourAt, neighbourBefore, type TextPiece } from './emphasis.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

/** Where the text is in the document. */
export interface EscapeContext extends BracketContext {
  /** True at the start of a list item, where `[ ]` is a check box. */
  readonly itemStart: boolean;
  /**
   * True if a bare link may directly precede the pieces.
   * @default false
   */
  readonly followsLink?: boolean;
}

/** Escapes the text pieces in place; characters without meaning in their position are unchanged. */
export function escapePieces(pieces: TextPiece[], context: EscapeContext): void {
  const marks = new EscapeMarks();
  let special = false;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as TextPiece;
    if (piece.role !== 'text') continue;
    if (context.blockStart && startsLine(pieces, at)) markLineStart(pieces, at, context, marks);
    const before = pieces[at - 1];
    if (before?.role === 'literal' && before.text.startsWith('[^') && /^[(:]/.test(piece.text)) {
      // After a footnote reference these characters would make a link or a definition.
      marks.add(at, 0);
    }
    special ||= specialCharacter.test(piece.text);
  }
  if (special) {
    markCharacters(pieces, context.inCell, marks);
    markBackticks(pieces, context.inCell, marks);
    for (const delimiter of ['*', '_', '~']) markDelimiters(pieces, delimiter, marks);
    markBrackets(pieces, context, marks);
  }
  marks.apply(pieces, context.followsLink === true);
}

const specialCharacter = /[\\`*_[\]<&~!]/;

function startsLine(pieces: readonly TextPiece[], at: number): boolean {
  return at === 0 || pieces[at - 1]?.role === 'break';
}

const firstOfBlock = /^[#>+*_`~<=|:[\d-]/;

/** A line that would begin another block. Group 1 is kept, group 2 is escaped. */
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

/** A line that would turn the previous line into a heading or a table. */
const underlines: readonly RegExp[] = [
  /^()([=-])\2*$/,
  /^()([|:-]) ?:?-*:? ?(?:\| ?:?-+:? ?)*\|?$/,
];

function markLineStart(
  pieces: readonly TextPiece[],
  at: number,
  context: EscapeContext,
  marks: EscapeMarks,
): void {
  const text = pieces[at]?.text ?? '';
  if (!firstOfBlock.test(text)) return;
  const next = pieces[at + 1];
  const wholeLine = next === undefined || next.role === 'break';
  for (const pattern of at > 0 && wholeLine ? [...blockStarts, ...underlines] : blockStarts) {
    const match = pattern.exec(wholeLine ? text : `${text}\0`);
    if (match !== null) {
      const [whole, before = '', escaped = ''] = match;
      // The rest of a run could pair with delimiters in other pieces.
      const alone = pieces.length === 1 || !/^[*_]/.test(escaped);
      const run = alone ? escaped : (/^([*_])\1*/.exec(text)?.[0] ?? whole);
      marks.add(at, before.length, run.length);
      return;
    }
  }
  if (at === 0 && context.itemStart && /^\[[ xX]\](?: |$)/.test(text)) marks.add(at, 0);
}

/** Includes autolinks that `<` ends: it may be written as a character reference, which does not end them. */
const tag =
  /<(?:[a-zA-Z][a-zA-Z0-9-]*(?:[ \t\n\r\f\v]+[a-zA-Z_:][\w.:-]*(?:[ \t\n\r\f\v]*=[ \t\n\r\f\v]*(?:[^ \t\n\r\f\v"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t\n\r\f\v]*\/?>|\/[a-zA-Z][a-zA-Z0-9-]*[ \t\n\r\f\v]*>|[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^ \t\n\r\f\v<>]*[<>]|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+[<>])/y;

const entity = /&(?:#[xX][0-9a-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});/y;

/** Backslashes, `<` of tags and autolinks, `&` of entities, and `!` before a link. */
function markCharacters(pieces: readonly TextPiece[], inCell: boolean, marks: EscapeMarks): void {
  const lastClose = inCell ? Infinity : pieces.findLastIndex((piece) => piece.text.includes('>'));
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as TextPiece;
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
          // A tag that spans pieces: any later `>` may close it, also after a quote.
          (lastClose > at && /[a-zA-Z/!?]/.test(characterAfter(pieces, at, offset)));
        if (isMarkup) marks.add(at, offset);
      } else if (character === '!' && offset === text.length - 1) {
        if (characterAfter(pieces, at, offset) === '[') marks.add(at, offset);
      }
    }
  }
}

/** The character that follows in the output; pieces may have become empty. */
function characterAfter(pieces: readonly TextPiece[], at: number, offset: number): string {
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

// The positions to escape in a block's text.

/**
 * Collects positions, then writes a backslash before each, or a character reference where a backslash has no
 * effect.
 */
class EscapeMarks {
  /** Undefined for most blocks, which have no positions. */
  #byPiece: Map<number, number[]> | undefined;

  add(piece: number, offset: number, length = 1): void {
    this.#byPiece ??= new Map();
    const offsets = getOrInsert(this.#byPiece, piece, () => []);
    for (let at = 0; at < length; at++) offsets.push(offset + at);
  }

  hasStart(piece: number): boolean {
    return this.#byPiece?.get(piece)?.includes(0) ?? false;
  }

  /** `followsLink`: a bare link may directly precede the pieces. */
  apply(pieces: TextPiece[], followsLink: boolean): void {
    if (this.#byPiece === undefined) return;
    const links = new BareLinks(pieces);
    const inLinks = piecesInLinks(pieces);
    for (const [index, offsets] of this.#byPiece) {
      const piece = pieces[index];
      if (piece === undefined) continue;
      let text = '';
      let from = 0;
      for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
        text += piece.text.slice(from, offset);
        from = offset;
        const character = piece.text[offset] ?? '';
        const mayReach = character === '<' || !inLinks.has(index);
        const reference = mayReach ? references[character] : undefined;
        if (reference === undefined || !(followsLink || links.reach(index, offset))) {
          text += '\\';
          continue;
        }
        text += reference;
        from += 1;
      }
      piece.text = text + piece.text.slice(from);
    }
  }
}

/** Replacements for characters after a bare link, which would absorb a backslash into its URL. */
const references: Readonly<Record<string, string>> = { '<': '&lt;', '[': '&#91;', ']': '&#93;' };

/** The pieces in the text of links, where no bare link begins. */
function piecesInLinks(pieces: readonly TextPiece[]): ReadonlySet<number> {
  const found = new Set<number>();
  let depth = 0;
  for (const [at, { role }] of pieces.entries()) {
    if (role === 'linkOpen') depth += 1;
    if (role === 'linkClose') depth -= 1;
    if (depth > 0) found.add(at);
  }
  return found;
}

// Backticks that would begin or end code.

/**
 * A run of backticks begins code when another run of its length follows, or when it touches code and grows.
 * In a cell or link text any run might begin code, in some markdown parser.
 */
function markBackticks(pieces: readonly TextPiece[], inCell: boolean, marks: EscapeMarks): void {
  const counts = new Map<number, number>();
  const runs: { piece: number; offset: number; length: number; touches: boolean }[] = [];
  let links = inCell ? 1 : 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as TextPiece;
    if (role === 'linkOpen') links++;
    if (role === 'linkClose') links--;
    if (!text.includes('`')) continue;
    for (const match of text.matchAll(/`+/g)) {
      const { length } = match[0];
      counts.set(length, (counts.get(length) ?? 0) + 1);
      if (role !== 'text') continue;
      const touches =
        links > 0 ||
        (match.index === 0 && pieces[at - 1]?.text.endsWith('`') === true) ||
        (match.index + length === text.length && pieces[at + 1]?.text.startsWith('`') === true);
      runs.push({ piece: at, offset: match.index, length, touches });
    }
  }
  // Escaping changes the lengths of runs: if one run touches code, no run is safe; an escaped longer run
  // falls apart into single backticks.
  const all = runs.some((run) => run.touches);
  const isNeeded = (run: (typeof runs)[number]): boolean =>
    all || (counts.get(run.length) ?? 0) > 1 || (run.offset === 0 && marks.hasStart(run.piece));
  if (runs.some((run) => run.length > 1 && isNeeded(run))) counts.set(1, 2);
  for (const run of runs) {
    if (isNeeded(run)) marks.add(run.piece, run.offset, run.length);
  }
}

// Brackets that would make a link, a footnote or a definition.

/** Facts about the position and the document. */
interface BracketContext {
  /** True if lines can begin a list, a heading and so on: not in headings and table cells. */
  readonly blockStart: boolean;
  /** True in a table cell: parsers without tables read the rows as one paragraph. */
  readonly inCell: boolean;
  /** True for the label of a footnote that the document has. */
  readonly isFootnote: (label: string) => boolean;
}

/** Marks `[` that would begin a link, a footnote or a definition, and all brackets in link text. */
function markBrackets(
  pieces: readonly TextPiece[],
  context: BracketContext,
  marks: EscapeMarks,
): void {
  const open: { piece: number; offset: number }[] = [];
  // The opening bracket may be in another cell, or in a formula, where nothing is escaped.
  const anyOpens =
    context.inCell || pieces.some(({ role, text }) => role === 'literal' && /^\$.*\[/.test(text));
  let links = 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as TextPiece;
    if (role === 'linkOpen') links++;
    if (role === 'linkClose') links--;
    if (role !== 'text') continue;
    for (const match of text.matchAll(/[[\]]/g)) {
      const offset = match.index;
      if (links > 0) {
        marks.add(at, offset);
        // marked drops the backslashes of brackets in link text before it searches it for links.
        if (match[0] === ']' && text[offset + 1] === '(') marks.add(at, offset + 1);
      } else if (match[0] === '[') {
        open.push({ piece: at, offset });
      } else {
        const start = open.pop();
        const next = text[offset + 1] ?? pieces[at + 1]?.text[0];
        if (anyOpens && next === '(') {
          marks.add(at, offset);
          continue;
        }
        if (start === undefined) continue;
        // Python-Markdown finds definitions at the start of any line.
        const begins = context.blockStart && start.offset === 0 && startsLine(pieces, start.piece);
        const label =
          start.piece === at && text[start.offset + 1] === '^'
            ? text.slice(start.offset + 2, offset)
            : '';
        // With two open brackets, escaping one would pair `]` with the other.
        if (next === '(' && open.length > 0) {
          marks.add(at, offset);
          open.push(start);
        } else if (next === '(' || (next === ':' && begins) || context.isFootnote(label)) {
          marks.add(start.piece, start.offset);
        }
      }
    }
  }
}

// `*`, `_` and `~` that would begin or end emphasis.

interface DelimiterRun {
  readonly piece: number;
  readonly offset: number;
  /** 0 for delimiters that the converter wrote. */
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** True when the run touches a delimiter that the converter wrote, which would make one run of both. */
  readonly touches: boolean;
}

/** A delimiter is escaped when it can open emphasis and a later one can close it, or the reverse. */
function markDelimiters(pieces: readonly TextPiece[], delimiter: string, marks: EscapeMarks): void {
  const runs = findRuns(pieces, delimiter);
  let opened = false;
  const needed = new Set<DelimiterRun>();
  for (const run of runs) {
    if (run.touches || (run.closes && opened)) needed.add(run);
    opened ||= run.opens;
  }
  let closed = false;
  for (const run of runs.reverse()) {
    if (run.opens && closed) needed.add(run);
    closed ||= run.closes;
  }
  for (const run of needed) {
    if (run.length > 0) marks.add(run.piece, run.offset, run.length);
  }
}

function findRuns(pieces: readonly TextPiece[], delimiter: string): DelimiterRun[] {
  const pattern = delimiter === '*' ? /\*+/g : delimiter === '_' ? /_+/g : /~+/g;
  const runs: DelimiterRun[] = [];
  let inText = false;
  let links = 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as TextPiece;
    if (role === 'linkOpen') links++;
    if (role === 'linkClose') links--;
    if ((role === 'open' || role === 'close') && text.startsWith(delimiter)) {
      const opens = role === 'open';
      runs.push({ piece: at, offset: 0, length: 0, opens, closes: !opens, touches: false });
    }
    if (role !== 'text' || !text.includes(delimiter)) continue;
    const urls = links === 0 ? bareUrls(text) : [];
    let url = 0;
    for (const { 0: found, index } of text.matchAll(pattern)) {
      while ((urls[url]?.end ?? Infinity) <= index) url++;
      const inUrl = (urls[url]?.start ?? Infinity) <= index;
      if (inUrl && index < (urls[url]?.linked ?? 0)) continue;
      inText = true;
      const run = runAt(pieces, at, index, found.length, delimiter);
      // A backslash at the end of a URL would become part of it: the opening run is escaped instead.
      runs.push(inUrl && !run.touches ? { ...run, length: 0, opens: false } : run);
    }
  }
  return inText ? runs : [];
}

interface BareUrl {
  readonly start: number;
  /** End of the link. */
  readonly linked: number;
  readonly end: number;
}

/** Finds the URLs that GFM makes links; a link leaves out punctuation at the end. */
function bareUrls(text: string): BareUrl[] {
  if (!text.includes('://') && !text.includes('www.')) return [];
  return [...text.matchAll(/(?<![^\s*_~(])(?:https?:\/\/|www\.)[^\s<]+/g)].map((match) => ({
    start: match.index,
    linked: match.index + match[0].replace(/[?!.,:;*_~'")]+$/, '').length,
    end: match.index + match[0].length,
  }));
}

function runAt(
  pieces: readonly TextPiece[],
  piece: number,
  offset: number,
  length: number,
  delimiter: string,
): DelimiterRun {
  const text = pieces[piece]?.text ?? '';
  const end = offset + length;
  const previous = offset === 0 ? pieces[piece - 1] : undefined;
  const next = end === text.length ? pieces[piece + 1] : undefined;
  const before = previous
    ? neighbourBefore(previous.text, previous.text.length)
    : neighbourBefore(text, offset);
  const after = next ? neighbourAt(next.text, 0) : neighbourAt(text, end);
  const left = mayOpen(before, after);
  const right = mayOpen(after, before);
  const inWord = delimiter === '_';
  return {
    piece,
    offset,
    length,
    opens: left && (!inWord || !right || before === 'punctuation' || before === 'symbol'),
    closes: right && (!inWord || !left || after === 'punctuation' || after === 'symbol'),
    touches: isDelimiter(previous, delimiter) || isDelimiter(next, delimiter),
  };
}

function isDelimiter(piece: TextPiece | undefined, delimiter: string): boolean {
  return (piece?.role === 'open' || piece?.role === 'close') && piece.text.startsWith(delimiter);
}

// URLs and addresses that markdown parsers turn into links without markup (GFM, 6.9).

/**
 * A bare link extends to the next space or `<`, over emphasis, code and backslashes: inside of it a backslash
 * does not escape, and a code span does not begin.
 */
export class BareLinks {
  /** From the start of a link to the next space, in the text of all pieces. */
  readonly #stretches: { readonly from: number; readonly to: number }[] = [];
  /** Start of each piece. */
  readonly #starts: number[] = [];

  constructor(pieces: readonly TextPiece[]) {
    let text = '';
    for (const piece of pieces) {
      this.#starts.push(text.length);
      text += piece.text;
    }
    for (const { index, 0: link } of text.matchAll(linkStart)) {
      this.#stretches.push({ from: index, to: index + link.length });
    }
  }

  /** True if an earlier link may still continue here. */
  reach(piece: number, offset: number): boolean {
    const at = (this.#starts[piece] ?? 0) + offset;
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle]?.to ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return (this.#stretches[low]?.from ?? Infinity) < at;
  }
}

/** Includes schemes that GFM does not know: some parsers accept any. */
const linkStart = /(?::\/\/|www\.|@)[^ \t\n\r\f\v]*/gi;
