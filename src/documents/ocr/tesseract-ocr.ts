/** OCR by tesseract.js, an optional package: Tesseract as WebAssembly, on its own worker threads. */
import { availableParallelism } from 'node:os';
import { ValidationError } from '../../core/runtime/errors.ts';
import { Lazy, loadModule } from '../../core/runtime/load-module.ts';
import { requirePackages } from '../../core/runtime/optional-packages.ts';
import { preview, unknownName } from '../../core/checks/option-errors.ts';
import type { OcrBox, OcrEngine, OcrLine, OcrText, OcrWord } from '../../core/model/ocr-engine.ts';
import { mostPagesAtOnce } from './picture-recognizer.ts';
import type { TesseractPool } from './tesseract-threads.ts';
import { type Duration, durationSchema, milliseconds } from '../../core/checks/duration.ts';

/** Options of `tesseractOcr()`. */
export interface TesseractOcrOptions {
  /**
   * Tesseract's names of languages, such as `eng`, `deu` and `chi_sim`; each page is searched for all of
   * them, which takes longer with each. @default ['eng']
   */
  readonly languages?: readonly string[] | undefined;
  /**
   * A folder with `<language>.traineddata` or `<language>.traineddata.gz`.
   * @default the npm package `@tesseract.js-data/<language>`
   */
  readonly dataFolder?: string | undefined;
  /**
   * Pictures that are read concurrently, 1 to 32; each takes a thread and about 150 MB.
   * @default processors less one, from 1 to 4
   */
  readonly threads?: number | undefined;
  /** Milliseconds after which an idle thread ends. @default 30000 */
  readonly idleTime?: Duration | undefined;
}

/**
 * Makes an engine. Its threads start with the first picture, and keep no process alive. Nothing is
 * downloaded, and nothing is written. Throws `ValidationError`, and `MISSING_DEPENDENCY` without
 * `tesseract.js`; a scrape rejects with it where the data of a language is not installed.
 *
 * @example
 * // npm install tesseract.js @tesseract.js-data/eng @tesseract.js-data/deu
 * const client = createClient({ ocr: tesseractOcr({ languages: ['eng', 'deu'] }) });
 */
export function tesseractOcr(options: TesseractOcrOptions = {}): OcrEngine {
  refuseWrong(options);
  requirePackages('tesseractOcr()', 'tesseract.js');
  const { languages = ['eng'], dataFolder, threads, idleTime = 30_000 } = options;
  const limit = threads ?? Math.min(4, Math.max(1, availableParallelism() - 1));
  const pool = new Lazy<TesseractPool>(async () => {
    const { TesseractPool } = await loadModule(() => import('./tesseract-threads.ts'));
    return new TesseractPool({ languages, folder: dataFolder }, limit, milliseconds(idleTime));
  });
  return {
    name: 'tesseract',
    mediaTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff'],
    // The time limit of a picture includes waiting for a thread.
    pagesAtOnce: Math.min(limit, mostPagesAtOnce),
    recognize: async ({ bytes, signal }) =>
      readBlocks(await (await pool.get()).recognize(bytes, signal)),
    close: async () => (await pool.made())?.close(),
  };
}

const checks: Readonly<
  Record<keyof TesseractOcrOptions, readonly [expected: string, fits: (value: unknown) => boolean]>
> = {
  languages: [
    "a list of Tesseract's names of languages, such as ['eng', 'deu']",
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((name) => typeof name === 'string' && /^[a-zA-Z][\w-]{1,40}$/.test(name)),
  ],
  dataFolder: ['the path of a folder', (value) => typeof value === 'string' && value !== ''],
  threads: ['a whole number from 1 to 32', (value) => isWhole(value, 1, 32)],
  idleTime: [
    "milliseconds, or a time such as '30s'",
    (value) => durationSchema(0).safeParse(value).success,
  ],
};

function refuseWrong(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    const message = `expected an object of options, got ${preview(options)}`;
    throw new ValidationError('tesseractOcr', [{ path: [], message }]);
  }
  const issues = Object.entries(options).flatMap(([key, value]) => {
    const check = Object.hasOwn(checks, key) ? checks[key as keyof typeof checks] : undefined;
    if (check === undefined) {
      return [{ path: [key], message: unknownName('option', key, Object.keys(checks)) }];
    }
    const [expected, fits] = check;
    if (value === undefined || fits(value)) return [];
    return [{ path: [key], message: `${key}: expected ${expected}, got ${preview(value)}` }];
  });
  if (issues.length > 0) throw new ValidationError('tesseractOcr', issues);
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

// The lines in Tesseract's result: blocks of paragraphs of lines of words, in reading order.

const leastConfidence = 0.2; // of a line, 0 to 1: specks and edges of the paper look like glyphs

/** Copies the fields that are present: the caller checks the result again. */
function readBlocks(given: unknown): OcrText {
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
    const { text: written, bbox: position } = word as Record<string, unknown>;
    const wordBox = boxOf(position);
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
