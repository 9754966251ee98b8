/** Files that are documents, such as PDF or office files: their readers write HTML, which becomes the page. */
import { escapeAttribute, escapeText } from '../html/escape.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { htmlPage } from './html.ts';
import type { ParseContext, Parser } from './parser.ts';

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
  /** What could not be read, in sentences. */
  readonly warnings?: readonly string[] | undefined;
}

/** Reads the bytes of a file. Throws what says why they cannot be read. */
export type ReadFile = (snapshot: Snapshot, context: ParseContext) => Promise<FileContent>;

/**
 * A parser of files. `load` gives the code that reads them: whoever reads no such files does not pay for
 * it. The HTML is held to the limits of every page.
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
      const read = await load();
      const content = await read(snapshot, context);
      const page = await htmlPage(snapshot, context, documentOf(content));
      page.warnings.unshift(...(content.warnings ?? []));
      return { ...page, file: { numPages: content.numPages } };
    },
  };
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
