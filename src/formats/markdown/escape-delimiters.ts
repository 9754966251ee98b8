/** `*`, `_` and `~` that would begin or end emphasis. */
import type { EscapeMarks } from './escape-marks.ts';
import { mayOpen, neighbourAt, neighbourBefore } from './flanking.ts';
import type { Piece } from './piece.ts';

interface Run {
  readonly piece: number;
  readonly offset: number;
  /** 0 for delimiters that we wrote ourselves. */
  readonly length: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** True when it touches a delimiter of ours, which would make one run of both. */
  readonly touches: boolean;
}

/** A delimiter is escaped when it can open emphasis and a later one can close it, or the reverse. */
export function markDelimiters(
  pieces: readonly Piece[],
  delimiter: string,
  marks: EscapeMarks,
): void {
  const runs = findRuns(pieces, delimiter);
  let opened = false;
  const needed = new Set<Run>();
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

function findRuns(pieces: readonly Piece[], delimiter: string): Run[] {
  const pattern = delimiter === '*' ? /\*+/g : delimiter === '_' ? /_+/g : /~+/g;
  const runs: Run[] = [];
  let inText = false;
  let links = 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as Piece;
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
      // A backslash at the end of a URL would become part of it: what opens is escaped instead.
      runs.push(inUrl && !run.touches ? { ...run, length: 0, opens: false } : run);
    }
  }
  return inText ? runs : [];
}

interface BareUrl {
  readonly start: number;
  /** Where the link ends. */
  readonly linked: number;
  readonly end: number;
}

/** GFM makes links of these, with every character in them but punctuation at the end. */
function bareUrls(text: string): BareUrl[] {
  if (!text.includes('://') && !text.includes('www.')) return [];
  return [...text.matchAll(/(?<![^\s*_~(])(?:https?:\/\/|www\.)[^\s<]+/g)].map((match) => ({
    start: match.index,
    linked: match.index + match[0].replace(/[?!.,:;*_~'")]+$/, '').length,
    end: match.index + match[0].length,
  }));
}

function runAt(
  pieces: readonly Piece[],
  piece: number,
  offset: number,
  length: number,
  delimiter: string,
): Run {
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

function isDelimiter(piece: Piece | undefined, delimiter: string): boolean {
  return (piece?.role === 'open' || piece?.role === 'close') && piece.text.startsWith(delimiter);
}
