/** What makes text of a picture that is not in a PDF: loaded with the first one. */
import type { OcrLine } from '../../ocr/ocr-engine.ts';
import { FileHtml } from './file-html.ts';
import { runsOfLines } from './recognized-runs.ts';
import { noRulings } from './drawing.ts';

/** The HTML of one page of lines; empty when nothing is in them. `scale`: pixels a point. */
export function htmlOfLines(
  lines: readonly OcrLine[],
  {
    width,
    height,
    scale,
  }: { readonly width: number; readonly height: number; readonly scale: number },
): string {
  const runs = runsOfLines(lines, scale);
  if (runs.length === 0) return '';
  const size = { width: width / scale, height: height / scale };
  const page = { number: 1, ...size, runs, rulings: noRulings, shapes: [], tree: undefined };
  const text = new FileHtml({ isTagged: false, pageMarkers: false });
  text.add(page);
  return text.end();
}
