/** Makes every emphasis delimiter one that CommonMark recognises (section 6.2). */

/**
 * `<b>Note:</b>text` cannot be `**Note:**text`: a closing delimiter between punctuation and a letter
 * does not close. Punctuation and space at the edge are moved out, `**Note**:text`; where that
 * is not possible, such as around a link, the pair becomes HTML tags.
 */
export function settleEmphasis(pieces: TextPiece[]): void {
  // Each repair may change the context of a neighbouring delimiter; a few rounds settle all real text.
  for (let round = 0; round < 8; round++) {
    const unrecognised = moveEdges(pieces, round < 4);
    if (unrecognised === undefined) {
      const mispaired = findMispaired(pieces);
      if (mispaired.size === 0) return;
      writeAsTags(pieces, (pair) => mispaired.has(pair));
    } else {
      writeAsTags(pieces, (pair) => unrecognised.has(pair));
    }
  }
  writeAsTags(pieces, () => true);
}

/**
 * Moves text to repair delimiters that would not be recognised. Returns the pairs without text to
 * move, or undefined when no pair needed repair.
 */
function moveEdges(pieces: TextPiece[], mayMove: boolean): ReadonlySet<number> | undefined {
  let repaired = false;
  const unmovable = new Set<number>();
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as TextPiece;
    const opens = piece.role === 'open';
    if ((!opens && piece.role !== 'close') || unmovable.has(piece.pair)) continue;
    const outside = neighbour(pieces, at, opens ? -1 : 1);
    const inside = neighbour(pieces, at, opens ? 1 : -1);
    if (surelyOpens(outside, inside)) continue;
    repaired = true;
    const moved =
      mayMove &&
      (moveBrackets(pieces, at) || (opens ? moveBefore(pieces, at) : moveAfter(pieces, at)));
    if (!moved) unmovable.add(piece.pair);
  }
  return repaired ? unmovable : undefined;
}

/** Writes pairs as tags. Emphasis of punctuation alone is invisible, and dropped instead. */
function writeAsTags(pieces: TextPiece[], isTag: (pair: number) => boolean): void {
  let dropped = 0;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as TextPiece;
    if ((piece.role !== 'open' && piece.role !== 'close') || !isTag(piece.pair)) continue;
    const [content, close] = pieces.slice(at + 1, at + 3);
    if (
      close?.pair === piece.pair &&
      content?.role === 'text' &&
      !/[\p{L}\p{N}]/u.test(content.text)
    ) {
      piece.text = close.text = '';
      piece.role = close.role = 'text';
      dropped++;
      continue;
    }
    piece.text = `<${piece.role === 'open' ? '' : '/'}${tagNames[piece.text] ?? 'em'}>`;
    piece.role = 'literal';
  }
  if (dropped > 0) joinTexts(pieces);
}

/** Joins adjacent text pieces and removes empty ones. */
function joinTexts(pieces: TextPiece[]): void {
  let length = 0;
  for (const piece of pieces) {
    const last = pieces[length - 1];
    if (length > 0 && last?.role === 'text' && piece.role === 'text') last.text += piece.text;
    else if (piece.text !== '') pieces[length++] = piece;
  }
  pieces.length = length;
}

const tagNames: Readonly<Record<string, string>> = { '*': 'em', '**': 'strong', '~~': 'del' };

/** The kind of the character next to the piece's delimiter run. */
function neighbour(pieces: readonly TextPiece[], from: number, step: 1 | -1): NeighbourKind {
  const own = pieces[from]?.text.charAt(0);
  let at = from + step;
  while (isDelimiter(pieces[at]) && pieces[at]?.text.charAt(0) === own) at += step;
  const text = pieces[at]?.text ?? '';
  return step === 1 ? neighbourAt(text, 0) : neighbourBefore(text, text.length);
}

function isDelimiter(piece: TextPiece | undefined): boolean {
  return piece?.role === 'open' || piece?.role === 'close';
}

/** Moves punctuation at the start of the emphasised text to before the delimiters. */
function moveBefore(pieces: TextPiece[], open: number): boolean {
  let at = open + 1;
  while (pieces[at]?.role === 'open') at++;
  const piece = pieces[at];
  const edge = piece?.role === 'text' ? /^[\p{P}\p{S}\s]+/u.exec(piece.text)?.[0] : undefined;
  if (piece === undefined || edge === undefined || edge === piece.text) return false;
  let first = open;
  while (pieces[first - 1]?.role === 'open') first--;
  if (!insertText(pieces, first, edge)) return false;
  piece.text = piece.text.slice(edge.length);
  return true;
}

/** Moves punctuation at the end of the emphasised text to after the delimiters. */
function moveAfter(pieces: TextPiece[], close: number): boolean {
  let at = close - 1;
  while (pieces[at]?.role === 'close') at--;
  const piece = pieces[at];
  if (piece?.role !== 'text') return false;
  let end = piece.text.length;
  while (end > 0 && neighbourBefore(piece.text, end) !== 'word') {
    const code = piece.text.charCodeAt(end - 1);
    end -= code >= 0xdc00 && code <= 0xdfff && end > 1 ? 2 : 1;
  }
  if (end === 0 || end === piece.text.length) return false;
  let last = close;
  while (pieces[last + 1]?.role === 'close') last++;
  if (!insertText(pieces, last + 1, piece.text.slice(end))) return false;
  piece.text = piece.text.slice(0, end);
  return true;
}

/** Brackets and quotation marks that should stay on the same side of the emphasis. */
const mates = new Set([
  '()',
  '[]',
  '{}',
  '“”',
  '‘’',
  '„“',
  '«»',
  '‹›',
  '《》',
  '〈〉',
  '「」',
  '『』',
  '（）',
  '【】',
  '""',
  "''",
]);

/** Moves brackets around all of the emphasised text outside of the delimiters. */
function moveBrackets(pieces: TextPiece[], at: number): boolean {
  const { pair, role } = pieces[at] as TextPiece;
  const step = role === 'open' ? 1 : -1;
  let other = at + step;
  // In real text, the counterpart is nearby.
  while (Math.abs(other - at) < 50 && pieces[other]?.pair !== pair) other += step;
  const [open, close] = step === 1 ? [at, other] : [other, at];
  const first = pieces[open + 1];
  const last = pieces[close - 1];
  if (pieces[other]?.pair !== pair || first?.role !== 'text' || last?.role !== 'text') return false;
  const left = first.text.charAt(0);
  const right = last.text.charAt(last.text.length - 1);
  const shortest = first === last ? 3 : 2;
  if (!mates.has(left + right) || Math.min(first.text.length, last.text.length) < shortest) {
    return false;
  }
  if (!insertText(pieces, close + 1, right)) return false;
  last.text = last.text.slice(0, -1);
  if (insertText(pieces, open, left)) first.text = first.text.slice(1);
  return true;
}

/** Inserts text before the piece at `at`, into an adjacent text piece if possible. */
function insertText(pieces: TextPiece[], at: number, text: string): boolean {
  const before = pieces[at - 1];
  const after = pieces[at];
  if (before?.role === 'text') before.text += text;
  else if (after?.role === 'text') after.text = text + after.text;
  // Inserting shifts all later pieces, which is too slow for a hostile block with 100,000 marks.
  else if (pieces.length > 5000) return false;
  else pieces.splice(at, 0, { text, role: 'text', pair: 0 });
  return true;
}

// Simulates how CommonMark pairs the delimiters of a block: section 6.2, "process emphasis".

/** Adjacent delimiters of one kind, which parsers see as one run. */
interface DelimiterRun {
  readonly character: string;
  /** Its full length, for the "multiple of 3" rule. */
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** Unmatched delimiters. */
  parts: TextPiece[];
}

/** The numbers of pairs whose two delimiters a parser would not match with each other. */
function findMispaired(pieces: readonly TextPiece[]): ReadonlySet<number> {
  const openers: DelimiterRun[] = [];
  for (const run of readRuns(pieces)) {
    while (run.closes && run.parts.length > 0) {
      const at = openers.findLastIndex((opener) => canPair(opener, run));
      const opener = openers[at];
      if (opener === undefined) break;
      openers.length = at + 1;
      const mispaired = pairUp(opener, run);
      if (mispaired !== undefined) return mispaired;
      if (opener.parts.length === 0) openers.pop();
    }
    if (run.parts.length === 0) continue;
    if (!run.opens || run.parts.some((part) => part.role === 'close')) return pairsOf(run.parts);
    openers.push(run);
  }
  return pairsOf(openers.flatMap((opener) => opener.parts));
}

function readRuns(pieces: readonly TextPiece[]): DelimiterRun[] {
  const runs: DelimiterRun[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const character = delimiterOf(pieces[at]);
    if (character === undefined) continue;
    const from = at;
    while (delimiterOf(pieces[at + 1]) === character) at++;
    const previous = pieces[from - 1]?.text ?? '';
    const before = neighbourBefore(previous, previous.length);
    const after = neighbourAt(pieces[at + 1]?.text ?? '', 0);
    const parts = pieces.slice(from, at + 1);
    runs.push({
      character,
      length: parts.reduce((sum, part) => sum + part.text.length, 0),
      opens: isLeftFlanking(before, after),
      closes: isLeftFlanking(after, before),
      parts,
    });
  }
  return runs;
}

function delimiterOf(piece: TextPiece | undefined): string | undefined {
  return piece?.role === 'open' || piece?.role === 'close' ? piece.text.charAt(0) : undefined;
}

function isLeftFlanking(before: NeighbourKind, after: NeighbourKind): boolean {
  return after !== 'space' && (after === 'word' || before !== 'word');
}

function canPair(opener: DelimiterRun, closer: DelimiterRun): boolean {
  if (opener.character !== closer.character || !opener.opens) return false;
  if (opener.character === '~' || !(opener.closes || closer.opens)) return true;
  return (
    (opener.length + closer.length) % 3 !== 0 ||
    (opener.length % 3 === 0 && closer.length % 3 === 0)
  );
}

/** Matches the inner ends of two runs, or returns the pairs that this would split. */
function pairUp(opener: DelimiterRun, closer: DelimiterRun): ReadonlySet<number> | undefined {
  const inner = opener.parts.at(-1);
  const first = closer.parts[0];
  if (inner !== undefined && inner.pair === first?.pair) {
    // Parsers read `***` as italic around bold, whichever order was intended.
    const isBoth = opener.parts.length > 1 && opener.parts.at(-2)?.pair === closer.parts[1]?.pair;
    const readsBold = lengthOf(opener) >= 2 && lengthOf(closer) >= 2;
    if (isBoth || opener.character === '~' || readsBold === (inner.text.length === 2)) {
      opener.parts.pop();
      closer.parts.shift();
      return undefined;
    }
  }
  return pairsOf([inner, first]);
}

function lengthOf(run: DelimiterRun): number {
  return run.parts.reduce((sum, part) => sum + part.text.length, 0);
}

function pairsOf(parts: readonly (TextPiece | undefined)[]): ReadonlySet<number> {
  return new Set(parts.flatMap((part) => (part === undefined ? [] : [part.pair])));
}

// The delimiters that open and close emphasis: CommonMark, section 6.2.

/**
 * The kind of a character next to a delimiter. The start and end of a line count as space.
 * Symbols are punctuation since CommonMark 0.31 and were letters before.
 */
type NeighbourKind = 'space' | 'punctuation' | 'symbol' | 'word';

/** The character that begins at `index`. */
export function neighbourAt(text: string, index: number): NeighbourKind {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return 'space';
  if (code < 128) return classOfAscii(code);
  return classOf(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** The character that ends before `index`. */
export function neighbourBefore(text: string, index: number): NeighbourKind {
  const code = text.charCodeAt(index - 1);
  if (Number.isNaN(code)) return 'space';
  if (code < 128) return classOfAscii(code);
  const isLowHalf = code >= 0xdc00 && code <= 0xdfff && index > 1;
  return classOf(text.slice(isLowHalf ? index - 2 : index - 1, index));
}

/** True for delimiters that begin emphasis in every version of CommonMark. Mirror the arguments for its end. */
function surelyOpens(before: NeighbourKind, after: NeighbourKind): boolean {
  return after === 'word' || (after !== 'space' && before !== 'word' && before !== 'symbol');
}

/** True for delimiters that begin emphasis in some version of CommonMark. Mirror the arguments for its end. */
export function mayOpen(before: NeighbourKind, after: NeighbourKind): boolean {
  return after !== 'space' && (after !== 'punctuation' || before !== 'word');
}

function classOfAscii(code: number): NeighbourKind {
  if (code <= 32) return 'space';
  const isWord =
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isWord || code === 127 ? 'word' : 'punctuation';
}

function classOf(character: string): NeighbourKind {
  if (/\s/u.test(character)) return 'space';
  if (/\p{P}/u.test(character)) return 'punctuation';
  return /\p{S}/u.test(character) ? 'symbol' : 'word';
}

// Parts of a block's final text, with the facts that escaping needs.

/** A piece; the pieces joined are the block's text. */
export interface TextPiece {
  text: string;
  /**
   * `text`: words of the page, to be escaped. `literal`: markup, code, images. `open` and `close`:
   * delimiters of emphasis. `linkOpen` and `linkClose`: the two halves of a link. `break`: a line end.
   */
  role: 'text' | 'literal' | 'open' | 'close' | 'linkOpen' | 'linkClose' | 'break';
  /** The same number on a delimiter and its counterpart. */
  readonly pair: number;
}
