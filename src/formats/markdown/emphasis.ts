/** Makes every delimiter of emphasis one that CommonMark recognises. */
import { findMispaired } from './delimiter-check.ts';
import { neighbourAt, neighbourBefore, type Neighbour, surelyOpens } from './flanking.ts';
import type { Piece } from './piece.ts';

/**
 * `<b>Note:</b>text` cannot be `**Note:**text`: a closing delimiter between punctuation and a letter
 * does not close. Punctuation and space at the edge are moved out, `**Note**:text`; where that
 * is not possible, such as around a link, the pair becomes HTML tags.
 */
export function settleEmphasis(pieces: Piece[]): void {
  // Each repair may change what a neighbouring delimiter sees; a few rounds settle all real text.
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
 * Repairs delimiters that would not be recognised by moving text. Returns the pairs for which there
 * is no text to move, or undefined when there was nothing to repair.
 */
function moveEdges(pieces: Piece[], mayMove: boolean): ReadonlySet<number> | undefined {
  let repaired = false;
  const unmovable = new Set<number>();
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as Piece;
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

/** Emphasis of nothing but punctuation is dropped instead: nobody sees it. */
function writeAsTags(pieces: Piece[], isTag: (pair: number) => boolean): void {
  let dropped = 0;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as Piece;
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

/** Makes one piece of texts that follow each other: no piece is empty afterwards. */
function joinTexts(pieces: Piece[]): void {
  let kept = 0;
  for (const piece of pieces) {
    const last = pieces[kept - 1];
    if (kept > 0 && last?.role === 'text' && piece.role === 'text') last.text += piece.text;
    else if (piece.text !== '') pieces[kept++] = piece;
  }
  pieces.length = kept;
}

const tagNames: Readonly<Record<string, string>> = { '*': 'em', '**': 'strong', '~~': 'del' };

/** What stands next to the delimiter run that the piece belongs to. */
function neighbour(pieces: readonly Piece[], from: number, step: 1 | -1): Neighbour {
  const own = pieces[from]?.text.charAt(0);
  let at = from + step;
  while (isDelimiter(pieces[at]) && pieces[at]?.text.charAt(0) === own) at += step;
  const text = pieces[at]?.text ?? '';
  return step === 1 ? neighbourAt(text, 0) : neighbourBefore(text, text.length);
}

function isDelimiter(piece: Piece | undefined): boolean {
  return piece?.role === 'open' || piece?.role === 'close';
}

/** Moves punctuation at the start of the emphasised text to before the delimiters. */
function moveBefore(pieces: Piece[], open: number): boolean {
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
function moveAfter(pieces: Piece[], close: number): boolean {
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

/** Moves brackets around all of the emphasised text to outside of the delimiters. */
function moveBrackets(pieces: Piece[], at: number): boolean {
  const { pair, role } = pieces[at] as Piece;
  const step = role === 'open' ? 1 : -1;
  let other = at + step;
  // The counterpart of a delimiter is near in all real text.
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

/** Puts text before the piece at `at`, into a text piece that is there already if possible. */
function insertText(pieces: Piece[], at: number, text: string): boolean {
  const before = pieces[at - 1];
  const after = pieces[at];
  if (before?.role === 'text') before.text += text;
  else if (after?.role === 'text') after.text = text + after.text;
  // Inserting moves all that follows: not for a hostile block with 100,000 marks.
  else if (pieces.length > 5000) return false;
  else pieces.splice(at, 0, { text, role: 'text', pair: 0 });
  return true;
}
