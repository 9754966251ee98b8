/** From what a caller writes as `ocr` to an engine. */
import { ValidationError } from '../errors.ts';
import { preview } from '../text/preview.ts';
import type { OcrChoice, OcrEngine } from './ocr-engine.ts';
import { mostPagesAtOnce } from './picture-reading.ts';

/** Throws `ValidationError` for what is no engine; asks nobody. */
export function readOcr(choice: OcrChoice): OcrEngine {
  if (typeof choice === 'function') {
    return { name: choice.name === '' ? 'ocr function' : choice.name, recognize: choice };
  }
  const issue = problemWith(choice);
  if (issue === undefined) return choice;
  throw new ValidationError('createClient', [{ path: [], message: issue }]);
}

function problemWith(choice: unknown): string | undefined {
  const { name, recognize, mediaTypes, pagesAtOnce, close } = (choice ?? {}) as Partial<OcrEngine>;
  if (typeof choice !== 'object' || choice === null || typeof recognize !== 'function') {
    return `expected tesseractOcr(), an engine with name and recognize(), or a function, got ${preview(choice)}`;
  }
  if (typeof name !== 'string' || name === '') return 'expected an engine with a name';
  if (close !== undefined && typeof close !== 'function') return 'close: expected a function';
  if (pagesAtOnce !== undefined && !isPagesAtOnce(pagesAtOnce)) {
    return `pagesAtOnce: expected a whole number from 1 to ${mostPagesAtOnce}, got ${preview(pagesAtOnce)}`;
  }
  const areTypes =
    mediaTypes === undefined ||
    (Array.isArray(mediaTypes) &&
      (mediaTypes as unknown[]).every(
        (type) => typeof type === 'string' && /^image\/[\w.+-]+$/.test(type),
      ));
  return areTypes ? undefined : "mediaTypes: expected a list of media types such as 'image/png'";
}

function isPagesAtOnce(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= mostPagesAtOnce;
}
