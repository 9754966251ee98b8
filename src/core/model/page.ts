/**
 * A parsed page, which transformers change and formats read; its text for a language model; and
 * extractors of its main content.
 */
import type { DomDocument, DomElement } from '../../content/html/dom.ts';

interface PageBase {
  /** The final URL. */
  readonly url: string;
  /** The base of relative URLs: the final URL, or the page's `<base href>`. */
  readonly baseUrl: string;
  readonly statusCode: number;
  /** Lower-case type and subtype, detected from the content: `text/html`. */
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
  /** The content: the body. Transformers remove the rest. */
  readonly root: DomElement;
  /** Elements that readers do not see, according to the browser that rendered the page. */
  readonly unseen?: UnseenNodes | undefined;
  /** Set if the page was made of a file, such as a PDF: all of it is content. */
  readonly file?: FileFacts;
}

/** Elements that readers do not see. */
export interface UnseenNodes {
  /** Including their descendants. */
  readonly hidden: ReadonlySet<DomElement>;
  /** The page may fade them in. */
  readonly faded: ReadonlySet<DomElement>;
  /** Their own text only. */
  readonly illegible: ReadonlySet<DomElement>;
}

/** Facts about a file besides its content. */
export interface FileFacts {
  /** Pages or slides that were read. */
  readonly numPages?: number | undefined;
  /** Blocks of a file with pages: the page of each, from 1. */
  readonly pages?: ReadonlyMap<DomElement, number> | undefined;
  /** Lines of a PDF that were left out as headers, footers and page numbers. */
  readonly repeatedLines?: number | undefined;
  /** Elements that stand for texts with known markdown, such as a markdown file in an archive. */
  readonly verbatim?: ReadonlyMap<DomElement, string> | undefined;
  /** The result of OCR. */
  readonly ocr?: OcrFacts | undefined;
}

/** Facts about the OCR of a file. */
export interface OcrFacts {
  /** Pages, from 1. */
  readonly pages: readonly number[];
  /** 0 to 1; undefined if the engine does not report it. */
  readonly confidence: number | undefined;
}

/** A page that is not a tree: text, JSON, XML, source code, the base64 of a file. */
export interface TextPage extends PageBase {
  readonly kind: 'text';
  /** Its markdown, made by the parser. */
  readonly markdown: string;
}

/** A parsed page. */
export type Page = HtmlPage | TextPage;

// A page as a language model may read it: the visible text, without hidden text.

/** Text on a page that looks like instructions to a model. */
export interface InstructionAttempt {
  /** Its beginning, on one line. */
  readonly quote: string;
  /** It is hidden from readers, and left out of the text for the model. */
  readonly isHidden: boolean;
}

/** Style sheets and rules that were not read: text that they hide may be in the result. */
export interface UnreadStyles {
  /** Some are external files. */
  readonly files: boolean;
  /** Some rules take too long on this page, or there are too many. */
  readonly rules: boolean;
}

/** Plain data. */
export interface ModelText {
  /** Markdown of the cleaned page, without image descriptions and attribute texts. */
  readonly markdown: string;
  /** The same in the style of the format modelText, if it has options. */
  readonly styled?: string | undefined;
  readonly attempts: readonly InstructionAttempt[];
  readonly unreadStyles: UnreadStyles;
}

// Extractors that find the main content in place of the built-in one.

/** The page passed to an extractor. */
export interface MainContentInput {
  /** The final URL. */
  readonly url: string;
  /**
   * The whole document: its `<head>` as received, its `<body>` without invisible parts (scripts,
   * styles, comments, hidden elements, remains of ads) and with absolute URLs. Made anew each time
   * it is read.
   */
  readonly html: string;
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
}

/** HTML, or an element of any DOM, whose HTML is used. Empty: the content was not found. */
export type MainContent = string | { readonly outerHTML: string } | null | undefined;

/**
 * Finds the main content of a page, for the option `mainContent`. It runs on your thread, for heavy
 * pages too: functions cannot be sent to another.
 *
 * @example const extractor: MainContentExtractor = ({ html }) => /<main[^]*<\/main>/.exec(html)?.[0];
 */
export type MainContentExtractor = (page: MainContentInput) => MainContent | Promise<MainContent>;

/** Third-party extractors with an adapter. */
export type ExtractorName = 'readability' | 'defuddle';
