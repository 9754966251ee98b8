/** Detects the media type of a body: by its first bytes, then the Content-Type header, then the file name. */
import { MIMEType } from 'whatwg-mimetype';
import { utf16Encoding } from '../text/utf16.ts';
import { hasBinaryBytes, isMostlyBinary, sniffBinary } from './signatures.ts';
import { isCodeType } from './text.ts';
import { parseJsonBytes } from '../../core/runtime/json.ts';
import { keyByWord } from '../../core/runtime/key-by-word.ts';

const limits = {
  longest: 1024, // characters read
  parsed: 100_000, // bytes; parsing more to detect the type would block the process
  lookedAtBytes: 4096, // read of a longer text
};

/** The detected type of a body. */
export interface MediaType {
  /** Lower-case type and subtype. */
  readonly mediaType: string;
  /** The charset parameter of the header. */
  readonly charset: string | undefined;
}

/**
 * Detects the type of a body. `declared` is the Content-Type header. A generic header (missing,
 * `application/octet-stream`) is overruled by the content; then the URL distinguishes Markdown, CSV and
 * source code from other text. For `text/plain`, which servers send for all unknown types, the URL only
 * decides source code, mails and subtitles.
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
  // No text has this many control characters, whatever the header says.
  if (isBinary && type !== undefined && isTextType(type) && isMostlyBinary(body)) {
    return binaryType(body);
  }
  if (type === undefined) {
    // A few stray bytes do not make a feed a file.
    const isText = !isBinary || (xmlType(start) !== undefined && !isMostlyBinary(body));
    return isText ? textType(text, body, url) : binaryType(body);
  }
  if (type === 'text/html') {
    // An HTML page may begin with an SVG; an SVG file has a declaration or doctype.
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
  // Unknown types of `application/`: a readable body is text.
  const isFile = isBinary || type === 'application/pdf' || !type.startsWith('application/');
  return isFile ? type : textType(text, body, url);
}

const json = 'application/json';

function isTextType(type: string): boolean {
  return type.startsWith('text/') || isJsonType(type) || isXmlType(type) || isCodeType(type);
}

/** True for JSON and for types with its suffix. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/json$|\+json$/.test(type);
}

/** True for XML and for types with its suffix, XHTML included. */
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

/** The type of a text that is neither markup nor JSON, if its beginning and its name agree. */
function plainType(text: string, url: string): string | undefined {
  const named = typeByExtension(url);
  if (named === 'message/rfc822') return isMail(text) ? named : undefined;
  return (
    subtitlesType(text) ??
    (named !== undefined && isCodeType(named) && !isTable(named) ? named : undefined)
  );
}

/** A table declared as `text/plain` stays text. */
function isTable(type: string): boolean {
  return type === 'text/csv' || type === 'text/tab-separated-values';
}

function isHtmlPage({ doctype, root }: MarkupStart): boolean {
  return /^html\b/.test(doctype ?? '') || root?.toLowerCase() === 'html';
}

/** HTML without a head (MIME Sniffing, 7.1, and newer elements). */
const startsLikeHtml =
  /^<(?:!--|(?:head|body|title|meta|link|script|style|iframe|div|main|article|section|header|nav|table|h[1-6]|p|a|b|br|font|ul|ol|form|img|center)[\s/>])/i;

/** The type of XML that is not HTML, by its root element or its declaration. */
function xmlType(start: MarkupStart): string | undefined {
  if (start.root === undefined || isHtmlPage(start)) return undefined;
  const local = start.root.slice(start.root.indexOf(':') + 1).toLowerCase();
  return typeByRoot.get(local) ?? (start.hasXmlDeclaration ? 'application/xml' : undefined);
}

const typeByRoot: ReadonlyMap<string, string> = new Map([
  ['rss', 'application/rss+xml'],
  ['rdf', 'application/rss+xml'],
  ['feed', 'application/atom+xml'],
  ['urlset', 'application/xml'],
  ['sitemapindex', 'application/xml'],
  ['opml', 'application/xml'],
  ['svg', 'image/svg+xml'],
]);

/** Skips the few bytes that some PDFs have before their signature. */
function binaryType(body: Uint8Array): string {
  const head = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  return head.includes('%PDF-') ? 'application/pdf' : 'application/octet-stream';
}

/** The first characters, without byte order mark and leading white space. */
function textStart(body: Uint8Array): string {
  const head = Buffer.from(body.subarray(0, 4096)).toString('latin1');
  const text = utf16Encoding(body) === undefined ? head : head.replaceAll('\0', '');
  return text.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').trimStart();
}

// Parses the Content-Type header as browsers do.

/** The values of a header. */
interface ContentType {
  /** Lower-case type and subtype; undefined without one. */
  readonly type: string | undefined;
  readonly charset: string | undefined;
}

/**
 * Of several types in one header the last valid one counts; the charset persists while the type does
 * (Fetch, "extract a MIME type").
 */
export function readContentType(value: string): ContentType {
  let type: string | undefined;
  let charset: string | undefined;
  for (const part of splitAtCommas(shortened(value))) {
    const parsed = MIMEType.parse(repaired(part));
    const label = parsed?.parameters.get('charset');
    if (parsed === null) {
      // "charset=utf-8" alone.
      charset ??= /^\s*charset=["']?([^"';\s]+)/i.exec(part)?.[1];
    } else if (parsed.essence !== '*/*') {
      if (parsed.essence !== type) charset = undefined;
      type = parsed.essence;
      charset = unquoted(label) ?? charset;
    }
  }
  return { type: type === undefined || genericTypes.has(type) ? undefined : type, charset };
}

/**
 * Regular expressions for it, in libraries too, take quadratic time for consecutive spaces, and a server may
 * send 64 KB of them.
 */
function shortened(value: string): string {
  return value.replace(/\s+/g, ' ').slice(0, limits.longest);
}

/** Ignores commas in quotes: `text/html; x="a,b"`. */
function splitAtCommas(value: string): readonly string[] {
  return value.includes(',') ? (value.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+/g) ?? []) : [value];
}

/** Repairs errors that browsers tolerate: spaces instead of a semicolon, and around the equals sign. */
function repaired(part: string): string {
  if (!/[^;,\s]\s+[^;\s]/.test(part)) return part;
  return part.replace(/\s*=\s*/g, '=').replace(/^(\s*[^\s;]+)\s+(?=[^\s;])/, '$1;');
}

/** Single quotes have no meaning in the standard, but are used. */
function unquoted(label: string | undefined): string | undefined {
  const text = label?.replace(/^'([^']*)'?$/, '$1').trim();
  return text === '' ? undefined : text;
}

/** Types that mean only "bytes". */
const genericTypes: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/unknown',
  'application/x-unknown',
  'unknown/unknown',
  'content/unknown',
  'application/download',
  'application/x-download',
  'application/force-download',
]);

// The start of markup: declaration, doctype and the first element.

/** The start of a document. */
interface MarkupStart {
  /** True for `<?xml …`. */
  readonly hasXmlDeclaration: boolean;
  /** The text after `<!doctype`, in lower case: `html public …`. */
  readonly doctype: string | undefined;
  /** Name of the first element as written, when it comes before any text. */
  readonly root: string | undefined;
}

/** Reads a text without leading white space. Loops instead of one regular expression: there may be many comments. */
export function readMarkupStart(text: string): MarkupStart {
  const hasXmlDeclaration = /^<\?xml\s/.test(text);
  let doctype: string | undefined;
  let at = 0;
  for (let end = at; end >= 0; at = end) {
    while (/\s/.test(text.charAt(at))) at += 1;
    if (text.startsWith('<!--', at)) end = positionAfter(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) end = positionAfter(text, '>', at);
    else if (/^<!doctype\s/i.test(text.slice(at, at + 10))) {
      end = endOfDoctype(text, at);
      doctype = text
        .slice(at + 10, end)
        .trim()
        .toLowerCase();
    } else {
      const [, root] = /^<([a-z_][\w:.-]*)/i.exec(text.slice(at, at + 100)) ?? [];
      return { hasXmlDeclaration, doctype, root };
    }
  }
  return { hasXmlDeclaration, doctype, root: undefined };
}

/** The end of a doctype, after its internal subset. */
function endOfDoctype(text: string, from: number): number {
  const close = text.indexOf('>', from);
  const subset = text.indexOf('[', from);
  return subset >= 0 && subset < close
    ? positionAfter(text, ']>', subset)
    : positionAfter(text, '>', from);
}

/** The position after the next `mark`, or −1. */
function positionAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? -1 : found + mark.length;
}

// Detects JSON in a text without a specific type.

/** `text` is the beginning of `body`, without byte order mark and white space. */
function isJson(text: string, body: Uint8Array): boolean {
  if (!/^(?:\{\s*["}]|\[\s*[\]{["\d\-tfn])/.test(text)) return false;
  if (body.length <= limits.parsed) return parseJsonBytes(body) !== undefined;
  const end = Buffer.from(body.subarray(-limits.lookedAtBytes)).toString('latin1').trimEnd();
  return (
    end.endsWith(text.startsWith('{') ? '}' : ']') &&
    startsLikeJson(text.slice(0, limits.lookedAtBytes))
  );
}

/** True if all tokens are JSON, and no comma is missing between them. */
function startsLikeJson(text: string): boolean {
  const token =
    /\s*(?:([{[,:])|([}\]])|("(?:[^"\\\0-\x1f]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?![\w"]))/y;
  let mayBeValue = true;
  for (let at = 0; at < text.length - 1; at = token.lastIndex) {
    token.lastIndex = at;
    const [found, before, , value] = token.exec(text) ?? [];
    // The last token is truncated.
    if (found === undefined)
      return text.length >= limits.lookedAtBytes && isCutToken(text.slice(at));
    if (value !== undefined && !mayBeValue) return false;
    mayBeValue = before !== undefined;
  }
  return true;
}

function isCutToken(rest: string): boolean {
  return /^\s*(?:"(?:[^"\\\0-\x1f]|\\.)*\\?|-?[\d.eE+-]*|[a-z]{0,5})$/.test(rest);
}

// Kinds of text, by their start and by their file names.

/** The media type for the extension of a URL's path, if it is a text type. */
function typeByExtension(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase();
  const byName = typesByName.get(name);
  if (byName !== undefined) return byName;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : typesByExtension.get(name.slice(dot + 1));
}

/** Detects the two subtitle formats by their start. `text` begins without white space. */
function subtitlesType(text: string): string | undefined {
  if (/^WEBVTT(?:[ \t\r\n]|$)/.test(text)) return 'text/vtt';
  return /^\d{1,6}[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->/.test(text)
    ? 'application/x-subrip'
    : undefined;
}

/** True for a text that begins with mail header fields (RFC 5322). */
function isMail(text: string): boolean {
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const names = head.match(/^[\w-]{1,60}:/gm) ?? [];
  return (
    /^(?:[\w-]{1,60}:|From )/.test(head) &&
    names.some((name) => /^(?:from|sender|received|date|subject|to|mime-version):$/i.test(name))
  );
}

/** Without `php`, `pl` and the like, which in URLs are programs that write pages. */
const typesByExtension: ReadonlyMap<string, string> = keyByWord({
  'text/markdown': 'md markdown mkd mdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv tab',
  'message/rfc822': 'eml',
  'text/x-c': 'c h',
  'text/x-c++': 'cc cpp cxx hh hpp hxx',
  'text/x-csharp': 'cs',
  'text/css': 'css',
  'text/x-dart': 'dart',
  'text/x-diff': 'diff patch',
  'text/x-elixir': 'ex exs',
  'text/x-erlang': 'erl',
  'text/x-fortran': 'f90 f95',
  'text/x-go': 'go',
  'text/x-graphql': 'graphql gql',
  'text/x-haskell': 'hs',
  'text/x-ini': 'ini cfg',
  'text/x-java': 'java',
  'text/javascript': 'js mjs cjs jsx',
  'text/x-julia': 'jl',
  'text/x-kotlin': 'kt kts',
  'text/x-lua': 'lua',
  'text/x-objectivec': 'mm',
  'text/x-perl': 'pm',
  'text/x-powershell': 'ps1 psm1',
  'text/x-protobuf': 'proto',
  'text/x-python': 'py pyi',
  'text/x-r': 'r',
  'text/x-ruby': 'rb',
  'text/x-rust': 'rs',
  'text/x-scala': 'scala',
  'text/x-scss': 'scss',
  'text/x-sh': 'sh bash zsh',
  'text/x-sql': 'sql',
  'text/x-swift': 'swift',
  'text/x-tex': 'tex',
  'application/toml': 'toml',
  'text/x-typescript': 'ts tsx mts cts',
  'application/yaml': 'yaml yml',
  'application/x-ndjson': 'ndjson jsonl',
});

const typesByName: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'text/x-dockerfile'],
  ['makefile', 'text/x-makefile'],
]);
