/** The lines in what Tesseract gives: blocks of paragraphs of lines of words, in reading order. */
import type { OcrBox, OcrLine, OcrText, OcrWord } from '../ocr-engine.ts';

/** Of a line, 0 to 1: specks and edges of the paper are read as signs. */
const leastConfidence = 0.2;

/** Takes what is there: it is checked again by whoever asked. */
export function readBlocks(given: unknown): OcrText {
  const lines = listIn(given, 'blocks')
    .flatMap((block) => listIn(block, 'paragraphs'))
    .flatMap((paragraph) => listIn(paragraph, 'lines'))
    .flatMap(lineOf);
  return { lines };
}

function lineOf(given: unknown): OcrLine[] {
  const { text, bbox, confidence } = given as Record<string, unknown>;
  const box = boxOf(bbox);
  const sure = typeof confidence === 'number' ? Math.min(1, Math.max(0, confidence / 100)) : 0;
  if (typeof text !== 'string' || text.trim() === '' || sure < leastConfidence) return [];
  const words = listIn(given, 'words').flatMap((word): OcrWord[] => {
    const { text: written, bbox: place } = word as Record<string, unknown>;
    const wordBox = boxOf(place);
    return typeof written === 'string' && wordBox !== undefined
      ? [{ text: written, box: wordBox }]
      : [];
  });
  return [{ text: text.trim(), words, confidence: sure, ...(box === undefined ? {} : { box }) }];
}

function boxOf(given: unknown): OcrBox | undefined {
  const { x0, y0, x1, y1 } = (given ?? {}) as Record<string, unknown>;
  const isBox = [x0, y0, x1, y1].every((value) => typeof value === 'number');
  if (!isBox) return undefined;
  const [left, top, right, bottom] = [x0, y0, x1, y1] as [number, number, number, number];
  return { left, top, right, bottom };
}

function listIn(given: unknown, name: string): unknown[] {
  const list = ((given ?? {}) as Record<string, unknown>)[name];
  return Array.isArray(list) ? (list as unknown[]) : [];
}
