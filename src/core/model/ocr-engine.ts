/** OCR engines: the interface of an engine, and the checked results for the file readers. */
import { PagewrightError } from '../runtime/errors.ts';

/** A picture to read: a page of a PDF, or an image file. */
export interface OcrImage {
  /** The picture's file: PNG for a page of a PDF, otherwise the original image. */
  readonly bytes: Uint8Array;
  /** `image/png` */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** The URL of the file. */
  readonly url: string;
  /** The page number in a PDF, from 1. */
  readonly pageNumber?: number | undefined;
  /** Language tags of `location.languages`, the preferred one first; empty without any. */
  readonly languages: readonly string[];
  /** Aborts with the scrape, and when the picture takes more than 60 s. */
  readonly signal: AbortSignal;
}

/** A rectangle in pixels from the upper left corner of the picture. */
export interface OcrBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A word, or another part of a line. */
export interface OcrWord {
  readonly text: string;
  readonly box: OcrBox;
}

/** A line of text. */
export interface OcrLine {
  readonly text: string;
  /** Its position, by which headings, columns, lists and tables are recognised. */
  readonly box?: OcrBox | undefined;
  /** The positions of its words; cells of tables are found by the gaps between them. */
  readonly words?: readonly OcrWord[] | undefined;
  /** 0 to 1. */
  readonly confidence?: number | undefined;
}

/** The recognised text. */
export interface OcrText {
  /** Lines in reading order. Without boxes, an empty line begins a paragraph. */
  readonly lines: readonly OcrLine[];
}

/** An OCR engine. Pass it to `createClient({ ocr })`. */
export interface OcrEngine {
  /** The name for messages. */
  readonly name: string;
  /** Media types of image files that it accepts, always `image/png`. @default PNG and JPEG */
  readonly mediaTypes?: readonly string[] | undefined;
  /** Pages of one file that it reads concurrently, 1 to 4; several files are read concurrently anyway. @default 4 */
  readonly pagesAtOnce?: number | undefined;
  /**
   * Reads a picture: lines, or text whose paragraphs are separated by empty lines. A page for which it
   * rejects is left out with a warning; where nothing else was read, the scrape rejects with `HOOK_FAILED`.
   */
  recognize(image: OcrImage): OcrText | string | Promise<OcrText | string>;
  /**
   * Releases threads and connections; `client.close()` calls it when the client's pages are done. An
   * engine that several clients share is used again after it.
   */
  close?(): void | Promise<void>;
}

/** An engine as a single function. */
export type OcrFunction = OcrEngine['recognize'];

/** An engine, or one function that reads a picture. */
export type OcrChoice = OcrEngine | OcrFunction;

// The text of a picture as plain, checked data, and the interface for the file readers.

/** A picture to be passed to the engine. */
export interface PagePicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** The page number in a PDF, from 1. */
  readonly pageNumber?: number | undefined;
}

/** Text with a lower confidence is reported as uncertain. */
export const leastConfidence = 0.6;

/** The engine's result for a picture. */
export interface RecognizedPage {
  readonly lines: readonly OcrLine[];
  /** 0 to 1, weighted by the length of the lines; undefined where the engine does not give it. */
  readonly confidence: number | undefined;
}

/** The text, or the reason why the engine could not read this picture: others may still be read. */
export type Recognition = RecognizedPage | { readonly failure: string };

/** Reads pictures for the file readers. */
export interface PictureRecognizer {
  /** The engine's name. */
  readonly name: string;
  /** Accepted media types of image files. */
  readonly mediaTypes: readonly string[];
  /** Pages of one file that it reads concurrently. */
  readonly pagesAtOnce: number;
  /** Rejects with errors that end the whole reading, such as a missing package. */
  recognize(picture: PagePicture): Promise<Recognition>;
}

// The error for a file from which nothing was read.

/** The engine (possibly the caller's own) failed, and there is no text without it. */
export function ocrFailed(name: string, url: string, failure: string): PagewrightError {
  const message = `The OCR engine ${name} failed for ${url}: ${failure}`;
  return new PagewrightError('HOOK_FAILED', message, { url });
}
