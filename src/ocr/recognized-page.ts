/** The text of a picture as plain, checked data, and the one question that readers of files have. */
import type { OcrLine } from './ocr-engine.ts';

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
export interface PictureReading {
  /** Of the engine. */
  readonly name: string;
  /** Image files of these types may be given. */
  readonly mediaTypes: readonly string[];
  /** Pages of one file that it may be asked for at once. */
  readonly pagesAtOnce: number;
  /** Rejects with what ends the whole reading, such as a missing package. */
  recognize(picture: PagePicture): Promise<Recognition>;
}
