/** Lines of text in the order that the structure tree gives, which is not that of the page. */
import type { Segment, TextRun } from './geometry.ts';
import { segmentOf } from './segments.ts';

/** A line ends where the next piece of text stands on another. */
export function linesInOrder(runs: readonly TextRun[]): Segment[] {
  const lines: TextRun[][] = [];
  let main: TextRun | undefined;
  for (const run of runs) {
    const line = lines.at(-1);
    const shift = main === undefined ? 0 : run.baseline - main.baseline;
    if (line === undefined || main === undefined || isNextLine(main, run, shift)) {
      lines.push([run]);
      main = run;
    } else if (run.size < main.size * 0.85 && Math.abs(shift) > 0.5) {
      line.push({ ...run, raised: shift < 0 ? 'sup' : 'sub' });
    } else {
      if (main.size < run.size * 0.85 && Math.abs(shift) > 0.5 && line.length === 1) {
        line[0] = { ...main, raised: shift > 0 ? 'sup' : 'sub' };
      }
      line.push(run);
      if (run.size > main.size) main = run;
    }
  }
  return lines.map(segmentOf);
}

function isNextLine(main: TextRun, run: TextRun, shift: number): boolean {
  return Math.abs(shift) > Math.max(main.size, run.size) * 0.6;
}
