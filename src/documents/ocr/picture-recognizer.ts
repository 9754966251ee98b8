/** Recognises the pictures of one file with the client's engine: within a time limit, and with checked results. */
import { withSignal } from '../../core/runtime/deadline.ts';
import { messageOf, PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { preview } from '../../core/checks/option-errors.ts';
import type {
  OcrBox,
  OcrChoice,
  OcrEngine,
  OcrImage,
  OcrLine,
  OcrWord,
  PagePicture,
  PictureRecognizer,
  Recognition,
  RecognizedPage,
} from '../../core/model/ocr-engine.ts';

const limits = {
  pictureTime: 60_000, // milliseconds for one picture: a dense page takes 3 s
  lines: 20_000, // of one picture; a dense page has 150. Further lines are left out
  words: 2_000,
  characters: 500_000,
};

const defaultTypes = ['image/png', 'image/jpeg'];

/** Each picture is held in memory: a few MB, at worst 100 MB. */
export const mostPagesAtOnce = 4;

/** The file that contains the pictures. */
export type PicturedFile = Pick<OcrImage, 'url' | 'languages' | 'signal'>;

/** Checks the results of a caller's own engine; reports its errors as warnings of the page. */
export function pictureRecognizer(engine: OcrEngine, file: PicturedFile): PictureRecognizer {
  return {
    name: engine.name,
    mediaTypes: engine.mediaTypes ?? defaultTypes,
    pagesAtOnce: engine.pagesAtOnce ?? mostPagesAtOnce,
    recognize: (picture) => recognize(engine, picture, file),
  };
}

async function recognize(
  engine: OcrEngine,
  picture: PagePicture,
  { url, languages, signal }: PicturedFile,
): Promise<Recognition> {
  signal.throwIfAborted();
  const tooLong = AbortSignal.timeout(limits.pictureTime);
  const both = AbortSignal.any([signal, tooLong]);
  try {
    const request = { ...picture, url, languages, signal: both };
    // The engine may ignore its signal.
    return checkedText(await withSignal((async () => engine.recognize(request))(), both));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PagewrightError) throw error;
    return {
      failure: tooLong.aborted ? `it took more than ${limits.pictureTime} ms` : messageOf(error),
    };
  }
}

// Checks an engine's result, which may be anything: returns plain lines, or an error that names the mistake.

/** Throws a `TypeError` for a value that is not a text. */
function checkedText(given: unknown): RecognizedPage {
  if (typeof given === 'string') {
    const lines = given.slice(0, limits.characters).split(/\r\n?|\n/, limits.lines);
    return { lines: lines.map((text) => ({ text: text.trim() })), confidence: undefined };
  }
  const { lines } = (given ?? {}) as { lines?: unknown };
  if (typeof given !== 'object' || !Array.isArray(lines)) {
    throw new TypeError(`it gave ${preview(given)}; expected text, or { lines: [{ text }] }`);
  }
  let room = limits.characters;
  const checked: OcrLine[] = [];
  for (const line of (lines as unknown[]).slice(0, limits.lines)) {
    const one = checkedLine(line, room);
    room -= one.text.length;
    checked.push(one);
    if (room <= 0) break;
  }
  return { lines: checked, confidence: meanConfidence(checked) };
}

function checkedLine(given: unknown, room: number): OcrLine {
  const { text, box, confidence, words } = (given ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string') {
    throw new TypeError(`it gave the line ${preview(given)}; expected { text, box?, words? }`);
  }
  const position = checkedBox(box);
  return {
    text: oneLine(text).slice(0, room),
    ...(position === undefined ? {} : { box: position }),
    ...(position === undefined || !Array.isArray(words) ? {} : { words: checkedWords(words) }),
    ...(typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? { confidence } : {}),
  };
}

/** If a word has no position, only the line is used. */
function checkedWords(given: readonly unknown[]): OcrWord[] {
  const words: OcrWord[] = [];
  for (const one of given.slice(0, limits.words)) {
    const { text, box } = (one ?? {}) as Record<string, unknown>;
    const position = checkedBox(box);
    if (typeof text !== 'string' || position === undefined) return [];
    if (text.trim() !== '') words.push({ text: text.trim().slice(0, 1000), box: position });
  }
  return words;
}

function checkedBox(given: unknown): OcrBox | undefined {
  const { left, top, right, bottom } = (given ?? {}) as Record<string, unknown>;
  if (!isCoordinate(left) || !isCoordinate(top) || !isCoordinate(right) || !isCoordinate(bottom))
    return undefined;
  return right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < 1e6;
}

function meanConfidence(lines: readonly OcrLine[]): number | undefined {
  let [sum, length] = [0, 0];
  for (const { text, confidence } of lines) {
    if (confidence === undefined) continue;
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? undefined : sum / length;
}

// Resolves the caller's `ocr` option to an engine.

/** Throws `ValidationError` for a value that is not an engine; calls nothing. */
export function resolveOcrEngine(choice: OcrChoice): OcrEngine {
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
