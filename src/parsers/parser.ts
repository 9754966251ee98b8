/** A parser turns a snapshot's bytes into a page. */
import type { Page } from '../model/page.ts';
import type { PictureRecognizer } from './documents/ocr/ocr-engine.ts';
import type { ArchiveReading, Limits, PdfReading } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** What a parser is told beside the snapshot. */
export interface ParseContext {
  /** Lower-case type and subtype, decided by the content. */
  readonly mediaType: string;
  /** The charset named by the Content-Type header, if any. */
  readonly charset: string | undefined;
  readonly limits: Limits;
  /** How PDFs are read; undefined when the caller wants them as they are. */
  readonly pdf: PdfReading | undefined;
  /** How archives are read; undefined when the caller did not ask for it. */
  readonly archive?: ArchiveReading | undefined;
  /** Reads pictures; undefined when the client has no OCR engine, or no text is wanted. */
  readonly pictures?: PictureRecognizer | undefined;
}

/**
 * Bring your own: the client's parsers are asked before the built-in ones. A page that one of them
 * accepts is read on your thread, however heavy: functions cannot be sent to another.
 */
export interface Parser {
  readonly name: string;
  /** True when it reads this media type. */
  accepts(mediaType: string, context: ParseContext): boolean;
  parse(snapshot: Snapshot, context: ParseContext): Page | Promise<Page>;
}
