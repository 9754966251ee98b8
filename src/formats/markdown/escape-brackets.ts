/** Brackets that would make a link, a footnote or a definition. */
import type { EscapeMarks } from './escape-marks.ts';
import type { Piece } from './piece.ts';

/** What has to be known about the place and the document. */
export interface BracketContext {
  /** True where lines can begin a list, a heading and so on: not in headings and table cells. */
  readonly blockStart: boolean;
  /** True in a table cell: readers without tables take the rows for one paragraph. */
  readonly inCell: boolean;
  /** True for the label of a footnote that the document has. */
  readonly isFootnote: (label: string) => boolean;
}

/** `[` of what would be a link, a footnote or a definition, and all brackets in the text of links. */
export function markBrackets(
  pieces: readonly Piece[],
  context: BracketContext,
  marks: EscapeMarks,
): void {
  const open: { piece: number; offset: number }[] = [];
  // The bracket that opens may stand in another cell, or in a formula, where nothing is escaped.
  const anyOpens =
    context.inCell || pieces.some(({ role, text }) => role === 'literal' && /^\$.*\[/.test(text));
  let links = 0;
  for (let at = 0; at < pieces.length; at++) {
    const { text, role } = pieces[at] as Piece;
    if (role === 'linkOpen') links++;
    if (role === 'linkClose') links--;
    if (role !== 'text') continue;
    for (const match of text.matchAll(/[[\]]/g)) {
      const offset = match.index;
      if (links > 0) {
        marks.add(at, offset);
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
        const begins = context.blockStart && start.piece === 0 && start.offset === 0;
        const label =
          start.piece === at && text[start.offset + 1] === '^'
            ? text.slice(start.offset + 2, offset)
            : '';
        // With `[` before `[`, escaping one would give the bracket to the other.
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
