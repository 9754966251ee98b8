/** OCR engines: the interface of an engine, and the checked results that the readers of files get. */
import { PagewrightError } from '../../../errors.ts';

/** A picture to read: a page of a PDF, or an image file. */
export interface OcrImage {
  /** The file of the picture: PNG for a page of a PDF, the image as it came otherwise. */
  readonly bytes: Uint8Array;
  /** `image/png` */
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Where the file came from. */
  readonly url: string;
  /** Of a PDF, from 1. */
  readonly pageNumber?: number | undefined;
  /** Language tags of `location.languages`, the preferred one first; empty where none were given. */
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
  /** Where it stands: headings, columns, lists and tables are recognised by that. */
  readonly box?: OcrBox | undefined;
  /** Where its words stand; cells of tables are found by the gaps between them. */
  readonly words?: readonly OcrWord[] | undefined;
  /** 0 to 1. */
  readonly confidence?: number | undefined;
}

/** What was read. */
export interface OcrText {
  /** In reading order. Without boxes, an empty line begins a paragraph. */
  readonly lines: readonly OcrLine[];
}

/** An OCR engine. Give it to `createClient({ ocr })`. */
export interface OcrEngine {
  /** Told in messages. */
  readonly name: string;
  /** Media types of the image files that it takes, always `image/png`. @default PNG and JPEG */
  readonly mediaTypes?: readonly string[] | undefined;
  /** Pages of one file that it may be asked for at once, 1 to 4; several files are read at once anyway. @default 4 */
  readonly pagesAtOnce?: number | undefined;
  /**
   * Reads a picture: lines, or text whose paragraphs are parted by empty lines. A page whose picture
   * makes it reject is left out with a warning; where nothing else was read, that is `HOOK_FAILED`.
   */
  recognize(image: OcrImage): OcrText | string | Promise<OcrText | string>;
  /**
   * Lets go of threads and connections; `client.close()` calls it when the client's pages are done. An
   * engine that several clients share is asked again after it.
   */
  close?(): void | Promise<void>;
}

/** One function as an engine. */
export type OcrFunction = OcrEngine['recognize'];

/** An engine, or one function that reads a picture. */
export type OcrChoice = OcrEngine | OcrFunction;

// The text of a picture as plain, checked data, and the one question that readers of files have.

/** A picture on its way to the engine. */
export interface PagePicture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** Of a PDF, from 1. */
  readonly pageNumber?: number | undefined;
}

/** Below this confidence, what was read is told to be uncertain. */
export const leastConfidence = 0.6;

/** What the engine read. */
export interface RecognizedPage {
  readonly lines: readonly OcrLine[];
  /** 0 to 1, by the length of the lines; undefined where the engine does not say. */
  readonly confidence: number | undefined;
}

/** The text, or what kept the engine from reading this picture: others may still be read. */
export type Recognition = RecognizedPage | { readonly failure: string };

/** Reads pictures for the readers of files. */
export interface PictureRecognizer {
  /** Of the engine. */
  readonly name: string;
  /** Image files of these types may be given. */
  readonly mediaTypes: readonly string[];
  /** Pages of one file that it may be asked for at once. */
  readonly pagesAtOnce: number;
  /** Rejects with what ends the whole reading, such as a missing package. */
  recognize(picture: PagePicture): Promise<Recognition>;
}

// The error for a file of which nothing was read.

/** The engine, which may be the caller's own, failed, and there is no text without it. */
export function ocrFailed(name: string, url: string, failure: string): PagewrightError {
  const message = `The OCR engine ${name} failed for ${url}: ${failure}`;
  return new PagewrightError('HOOK_FAILED', message, { url });
}
