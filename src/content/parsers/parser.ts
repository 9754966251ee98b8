/** A parser turns a snapshot's bytes into a page. */
import type { Page } from '../../core/model/page.ts';
import type { PictureRecognizer } from '../../core/model/ocr-engine.ts';
import type { ArchiveReading, PdfReading } from '../../core/model/request.ts';
import type { Limits } from '../../core/model/request-options.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';

/** The parser's context beside the snapshot. */
export interface ParseContext {
  /** Lower-case type and subtype, decided by the content. */
  readonly mediaType: string;
  /** The charset named by the Content-Type header, if any. */
  readonly charset: string | undefined;
  readonly limits: Limits;
  /** Options for PDFs; undefined when the caller wants them as files. */
  readonly pdf: PdfReading | undefined;
  /** Options for archives; undefined when the caller did not enable them. */
  readonly archive?: ArchiveReading | undefined;
  /** Reads pictures; undefined when the client has no OCR engine, or no text is wanted. */
  readonly pictures?: PictureRecognizer | undefined;
}

/**
 * Bring your own: the client's parsers are tried before the built-in ones. A page that one of them
 * accepts is parsed on your thread, however heavy, or in a worker with `worker`.
 */
export interface Parser {
  readonly name: string;
  /**
   * The URL of the JavaScript module that exports the parser: `import.meta.url` in the module itself, or
   * `import.meta.resolve('./my-parser.js')`. With it `parse` is called in a worker, which ends at the
   * deadline, even in the middle of a loop; `accepts` is called on your thread too.
   * @default `parse` is called on the caller's thread
   */
  readonly worker?: string | undefined;
  /** True when the parser accepts this media type. */
  accepts(mediaType: string, context: ParseContext): boolean;
  parse(snapshot: Snapshot, context: ParseContext): Page | Promise<Page>;
}
