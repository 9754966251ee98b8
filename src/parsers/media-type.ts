/** What a body is: its first bytes decide, then the Content-Type header; the file name only where they say nothing. */
import { utf16Encoding } from '../text/utf16.ts';
import { type ContentType, readContentType } from './content-type.ts';
import { isJson } from './json-start.ts';
import { type MarkupStart, readMarkupStart } from './markup-start.ts';
import { hasBinaryBytes, isMostlyBinary, sniffBinary } from './signatures.ts';
import { isCodeType } from './text.ts';
import { isMail, subtitlesType, typeByExtension } from './text-kinds.ts';

/** What a body is read as. */
export interface MediaType {
  /** Lower-case type and subtype. */
  readonly mediaType: string;
  /** The charset parameter of the header. */
  readonly charset: string | undefined;
}

/**
 * Decides what a body is. `declared` is the Content-Type header. A header that says nothing
 * (missing, `application/octet-stream`) gives way to what the text looks like; there the URL tells
 * Markdown, CSV and source code from other text. Under `text/plain`, which servers send for whatever
 * they do not know, it tells source code, mails and subtitles only.
 */
export function detectMediaType(
  declared: string | undefined,
  body: Uint8Array,
  url: string,
): MediaType {
  const header = readContentType(declared ?? '');
  return { mediaType: decide(header, body, url), charset: header.charset };
}

function decide({ type, charset }: ContentType, body: Uint8Array, url: string): string {
  const binary = sniffBinary(body, type);
  if (binary !== undefined) return binary;
  if (body.length === 0) return type ?? 'text/plain';
  const text = textStart(body);
  const start = readMarkupStart(text);
  const isUtf16 = /^utf-?16/i.test(charset ?? '') || utf16Encoding(body) !== undefined;
  const isBinary = !isUtf16 && hasBinaryBytes(body);
  // No text has so many control characters, whatever the header says of it.
  if (isBinary && type !== undefined && isTextType(type) && isMostlyBinary(body)) {
    return binaryType(body);
  }
  if (type === undefined) return isBinary ? binaryType(body) : textType(text, body, url);
  if (type === 'text/html') {
    // A page may begin with a drawing; a drawing by itself says so.
    if (start.root === 'svg' && !start.hasXmlDeclaration && start.doctype === undefined)
      return type;
    return xmlType(start) ?? (isJson(text, body) ? json : type);
  }
  if (isXmlType(type)) return start.root === 'html' ? 'application/xhtml+xml' : type;
  const isMarkedText = type.startsWith('text/') || isCodeType(type);
  if (isMarkedText && type !== 'text/plain') return type;
  if (isHtmlPage(start)) return 'text/html';
  if (type === 'text/plain' || isJsonType(type)) {
    if (isBinary) return 'application/octet-stream';
    return type === 'text/plain' ? (plainType(text, url) ?? type) : type;
  }
  // Types of `application/` that nobody knows: what can be read is text.
  const isFile = isBinary || type === 'application/pdf' || !type.startsWith('application/');
  return isFile ? type : textType(text, body, url);
}

const json = 'application/json';

function isTextType(type: string): boolean {
  return type.startsWith('text/') || isJsonType(type) || isXmlType(type) || isCodeType(type);
}

/** True for JSON and everything that is JSON by its suffix. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/json$|\+json$/.test(type);
}

/** True for XML and everything that is XML by its suffix, XHTML included. */
export function isXmlType(type: string): boolean {
  return /^(?:application|text)\/xml$|\+xml$/.test(type);
}

function textType(text: string, body: Uint8Array, url: string): string {
  const start = readMarkupStart(text);
  const xml = xmlType(start);
  if (xml !== undefined) return xml;
  if (isHtmlPage(start) || startsLikeHtml.test(text)) return 'text/html';
  if (isJson(text, body)) return json;
  return plainType(text, url) ?? typeByExtension(url) ?? 'text/plain';
}

/** What a text is that is neither markup nor JSON, where its beginning and its name agree. */
function plainType(text: string, url: string): string | undefined {
  const named = typeByExtension(url);
  if (named === 'message/rfc822') return isMail(text) ? named : undefined;
  return (
    subtitlesType(text) ??
    (named !== undefined && isCodeType(named) && !isTable(named) ? named : undefined)
  );
}

/** Under `text/plain` a table stays as it is. */
function isTable(type: string): boolean {
  return type === 'text/csv' || type === 'text/tab-separated-values';
}

function isHtmlPage({ doctype, root }: MarkupStart): boolean {
  return /^html\b/.test(doctype ?? '') || root?.toLowerCase() === 'html';
}

/** HTML without a head (MIME Sniffing, 7.1, and the elements of newer pages). */
const startsLikeHtml =
  /^<(?:!--|(?:head|body|title|meta|link|script|style|iframe|div|main|article|section|header|nav|table|h[1-6]|p|a|b|br|font|ul|ol|form|img|center)[\s/>])/i;

/** The type of XML that is not HTML, by its root element or its declaration. */
function xmlType(start: MarkupStart): string | undefined {
  if (start.root === undefined || isHtmlPage(start)) return undefined;
  return typeByRoot.get(start.root) ?? (start.hasXmlDeclaration ? 'application/xml' : undefined);
}

const typeByRoot: ReadonlyMap<string, string> = new Map([
  ['rss', 'application/rss+xml'],
  ['rdf:RDF', 'application/rss+xml'],
  ['feed', 'application/atom+xml'],
  ['urlset', 'application/xml'],
  ['sitemapindex', 'application/xml'],
  ['opml', 'application/xml'],
  ['svg', 'image/svg+xml'],
]);

/** Some PDFs have a few bytes before their signature. */
function binaryType(body: Uint8Array): string {
  const head = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  return head.includes('%PDF-') ? 'application/pdf' : 'application/octet-stream';
}

/** The first characters, without byte order mark and white space. */
function textStart(body: Uint8Array): string {
  const head = Buffer.from(body.subarray(0, 4096)).toString('latin1');
  const text = utf16Encoding(body) === undefined ? head : head.replaceAll('\0', '');
  return text.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').trimStart();
}
