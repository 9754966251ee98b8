/** From a snapshot to a page: the media type is decided, then the first parser that reads it is asked. */
import type { Page } from '../model/page.ts';
import type { Limits, PdfReading } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { binaryParser } from './binary.ts';
import { htmlParser } from './html.ts';
import { jsonParser } from './json.ts';
import { detectMediaType } from './media-type.ts';
import { officeParsers } from './office/index.ts';
import type { ParseContext, Parser } from './parser.ts';
import { pdfParser } from './pdf/pdf-parser.ts';
import { textParser } from './text.ts';
import { xmlParser } from './xml.ts';

/** Asked in this order; the last one takes everything. */
const builtInParsers: readonly Parser[] = [
  htmlParser,
  jsonParser,
  xmlParser,
  pdfParser,
  ...officeParsers,
  textParser,
  binaryParser,
];

/** What a caller says about parsing. */
interface ParseOptions {
  readonly limits: Limits;
  readonly pdf: PdfReading | undefined;
}

/**
 * Parses with the first of `parsers`, then of the built-in ones, that accepts the media type.
 * Throws `PARSE_LIMIT` and `UNSUPPORTED_CONTENT`, and what the caller's parsers throw.
 */
export async function parseSnapshot(
  snapshot: Snapshot,
  parsers: readonly Parser[],
  options: ParseOptions,
): Promise<Page> {
  const { body, statusCode } = snapshot;
  const context = contextOf(snapshot, options);
  const chosen = [...parsers, ...builtInParsers].find((one) =>
    one.accepts(context.mediaType, context),
  );
  const page = await (chosen ?? binaryParser).parse(snapshot, context);
  page.warnings.unshift(...snapshot.warnings);
  if (body.length === 0) page.warnings.push(`The response has no content (status ${statusCode}).`);
  return page;
}

/** True when one of these parsers accepts the snapshot. */
export function wouldParse(
  parsers: readonly Parser[],
  snapshot: Snapshot,
  options: ParseOptions,
): boolean {
  if (parsers.length === 0) return false;
  const context = contextOf(snapshot, options);
  return parsers.some((parser) => parser.accepts(context.mediaType, context));
}

function contextOf({ url, headers, body }: Snapshot, { limits, pdf }: ParseOptions): ParseContext {
  const { mediaType, charset } = detectMediaType(headers['content-type'], body, url);
  return { mediaType, charset, limits, pdf };
}
