/** Lines of code: in a font of equal widths, with the indents and gaps that they have on the page. */
import { median, type Segment } from './geometry.ts';

/** True for lines all of whose letters are equally wide. */
export function isCodeLine({ runs }: Segment): boolean {
  return runs.every(({ font, text }) => font.isMono || text.trim() === '');
}

/** The lines as they stand; a gap of a line is an empty line. */
export function codeText(lines: readonly Segment[]): string {
  const width = median(lines.flatMap(({ runs }) => runs.map(widthOfLetter))) || 6;
  const left = Math.min(...lines.map((line) => line.left));
  const leading = leadingOf(lines);
  const out: string[] = [];
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    const gap = before === undefined ? 0 : line.baseline - before.baseline;
    if (leading > 0 && gap > leading * 1.6) out.push('');
    let text = '';
    let right = left;
    for (const run of [...line.runs].sort((a, b) => a.left - b.left)) {
      const spaces = Math.min(Math.round((run.left - right) / width), 200);
      const least = run.afterSpace && text !== '' ? 1 : 0;
      text += ' '.repeat(Math.max(spaces, least)) + run.text.trimEnd();
      right = run.left + width * run.text.trimEnd().length;
    }
    out.push(text);
  }
  return out.join('\n');
}

function widthOfLetter({ left, right, text }: Segment['runs'][number]): number {
  return (right - left) / Math.max(text.length, 1);
}

/** The usual distance of lines, which is the smallest common one. */
function leadingOf(lines: readonly Segment[]): number {
  const gaps = lines
    .slice(1)
    .map((line, at) => line.baseline - (lines[at]?.baseline ?? 0))
    .filter((gap) => gap > 1)
    .sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 4)] ?? 0;
}
