/** Reads a PDF page by page; a page is released as soon as the pages nearby are read. */
import { setImmediate } from 'node:timers/promises';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';
import { defaultPdfReading } from '../../core/model/request.ts';
import { bufferRefused } from '../../content/parsers/buffer-bound.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import { FileHtml } from './file-html.ts';
import type { FontStyle, PageContent } from './geometry.ts';
import { type OpenPdf, openPdf } from './open-pdf.ts';
import { readOutline } from './outline.ts';
import { type PageReader, readPageContent } from './page-content.ts';
import { PageLimit } from './text-runs.ts';
import { PageWarnings } from './page-warnings.ts';
import { ScannedPages, type SeenPage } from './scanned-pages.ts';

const bounds = {
  pages: 5000, // whatever the caller's option
  cleanUpAfter: 50, // pages after which pdf.js releases its fonts and objects
  tailBytes: 2048, // at the end (ISO 32000-1, 7.5.5, with room for additions of mail programs)
  factLength: 2000, // characters
};

/** Per page: a dense one has 10,000 characters, and takes 50 ms. */
const pageLimits = { characters: 500_000, runs: 50_000, time: 10_000 };

/**
 * Throws `PDF_ENCRYPTED`, `PDF_DAMAGED`, and `PDF_LIMIT` when every page exceeds a limit. A page that
 * cannot be read is left out with a warning.
 */
export const readPdf: ReadFile = async ({ body, url }, { pdf, limits, pictures }) => {
  const { maxPages: wanted, pageMarkers, mode } = pdf ?? defaultPdfReading;
  const opened = await openPdf(body, url);
  const warnings = new PageWarnings();
  const scans = new ScannedPages({ body, url, mode, pictures, warnings });
  try {
    if (isDamaged(body)) {
      warnings.add('The PDF is damaged: what could be recovered of it was read.');
    }
    const { numPages: total } = opened.file;
    const count = Math.min(total, wanted ?? bounds.pages, bounds.pages);
    if (count < total) warnings.add(`Pages 1 to ${count} of ${total} were read.`);
    const isTagged = await isTaggedFile(opened);
    const text = new FileHtml({ isTagged, pageMarkers });
    const outline = await readOutline(opened);
    const fonts = new Map<string, FontStyle>();
    const file = { ...opened, limits: pageLimits, isTagged, outline, fonts };
    const { numPages, characters, left } = await readPages(
      file,
      { count, maxText: limits.text },
      { text, warnings, scans },
    );
    warnings.missingMaps(opened.missingMaps);
    if (numPages === 0) throw nothingRead(url, total, left);
    if (characters === 0) scans.refuseFailure();
    const { html, repeatedLines } = text.end();
    const facts = await readFacts(opened);
    return {
      ...facts,
      html,
      numPages,
      repeatedLines: repeatedLines || undefined,
      ocr: scans.facts(),
      warnings: warnings.list(),
    } satisfies FileContent;
  } finally {
    await scans.close();
    await opened.file.loadingTask.destroy();
  }
};

interface ReadPages {
  readonly numPages: number;
  readonly characters: number;
  /** Number of pages beyond a limit. */
  readonly left: number;
}

/** The receivers of the pages. */
interface PageSinks {
  readonly text: FileHtml;
  readonly warnings: PageWarnings;
  readonly scans: ScannedPages;
}

async function readPages(
  reader: PageReader,
  { count, maxText }: { readonly count: number; readonly maxText: number },
  { text, warnings, scans }: PageSinks,
): Promise<ReadPages> {
  let numPages = 0;
  let characters = 0;
  let left = 0;
  for await (const { number, seen } of seenPages(reader, count, scans)) {
    const page = await readOnePage(number, seen, { warnings, scans });
    if (page instanceof PageLimit) left += 1;
    else if (page !== undefined) {
      text.add(page);
      numPages += 1;
      characters += page.runs.reduce((sum, run) => sum + run.text.length, 0);
    }
    if (characters > maxText) {
      warnings.add(`Only pages 1 to ${number} were read: their text is longer than limits.text.`);
      break;
    }
  }
  return { numPages, characters, left };
}

/** A page whose picture was requested; or its error, which is reported in page order. */
interface StartedPage {
  readonly number: number;
  readonly seen: Promise<SeenPage>;
}

/** The pages in order, one after the other: only the engine works on a few concurrently. */
async function* seenPages(
  reader: PageReader,
  count: number,
  scans: ScannedPages,
): AsyncGenerator<StartedPage> {
  const line: StartedPage[] = [];
  for (let number = 1; number <= count; number += 1) {
    // Weakly referenced memory is only freed between event loop turns, and nothing else yields.
    await setImmediate();
    const seen = readPageContent(reader, number).then((page) => scans.see(page));
    await Promise.allSettled([seen]);
    if (number % bounds.cleanUpAfter === 0) await reader.file.cleanup(true);
    line.push({ number, seen });
    if (line.length >= scans.pagesAtOnce) yield* line.splice(0, 1);
  }
  yield* line;
}

/** Undefined for a damaged page; damage and limits become warnings. */
async function readOnePage(
  number: number,
  seen: Promise<SeenPage>,
  { warnings, scans }: Pick<PageSinks, 'warnings' | 'scans'>,
): Promise<PageContent | PageLimit | undefined> {
  try {
    return await scans.read(await seen);
  } catch (error) {
    // An error of the OCR engine, or the time limit, is not the page's.
    if (error instanceof PagewrightError) throw error;
    const limit = limitOf(error);
    warnings.leftOut(number, limit?.message ?? 'it is damaged');
    return limit;
  }
}

/** The limit that the page exceeds; undefined for other errors. pdf.js wraps errors in its own. */
function limitOf(error: unknown): PageLimit | undefined {
  if (error instanceof PageLimit) return error;
  return messageOf(error).includes(bufferRefused) ? new PageLimit(bufferRefused) : undefined;
}

async function isTaggedFile({ file }: OpenPdf): Promise<boolean> {
  try {
    const marks: unknown = await file.getMarkInfo();
    return (marks as { Marked?: unknown } | null)?.Marked === true;
  } catch {
    return false;
  }
}

function nothingRead(url: string, total: number, left: number): PagewrightError {
  return left > 0
    ? new PagewrightError(
        'PDF_LIMIT',
        `${url}: every page of the PDF is too large to be read. parsers: [] returns the file as base64.`,
        { url },
      )
    : new PagewrightError(
        'PDF_DAMAGED',
        `${url} is a damaged PDF: none of its ${total} pages can be read. parsers: [] returns the file as base64.`,
        { url },
      );
}

// Detects a truncated PDF: pdf.js recovers it silently, but the caller should know.

/** True when the end is missing, or does not point to the cross-reference table. */
function isDamaged(body: Uint8Array): boolean {
  const end = latin1(body.subarray(Math.max(0, body.length - bounds.tailBytes)));
  const found = /startxref\s+(\d{1,15})\s+%%EOF/g;
  const offsets = [...end.matchAll(found)].map((match) => Number(match[1]));
  const offset = offsets.at(-1);
  if (offset === undefined) return true;
  const start = startOf(body);
  return ![offset, offset + start].some((at) =>
    /^\s*(?:xref|\d+\s+\d+\s+obj)/.test(latin1(body.subarray(at, at + 40))),
  );
}

/** The position of the signature, which may follow other bytes; offsets may count from it. */
function startOf(body: Uint8Array): number {
  return Math.max(0, latin1(body.subarray(0, 1024)).indexOf('%PDF-'));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

// Metadata of a PDF: its Info dictionary and its XMP metadata (ISO 32000-1, 14.3).

type PdfFacts = Pick<
  FileContent,
  'title' | 'author' | 'description' | 'keywords' | 'language' | 'publishedTime' | 'modifiedTime'
>;

/** XMP, which is always Unicode, takes precedence over Info. Empty without both. */
async function readFacts({ file, pdfjs }: OpenPdf): Promise<PdfFacts> {
  let info: Record<string, unknown> = {};
  let xmp: { get(name: string): unknown } | undefined;
  try {
    // Either may be missing, despite the library's types.
    const given: { info?: unknown; metadata?: unknown } = await file.getMetadata();
    if (isRecord(given.info)) info = given.info;
    if (isRecord(given.metadata)) xmp = given.metadata as unknown as typeof xmp;
  } catch {
    // The text is worth more than the metadata: errors are ignored.
  }
  const fact = (inXmp: string, inInfo: string): string | undefined =>
    factText(xmp?.get(inXmp)) ?? factText(info[inInfo]);
  const time = (name: string): string | undefined => {
    const date = pdfjs.PDFDateString.toDateObject(factText(info[name]) ?? '');
    return date === null || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  };
  const title = fact('dc:title', 'Title');
  return {
    title: title === undefined || noTitle.test(title) ? undefined : title,
    author: fact('dc:creator', 'Author'),
    description: fact('dc:description', 'Subject'),
    keywords: fact('pdf:keywords', 'Keywords'),
    language: languageOf(info['Language']) ?? languageOf(xmp?.get('dc:language')),
    publishedTime: time('CreationDate'),
    modifiedTime: time('ModDate'),
  };
}

/** Titles that programs generate without the author. */
const noTitle =
  /^(?:untitled|title|document\d*|microsoft word - .*|about:blank|[^\s]+\.(?:docx?|tex|dvi|odt|indd|qxd|html?|pdf|ps))$/i;

function factText(value: unknown): string | undefined {
  const text = Array.isArray(value)
    ? value.filter((one) => typeof one === 'string').join(', ')
    : value;
  if (typeof text !== 'string') return undefined;
  // Byte order marks, and zeros from wrong encodings.
  const clean = text
    .replace(/[\u0000-\u001f\ufeff\ufffd]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean === '' ? undefined : clean.slice(0, bounds.factLength);
}

function languageOf(value: unknown): string | undefined {
  const text = factText(value);
  return text !== undefined && /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(text) ? text : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
