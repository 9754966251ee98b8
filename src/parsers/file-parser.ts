/** Files that are documents, such as PDF or office files: their readers write HTML, which becomes the page. */
import { escapeAttribute, escapeText } from '../html/serialize.ts';
import type { HtmlPage, OcrFacts } from '../model/page.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { htmlPage } from './html.ts';
import type { ParseContext, Parser } from './parser.ts';
import { textPage } from './text-page.ts';
import type { UnpackingBudget } from './documents/archives/read-zip.ts';

/** What a reader makes of a file. */
export interface FileContent {
  /**
   * The content as HTML of a body: headings, paragraphs, lists, tables, figures, links. Markup that says
   * something; everything that comes from the file is escaped.
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
  /** What was read by OCR. */
  readonly ocr?: OcrFacts | undefined;
  /** Further meta tags by name, such as `og:image`. */
  readonly metas?: Readonly<Record<string, string | undefined>> | undefined;
  /** What could not be read, in sentences. */
  readonly warnings?: readonly string[] | undefined;
}

/** What a reader is told beside the file. */
export interface FileContext extends ParseContext {
  /** Of the archive that the file is in: what a reader unpacks counts there too. */
  readonly unpacking?: UnpackingBudget | undefined;
}

/** Reads the bytes of a file. Throws what says why they cannot be read. */
export type ReadFile = (snapshot: Snapshot, context: FileContext) => Promise<FileContent>;

/**
 * A parser of files. `load` gives the code that reads them, so that its cost comes
 * with the first such file. The HTML is held to the limits of every page.
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
 * The page of a file's content, for parsers that find out what it is while they read it. `source` is the
 * text of the file, where it is one.
 */
export async function filePage(
  snapshot: Snapshot,
  context: ParseContext,
  content: FileContent,
  source?: string,
): Promise<HtmlPage> {
  const page = await htmlPage(snapshot, context, documentOf(content));
  page.warnings.unshift(...(content.warnings ?? []));
  const file = { numPages: content.numPages, ocr: content.ocr };
  return { ...page, file, ...(source === undefined ? {} : { source }) };
}

/** A whole document: what the file says of itself stands where pages say it. */
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
