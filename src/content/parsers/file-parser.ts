/** Parses document files, such as PDF or office files: their readers write HTML, which becomes the page. */
import type { DomElement } from '../html/dom.ts';
import { escapeAttribute, escapeText } from '../html/serialize.ts';
import type { HtmlPage, OcrFacts } from '../../core/model/page.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { htmlPage } from './html.ts';
import type { ParseContext, Parser } from './parser.ts';
import { textPage } from './text-page.ts';

/** A reader's result for a file. */
export interface FileContent {
  /**
   * The content as HTML of a body: headings, paragraphs, lists, tables, figures, links. Only semantic
   * markup; everything from the file is escaped.
   */
  readonly html: string;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly description?: string | undefined;
  readonly keywords?: string | undefined;
  /** BCP 47. */
  readonly language?: string | undefined;
  /** ISO 8601. */
  readonly publishedTime?: string | undefined;
  /** ISO 8601. */
  readonly modifiedTime?: string | undefined;
  /** Pages or slides that were read. */
  readonly numPages?: number | undefined;
  /** Lines that were left out as headers, footers and page numbers. */
  readonly repeatedLines?: number | undefined;
  /** Facts about OCR. */
  readonly ocr?: OcrFacts | undefined;
  /** Further meta tags by name, such as `og:image`. */
  readonly metas?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sentences about unread parts. */
  readonly warnings?: readonly string[] | undefined;
}

/** Bytes that may still be unpacked, counted over nested archives. */
export interface UnpackingBudget {
  bytes: number;
}

/** The context of a reader. */
export interface FileContext extends ParseContext {
  /** The budget of the enclosing archive, which the reader's unpacking counts against, too. */
  readonly unpacking?: UnpackingBudget | undefined;
}

/** Reads the bytes of a file. Throws an error with the reason when they cannot be read. */
export type ReadFile = (snapshot: Snapshot, context: FileContext) => Promise<FileContent>;

/**
 * Creates a parser of files. `load` imports the reader on first use. The HTML is subject to the limits of
 * every page.
 */
export function fileParser(
  name: string,
  mediaTypes: ReadonlySet<string>,
  load: () => Promise<ReadFile>,
): Parser {
  return {
    name,
    accepts: (mediaType) => mediaTypes.has(mediaType),
    parse: async (snapshot, context) => {
      if (snapshot.body.length === 0) {
        return textPage(snapshot, context, { source: '', markdown: '' });
      }
      const read = await load();
      return filePage(snapshot, context, await read(snapshot, context));
    },
  };
}

/**
 * The page of a file's content, for parsers that detect the content type while reading. `source` is the
 * file's text, if it is text.
 */
export async function filePage(
  snapshot: Snapshot,
  context: ParseContext,
  content: FileContent,
  source?: string,
): Promise<HtmlPage> {
  const page = await htmlPage(snapshot, context, documentOf(content));
  page.warnings.unshift(...(content.warnings ?? []));
  const { numPages, repeatedLines, ocr } = content;
  const file = { numPages, repeatedLines, ocr, pages: takePages(page.root) };
  return { ...page, file, ...(source === undefined ? {} : { source }) };
}

/** Page numbers of blocks by their `data-page`, which is removed; undefined if no block has one. */
function takePages(root: DomElement): ReadonlyMap<DomElement, number> | undefined {
  const pages = new Map<DomElement, number>();
  for (const element of root.children) {
    const number = element.localName === 'hr' ? null : element.getAttribute('data-page');
    if (number === null) continue;
    pages.set(element, Number(number));
    element.removeAttribute('data-page');
  }
  return pages.size === 0 ? undefined : pages;
}

/** A whole document: the file's metadata is in title and meta elements. */
function documentOf(content: FileContent): string {
  const { title, language, html } = content;
  const metas = [
    ['author', content.author],
    ['description', content.description],
    ['keywords', content.keywords],
    ['article:published_time', content.publishedTime],
    ['article:modified_time', content.modifiedTime],
    ...Object.entries(content.metas ?? {}),
  ]
    .filter(([, value]) => isGiven(value))
    .map(([key = '', value = '']) => `<meta name="${key}" content="${escapeAttribute(value)}">`);
  return [
    `<!DOCTYPE html><html${isGiven(language) ? ` lang="${escapeAttribute(language)}"` : ''}><head>`,
    ...(isGiven(title) ? [`<title>${escapeText(title)}</title>`] : []),
    ...metas,
    `</head><body>${html}</body></html>`,
  ].join('');
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
