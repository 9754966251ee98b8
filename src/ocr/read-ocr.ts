/** From what a caller writes as `ocr` to an engine. */
import { ValidationError } from '../errors.ts';
import { preview } from '../text/preview.ts';
import type { OcrChoice, OcrEngine } from './ocr-engine.ts';

/** Throws `ValidationError` for what is no engine; asks nobody. */
export function readOcr(choice: OcrChoice): OcrEngine {
  if (typeof choice === 'function') {
    return { name: choice.name === '' ? 'ocr function' : choice.name, recognize: choice };
  }
  const issue = problemWith(choice);
  if (issue === undefined) return choice;
  throw new ValidationError('createClient', [{ path: ['ocr'], message: `ocr: ${issue}` }]);
}

function problemWith(choice: unknown): string | undefined {
  const { name, recognize, mediaTypes, close } = (choice ?? {}) as Partial<OcrEngine>;
  if (typeof choice !== 'object' || choice === null || typeof recognize !== 'function') {
    return `expected tesseractOcr(), an engine with name and recognize(), or a function, got ${preview(choice)}`;
  }
  if (typeof name !== 'string' || name === '') return 'expected an engine with a name';
  if (close !== undefined && typeof close !== 'function') return 'close: expected a function';
  const areTypes =
    mediaTypes === undefined ||
    (Array.isArray(mediaTypes) &&
      (mediaTypes as unknown[]).every(
        (type) => typeof type === 'string' && /^image\/[\w.+-]+$/.test(type),
      ));
  return areTypes ? undefined : "mediaTypes: expected a list of media types such as 'image/png'";
}
