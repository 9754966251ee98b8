/** A parsed page: transformers change it and formats read it; its text for a language model; and what finds its main content. */
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

// A page as a language model may read it: what its readers see, and nothing that is hidden from them.

/** Text on a page that looks like instructions to a model. */
export interface InstructionAttempt {
  /** How it begins, on one line. */
  readonly quote: string;
  /** It is hidden from readers, and is not in the text for the model. */
  readonly isHidden: boolean;
}

/** Style sheets, and rules of them, that are not known: what they hide may be in the text. */
export interface UnreadStyles {
  /** Some are in files of their own. */
  readonly files: boolean;
  /** Some rules take too long on this page, or there are too many. */
  readonly rules: boolean;
}

/** Plain data. */
export interface ModelText {
  /** Markdown of the cleaned page, without texts of pictures and of attributes. */
  readonly markdown: string;
  readonly attempts: readonly InstructionAttempt[];
  readonly unreadStyles: UnreadStyles;
}

// What finds the main content of a page in place of our own extractor.

/** A page as an extractor gets it. */
export interface MainContentInput {
  /** The final URL. */
  readonly url: string;
  /**
   * The whole document: its `<head>` as it was received, its `<body>` cleaned of what nobody reads
   * (scripts, styles, comments, hidden elements, what ad networks left) and with absolute URLs. Made
   * anew each time it is read.
   */
  readonly html: string;
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
}

/** HTML, or an element of any DOM, whose HTML is taken. Nothing: the content was not found. */
export type MainContent = string | { readonly outerHTML: string } | null | undefined;

/**
 * Finds the main content of a page, for the option `mainContent`. It runs on your thread, for heavy
 * pages too: functions cannot be sent to another.
 *
 * @example const extractor: MainContentExtractor = ({ html }) => /<main[^]*<\/main>/.exec(html)?.[0];
 */
export type MainContentExtractor = (page: MainContentInput) => MainContent | Promise<MainContent>;

/** The extractors of other hands that come with an adapter. */
export type ExtractorName = 'readability' | 'defuddle';
