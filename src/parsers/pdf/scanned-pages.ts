/** Pages that are read by their pictures, while the others are read by their text. */
import { messageOf } from '../../errors.ts';
import type { OcrFacts } from '../../model/page.ts';
import type { PdfReading } from '../../model/request.ts';
import { ocrFailed } from '../../ocr/ocr-failed.ts';
import { leastConfidence, type PictureReading } from '../../ocr/recognized-page.ts';
import { limitArrays } from './array-limit.ts';
import type { PageContent } from './geometry.ts';
import { type OpenPdf, openPdf } from './open-pdf.ts';
import { type PageLook, pictureOfPage } from './page-picture.ts';
import type { PageWarnings } from './page-warnings.ts';
import { runsOfLines } from './recognized-runs.ts';
import { noRulings } from './rulings.ts';

/** Pixels of one image in the file; pdf.js leaves larger ones out. */
const mostImagePixels = 100e6;
/** Of a page: a smaller picture does not stand for its text. */
const leastCoverage = 0.5;

/** What is read, by whom. */
export interface ScannedFile {
  readonly body: Uint8Array;
  readonly url: string;
  readonly mode: PdfReading['mode'];
  /** Undefined: by nobody. */
  readonly pictures: PictureReading | undefined;
  readonly warnings: PageWarnings;
}

/** Opened with the first page that needs it; to be closed. */
export class ScannedPages {
  readonly #scan: ScannedFile;
  #opened: OpenPdf | undefined;
  #failure: string | undefined;
  readonly #read: { page: number; length: number; confidence: number | undefined }[] = [];

  constructor(scan: ScannedFile) {
    this.#scan = scan;
  }

  /** The page with the text of its picture, where it is to be read by it; else as it is. */
  async read(page: PageContent): Promise<PageContent> {
    const { mode, pictures, warnings } = this.#scan;
    const hasText = page.runs.length > 0;
    if (mode !== 'ocr' && hasText) return page;
    if (pictures === undefined || mode === 'fast') {
      if (!hasText) warnings.empty(page.number, mode === 'fast' ? 'not-wanted' : 'no-engine');
      return page;
    }
    const read = await this.#recognize(page, pictures);
    if (typeof read !== 'string') return read;
    if (read === '') {
      if (!hasText) warnings.empty(page.number, 'no-picture');
    } else if (hasText) warnings.notRecognized(page.number, read);
    else warnings.leftOut(page.number, read);
    return page;
  }

  /** Undefined when no page was read by its picture. */
  facts(): OcrFacts | undefined {
    if (this.#read.length === 0) return undefined;
    const known = this.#read.filter(({ confidence }) => confidence !== undefined);
    const length = known.reduce((sum, one) => sum + one.length, 0);
    const sum = known.reduce((all, one) => all + one.length * (one.confidence ?? 0), 0);
    return {
      pages: this.#read.map(({ page }) => page),
      confidence: length === 0 ? undefined : sum / length,
    };
  }

  /** For a file without any text: throws `HOOK_FAILED` when that is because the engine failed. */
  refuseFailure(): void {
    const { pictures, url } = this.#scan;
    if (this.#failure === undefined) return;
    throw ocrFailed(pictures?.name ?? '', url, this.#failure);
  }

  async close(): Promise<void> {
    await this.#opened?.file.loadingTask.destroy();
  }

  /** The page, or why it could not be read; an empty reason when there is nothing to read. */
  async #recognize(page: PageContent, pictures: PictureReading): Promise<PageContent | string> {
    const look = await this.#look(page.number);
    if (typeof look === 'string') return look;
    const { picture, scale, coverage, failed } = look;
    if (picture === undefined && failed > 0) {
      return 'its picture cannot be decoded: it is damaged, too large, or JPEG 2000';
    }
    const isPage = page.runs.length === 0 || coverage >= leastCoverage;
    if (picture === undefined || !isPage) return '';
    const recognition = await pictures.recognize(picture);
    if ('failure' in recognition) {
      this.#failure ??= recognition.failure;
      return `the OCR engine ${pictures.name} failed: ${recognition.failure}`;
    }
    const runs = runsOfLines(recognition.lines, scale);
    if (runs.length === 0) return '';
    const length = runs.reduce((sum, { text }) => sum + text.length, 0);
    this.#note(page.number, recognition.confidence, length);
    return { ...page, runs, rulings: noRulings, tree: undefined };
  }

  #note(page: number, confidence: number | undefined, length: number): void {
    this.#read.push({ page, confidence, length });
    if (confidence !== undefined && confidence < leastConfidence) {
      this.#scan.warnings.uncertain(page);
    }
  }

  /** Each page within a limit of its own; pdf.js forgets its pictures after it. */
  async #look(number: number): Promise<PageLook | string> {
    const { body, url } = this.#scan;
    using _limit = limitArrays();
    this.#opened ??= await openPdf(body, url, mostImagePixels);
    const { file, pdfjs } = this.#opened;
    try {
      const page = await file.getPage(number);
      const look = await pictureOfPage(page, pdfjs);
      page.cleanup();
      return look;
    } catch (error) {
      return `its picture cannot be read: ${messageOf(error)}`;
    } finally {
      await file.cleanup(true);
    }
  }
}
