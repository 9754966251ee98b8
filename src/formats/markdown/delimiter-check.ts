/** Plays through how CommonMark pairs the delimiters of a block: section 6.2, "process emphasis". */
import { neighbourAt, neighbourBefore, type Neighbour } from './flanking.ts';
import type { Piece } from './piece.ts';

/** Delimiters of one kind without anything between them; parsers see them as one. */
interface Run {
  readonly character: string;
  /** Its full length, which the "multiple of 3" rule looks at. */
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** The delimiters that are not matched yet. */
  parts: Piece[];
}

/** The numbers of pairs that would not be matched with each other; none when all is well. */
export function findMispaired(pieces: readonly Piece[]): ReadonlySet<number> {
  const openers: Run[] = [];
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

function readRuns(pieces: readonly Piece[]): Run[] {
  const runs: Run[] = [];
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

function delimiterOf(piece: Piece | undefined): string | undefined {
  return piece?.role === 'open' || piece?.role === 'close' ? piece.text.charAt(0) : undefined;
}

function isLeftFlanking(before: Neighbour, after: Neighbour): boolean {
  return after !== 'space' && (after === 'word' || before !== 'word');
}

function canPair(opener: Run, closer: Run): boolean {
  if (opener.character !== closer.character || !opener.opens) return false;
  if (opener.character === '~' || !(opener.closes || closer.opens)) return true;
  return (
    (opener.length + closer.length) % 3 !== 0 ||
    (opener.length % 3 === 0 && closer.length % 3 === 0)
  );
}

/** Matches the inner ends of two runs, or says which pairs that would tear apart. */
function pairUp(opener: Run, closer: Run): ReadonlySet<number> | undefined {
  const inner = opener.parts.at(-1);
  const first = closer.parts[0];
  if (inner !== undefined && inner.pair === first?.pair) {
    // `***` is read as italic around bold, whichever way we meant it.
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

function lengthOf(run: Run): number {
  return run.parts.reduce((sum, part) => sum + part.text.length, 0);
}

function pairsOf(parts: readonly (Piece | undefined)[]): ReadonlySet<number> {
  return new Set(parts.flatMap((part) => (part === undefined ? [] : [part.pair])));
}
