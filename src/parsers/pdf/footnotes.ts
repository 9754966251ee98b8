/** Footnotes: small text at the foot of a page or column, whose numbers are raised in the text. */
import type { Block } from './blocks.ts';
import type { BodyStyle } from './body-style.ts';
import type { Segment, TextRun } from './geometry.ts';
import { inReadingOrder, textOfLines, type Vocabulary } from './line-text.ts';

/** Lines of a region, and the notes below them. */
export interface WithNotes {
  readonly lines: readonly Segment[];
  readonly notes: readonly Note[];
}

/** A note, with the page that it is on: numbers may begin anew on each. */
export interface Note {
  readonly mark: string;
  readonly block: Block;
}

/** Takes the notes off the end of lines. */
export function splitNotes(
  lines: readonly Segment[],
  body: BodyStyle,
  page: { readonly number: number; readonly words: Vocabulary },
): WithNotes {
  let start = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined || line.size > body.size * 0.94) break;
    if (markOf(line) !== undefined) start = at;
  }
  if (start === lines.length) return { lines, notes: [] };
  const notes: Note[] = [];
  let current: Segment[] = [];
  let mark = '';
  const close = (): void => {
    if (current.length === 0) return;
    const content = textOfLines(current, page.words);
    notes.push({ mark, block: { kind: 'note', label: noteId(page.number, mark), content } });
  };
  for (const line of lines.slice(start)) {
    const found = markOf(line);
    if (found !== undefined) {
      close();
      current = [{ ...line, runs: found.rest }];
      mark = found.mark;
    } else current.push(line);
  }
  close();
  return { lines: lines.slice(0, start), notes };
}

/** The id of a note in the HTML of the whole file. */
function noteId(page: number, mark: string): string {
  return `pdf-note-${page}-${mark}`;
}

/** The runs of a page whose raised marks lead to its notes. */
export function linkNotes(
  runs: readonly TextRun[],
  page: number,
  marks: ReadonlySet<string>,
): TextRun[] {
  const sorted = inReadingOrder(runs);
  return sorted.map((run, at) => {
    const mark = run.text.trim();
    const before = sorted[at - 1];
    // An exponent stands after the letter of a formula.
    const isExponent = before?.font.isItalic === true && before.text.trim().length < 3;
    return run.raised === 'sup' && run.href === undefined && marks.has(mark) && !isExponent
      ? { ...run, href: `#${noteId(page, mark)}` }
      : run;
  });
}

const noteMark = /^(?:\d{1,3}|[*†‡§¶a-z])$/u;

function markOf(line: Segment): { mark: string; rest: readonly TextRun[] } | undefined {
  const [first, ...rest] = inReadingOrder(line.runs);
  const mark = first?.text.trim() ?? '';
  if (first?.raised !== 'sup' || rest.length === 0 || !noteMark.test(mark)) return undefined;
  return { mark, rest };
}
