/** Backticks that would begin or end code. */
import type { EscapeMarks } from './escape-marks.ts';
import type { Piece } from './piece.ts';

/**
 * A run of backticks begins code when another run of its length follows, or grows by touching code.
 * In a cell or in the text of a link any of them might, for some reader of markdown.
 */
export function markBackticks(pieces: readonly Piece[], inCell: boolean, marks: EscapeMarks): void {
  const counts = new Map<number, number>();
  const runs: { piece: number; offset: number; length: number; touches: boolean }[] = [];
  let links = inCell ? 1 : 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as Piece;
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
  // Escaping changes the lengths of runs: where one touches code, none is safe; a longer one falls
  // apart into single backticks.
  const all = runs.some((run) => run.touches);
  const isNeeded = (run: (typeof runs)[number]): boolean =>
    all || (counts.get(run.length) ?? 0) > 1 || (run.offset === 0 && marks.hasStart(run.piece));
  if (runs.some((run) => run.length > 1 && isNeeded(run))) counts.set(1, 2);
  for (const run of runs) {
    if (isNeeded(run)) marks.add(run.piece, run.offset, run.length);
  }
}
