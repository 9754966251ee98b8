/** One file's pictures, read by the client's engine: in time, and whatever the engine does. */
import { messageOf, PagewrightError } from '../errors.ts';
import { checkedText } from './check-text.ts';
import type { OcrEngine } from './ocr-engine.ts';
import type { PagePicture, PictureReading, Recognition } from './recognized-page.ts';

/** Milliseconds for one picture: a dense page takes 3 s. */
const pictureTime = 60_000;

const defaultTypes = ['image/png', 'image/jpeg'];

/** Each holds its picture in memory: a few MB, at worst 100 MB. */
export const mostPagesAtOnce = 4;

/** The file that the pictures are of. */
export interface PicturedFile {
  readonly url: string;
  readonly languages: readonly string[];
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
}

/** What an engine that is the caller's own gives is looked at; what it throws is told of the page. */
export function pictureReading(engine: OcrEngine, file: PicturedFile): PictureReading {
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
  const tooLong = AbortSignal.timeout(pictureTime);
  const both = AbortSignal.any([signal, tooLong]);
  try {
    const asked = { ...picture, url, languages, signal: both };
    return checkedText(await untilAborted(async () => engine.recognize(asked), both));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PagewrightError) throw error;
    return { failure: tooLong.aborted ? `it took more than ${pictureTime} ms` : messageOf(error) };
  }
}

/** The engine may not listen to its signal. */
function untilAborted(work: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
