/** Reads scanned pages by their pictures, while other pages are read by their text. */
import { messageOf } from '../../core/runtime/errors.ts';
import type { OcrFacts } from '../../core/model/page.ts';
import type { PdfReading } from '../../core/model/request.ts';
import {
  leastConfidence,
  ocrFailed,
  type PictureRecognizer,
  type Recognition,
} from '../../core/model/ocr-engine.ts';
import { limitArrays, type OpenPdf, openPdf } from './open-pdf.ts';
import type { PageContent } from './geometry.ts';
import { type PageImageContent, pictureOfPage } from './page-picture.ts';
import type { PageWarnings } from './page-warnings.ts';
import { runsOfLines } from './recognized-text.ts';
import { noRulings } from './drawing.ts';

const mostImagePixels = 100e6; // pixels of one image in the file; pdf.js skips larger ones
const leastCoverage = 0.5; // share of the page: a smaller picture does not replace its text

/** The file, with the engine for its pictures. */
export interface ScannedFile {
  readonly body: Uint8Array;
  readonly url: string;
  readonly mode: PdfReading['mode'];
  /** Undefined without an OCR engine. */
  readonly pictures: PictureRecognizer | undefined;
  readonly warnings: PageWarnings;
}

/** A page, with the pending OCR of its picture if it is needed. */
export interface SeenPage {
  readonly page: PageContent;
  /** The reason why there is no picture to read, possibly empty; undefined when none was needed. */
  readonly requested: RequestedPicture | string | undefined;
}

interface RequestedPicture {
  /** In pixels per point. */
  readonly scale: number;
  readonly recognition: Promise<Recognition>;
}

/** Opens the PDF again with the first page that needs it; must be closed. */
export class ScannedPages {
  readonly #scan: ScannedFile;
  #opened: OpenPdf | undefined;
  #failure: string | undefined;
  readonly #read: { page: number; length: number; confidence: number | undefined }[] = [];

  constructor(scan: ScannedFile) {
    this.#scan = scan;
  }

  /** Pages that may be requested before the first of them is read. */
  get pagesAtOnce(): number {
    const { mode, pictures } = this.#scan;
    return pictures === undefined || mode === 'fast' ? 1 : pictures.pagesAtOnce;
  }

  /** Sends the page's picture to the engine, if it needs OCR, without waiting for the result. */
  async see(page: PageContent): Promise<SeenPage> {
    const { mode, pictures } = this.#scan;
    const hasText = page.runs.length > 0;
    const isWanted = mode === 'ocr' || (mode !== 'fast' && !hasText);
    if (pictures === undefined || !isWanted) return { page, requested: undefined };
    return { page, requested: await this.#request(page, pictures) };
  }

  /**
   * The page with the text of its picture, if OCR replaces its text; else unchanged. Must be called in page
   * order, which the warnings keep.
   */
  async read({ page, requested }: SeenPage): Promise<PageContent> {
    const { mode, warnings } = this.#scan;
    const hasText = page.runs.length > 0;
    if (requested === undefined) {
      if (!hasText) warnings.empty(page.number, mode === 'fast' ? 'not-wanted' : 'no-engine');
      return page;
    }
    const read = typeof requested === 'string' ? requested : await this.#withText(page, requested);
    if (typeof read !== 'string') return read;
    if (read === '') {
      if (!hasText) warnings.empty(page.number, 'no-picture');
    } else if (hasText) warnings.notRecognized(page.number, read);
    else warnings.leftOut(page.number, read);
    return page;
  }

  /** Undefined when no page was read by OCR. */
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

  /** For a file without any text: throws `HOOK_FAILED` when the engine's failure is the cause. */
  refuseFailure(): void {
    const { pictures, url } = this.#scan;
    if (this.#failure === undefined) return;
    throw ocrFailed(pictures?.name ?? '', url, this.#failure);
  }

  async close(): Promise<void> {
    await this.#opened?.file.loadingTask.destroy();
  }

  /** The request, or the reason why there is no picture; an empty reason when nothing is missing. */
  async #request(
    page: PageContent,
    pictures: PictureRecognizer,
  ): Promise<RequestedPicture | string> {
    const content = await this.#imageContent(page.number);
    if (typeof content === 'string') return content;
    const { picture, scale, coverage, failed } = content;
    if (picture === undefined && failed > 0) {
      return 'its picture cannot be decoded: it is damaged, too large, or JPEG 2000';
    }
    const isPage = page.runs.length === 0 || coverage >= leastCoverage;
    if (picture === undefined || !isPage) return '';
    const recognition = pictures.recognize(picture);
    // `read` handles the rejection, unless an earlier page ends the reading.
    recognition.catch(() => undefined);
    return { scale, recognition };
  }

  /** The page, or the reason why OCR failed; an empty reason when its picture has no text. */
  async #withText(page: PageContent, requested: RequestedPicture): Promise<PageContent | string> {
    const { scale } = requested;
    const recognition = await requested.recognition;
    if ('failure' in recognition) {
      this.#failure ??= recognition.failure;
      return `the OCR engine ${this.#scan.pictures?.name ?? ''} failed: ${recognition.failure}`;
    }
    const runs = runsOfLines(recognition.lines, scale);
    if (runs.length === 0) return '';
    const length = runs.reduce((sum, { text }) => sum + text.length, 0);
    this.#note(page.number, recognition.confidence, length);
    return { ...page, runs, rulings: noRulings, shapes: [], tree: undefined };
  }

  #note(page: number, confidence: number | undefined, length: number): void {
    this.#read.push({ page, confidence, length });
    if (confidence !== undefined && confidence < leastConfidence) {
      this.#scan.warnings.uncertain(page);
    }
  }

  /** Renders each page within its own memory limit; pdf.js releases its pictures after it. */
  async #imageContent(number: number): Promise<PageImageContent | string> {
    const { body, url } = this.#scan;
    using _limit = limitArrays();
    this.#opened ??= await openPdf(body, url, mostImagePixels);
    const { file, pdfjs } = this.#opened;
    try {
      const page = await file.getPage(number);
      const content = await pictureOfPage(page, pdfjs);
      page.cleanup();
      return content;
    } catch (error) {
      return `its picture cannot be read: ${messageOf(error)}`;
    } finally {
      await file.cleanup(true);
    }
  }
}
