/** Chooses the parser of a snapshot: the media type decides, then the first parser that accepts it makes the page. */
import { hookFailed, PagewrightError } from '../runtime/errors.ts';
import { loadModule } from '../runtime/load-module.ts';
import type { Page } from '../model/page.ts';
import type { ArchiveReading, PdfReading } from '../model/request.ts';
import type { Limits } from '../model/request-options.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { atOnce } from '../runtime/at-once.ts';
import {
  archiveTypes,
  emailTypes,
  imageTypes,
  officeParsers,
  pdfParser,
  subtitlesParser,
} from '../../documents/document-parsers.ts';
import type { PictureRecognizer } from '../model/ocr-engine.ts';
import { fileParser } from '../../content/parsers/file-parser.ts';
import { htmlParser } from '../../content/parsers/html.ts';
import { jsonParser } from '../../content/parsers/json.ts';
import { detectMediaType } from '../../content/parsers/media-type.ts';
import type { ParseContext, Parser } from '../../content/parsers/parser.ts';
import { textPage } from '../../content/parsers/text-page.ts';
import { textParser } from '../../content/parsers/text.ts';
import { xmlParser } from '../../documents/xml.ts';

/** Tried in this order. */
const builtInParsers: readonly Parser[] = [
  htmlParser,
  jsonParser,
  xmlParser,
  pdfParser,
  ...officeParsers,
  fileParser(
    'image',
    imageTypes,
    async () => (await loadModule(() => import('../../documents/images/image-page.ts'))).readImage,
  ),
  fileParser(
    'email',
    emailTypes,
    async () => (await loadModule(() => import('../../documents/mail/read-email.ts'))).readEmail,
  ),
  subtitlesParser,
  textParser,
];

/** The other parsers read files in an archive. */
function archiveParser(others: readonly Parser[]): Parser {
  return {
    name: 'archive',
    accepts: isArchive,
    parse: async (snapshot, context) => {
      const { archivePage } = await loadModule(
        () => import('../../documents/archives/read-archive.ts'),
      );
      return archivePage(snapshot, context, others);
    },
  };
}

function isArchive(mediaType: string, { archive }: ParseContext): boolean {
  return archive !== undefined && archiveTypes.has(mediaType);
}

/** The caller's options for parsing. */
interface ParseOptions {
  readonly limits: Limits;
  readonly pdf: PdfReading | undefined;
  /** Options for archives; undefined: archives are not read. */
  readonly archive?: ArchiveReading | undefined;
  /** Reads pictures; undefined without an OCR engine. */
  readonly pictures?: PictureRecognizer | undefined;
}

/**
 * Parses with the first of `parsers`, then of the built-in ones, that accepts the media type.
 * Throws `PARSE_LIMIT` and `UNSUPPORTED_CONTENT`, and `HOOK_FAILED` for a parser of the caller.
 */
export async function parseSnapshot(
  snapshot: Snapshot,
  parsers: readonly Parser[],
  options: ParseOptions,
): Promise<Page> {
  const { body, statusCode } = snapshot;
  const context = contextOf(snapshot, options);
  const readers = [...parsers, ...builtInParsers];
  const { url } = snapshot;
  const chosen = [...readers, archiveParser(readers)].find((one) => accepts(one, url, context));
  const page = await parseWith(chosen ?? binaryParser, snapshot, context);
  page.warnings.unshift(...snapshot.warnings);
  if (body.length === 0) page.warnings.push(`The response has no content (status ${statusCode}).`);
  return page;
}

/**
 * True when one of these parsers accepts the snapshot, or may accept a file in it: an archive's
 * files are known only once it is read.
 */
export function wouldParse(
  parsers: readonly Parser[],
  snapshot: Snapshot,
  options: ParseOptions,
): boolean {
  if (parsers.length === 0) return false;
  const context = contextOf(snapshot, options);
  const { mediaType } = context;
  return (
    isArchive(mediaType, context) || parsers.some((one) => accepts(one, snapshot.url, context))
  );
}

function accepts(parser: Parser, url: string, context: ParseContext): boolean {
  try {
    return atOnce(parser.accepts(context.mediaType, context));
  } catch (error) {
    throw hookFailed(`The parser "${parser.name}"`, url, error);
  }
}

async function parseWith(parser: Parser, snapshot: Snapshot, context: ParseContext): Promise<Page> {
  try {
    return await parser.parse(snapshot, context);
  } catch (error) {
    throw hookFailed(`The parser "${parser.name}"`, snapshot.url, error);
  }
}

function contextOf(
  { url, headers, body }: Snapshot,
  { limits, pdf, archive, pictures }: ParseOptions,
): ParseContext {
  const { mediaType, charset } = detectMediaType(headers['content-type'], body, url);
  return { mediaType, charset, limits, pdf, archive, pictures };
}

// Files without a parser: rejected by name, or returned as base64 if the caller requests the file.

/** Accepts all remaining types. Throws `UNSUPPORTED_CONTENT`, except for PDFs with `parsers: []`. */
const binaryParser: Parser = {
  name: 'binary',
  accepts: () => true,
  parse: (snapshot, context) => {
    const { url, body } = snapshot;
    const { mediaType, pdf } = context;
    const isWanted = mediaType === 'application/pdf' && pdf === undefined;
    if (body.length > 0 && !isWanted) {
      throw new PagewrightError(
        'UNSUPPORTED_CONTENT',
        `${url} is ${mediaType}, which cannot be turned into text. Bring a parser that reads it: createClient({ parsers: [...] }).`,
        { url },
      );
    }
    const base64 = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
    return textPage(snapshot, context, { source: base64, markdown: base64 });
  },
};
