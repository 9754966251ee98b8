/** A parsed snapshot: the thing that transformers change and formats read. */
import type { DomDocument, DomElement } from '../html/dom.ts';

interface PageBase {
  /** The final URL. */
  readonly url: string;
  /** What relative URLs are resolved against: the final URL, or the page's `<base href>`. */
  readonly baseUrl: string;
  readonly statusCode: number;
  /** Lower-case type and subtype, decided by the content: `text/html`. */
  readonly mediaType: string;
  /** The text as received, decoded. Empty for binary content. */
  readonly source: string;
  /** Grows as the page passes through the pipeline; becomes `document.warning`. */
  readonly warnings: string[];
}

/** An HTML page. */
export interface HtmlPage extends PageBase {
  readonly kind: 'html';
  readonly document: DomDocument;
  /** The content: the body. Transformers remove what does not belong to it. */
  readonly root: DomElement;
  /** What the browser that rendered the page says that readers do not see. */
  readonly unseen?: UnseenNodes | undefined;
  /** Set when the page was made of a file, such as a PDF: all of it is content. */
  readonly file?: FileFacts;
}

/** Elements that readers do not see. */
export interface UnseenNodes {
  /** With all that is in them. */
  readonly hidden: ReadonlySet<DomElement>;
  /** Perhaps the page fades them in. */
  readonly faded: ReadonlySet<DomElement>;
  /** Their own text only. */
  readonly illegible: ReadonlySet<DomElement>;
}

/** What is known of a file beside its content. */
export interface FileFacts {
  /** Pages or slides that were read. */
  readonly numPages?: number | undefined;
  /** Elements that stand for texts of which the markdown is known, such as a markdown file in an archive. */
  readonly verbatim?: ReadonlyMap<DomElement, string> | undefined;
  /** What was read by OCR. */
  readonly ocr?: OcrFacts | undefined;
}

/** What was read of a file by its pictures. */
export interface OcrFacts {
  /** Pages, from 1. */
  readonly pages: readonly number[];
  /** 0 to 1; undefined where the engine does not say. */
  readonly confidence: number | undefined;
}

/** Anything that is not a tree: text, JSON, XML, source code, the base64 of a file. */
export interface TextPage extends PageBase {
  readonly kind: 'text';
  /** The markdown of it, made by the parser. */
  readonly markdown: string;
}

/** A parsed page. */
export type Page = HtmlPage | TextPage;
