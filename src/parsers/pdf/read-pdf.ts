/** Reads a PDF page by page; what of a page is not HTML yet goes when the pages nearby were read. */
import { setImmediate } from 'node:timers/promises';
import { messageOf, PagewrightError } from '../../errors.ts';
import { defaultPdfReading } from '../../model/request.ts';
import { bufferRefused } from '../buffer-bound.ts';
import type { FileContent, ReadFile } from '../file-parser.ts';
import { isDamaged } from './damage.ts';
import { readFacts } from './file-facts.ts';
import { FileHtml } from './file-html.ts';
import { type OpenPdf, openPdf } from './open-pdf.ts';
import type { FontStyle, PageContent } from './geometry.ts';
import { type PageReader, readPageContent } from './page-content.ts';
import { PageLimit } from './page-limit.ts';
import { PageWarnings } from './page-warnings.ts';
import { ScannedPages, type SeenPage } from './scanned-pages.ts';

/** Pages that are read at most, whatever the caller asks for. */
const maxPages = 5000;
/** Of one page: a dense one has 10,000 characters, and takes 50 ms. */
const pageLimits = { characters: 500_000, runs: 50_000, time: 10_000 };
/** Pages after which pdf.js forgets the fonts and objects that it keeps. */
const cleanUpAfter = 50;

/**
 * Throws `PDF_ENCRYPTED`, `PDF_DAMAGED`, and `PDF_LIMIT` when every page is beyond a limit. A page that
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
    const count = Math.min(total, wanted ?? maxPages, maxPages);
    if (count < total) warnings.add(`Pages 1 to ${count} of ${total} were read.`);
    const isTagged = await isTaggedFile(opened);
    const text = new FileHtml({ isTagged, pageMarkers });
    const file = { ...opened, limits: pageLimits, isTagged, fonts: new Map<string, FontStyle>() };
    const { numPages, characters, left } = await readPages(
      file,
      { count, maxText: limits.text },
      { text, warnings, scans },
    );
    warnings.missingMaps(opened.missingMaps);
    if (numPages === 0) throw nothingRead(url, total, left);
    if (characters === 0) scans.refuseFailure();
    const html = text.end();
    const facts = await readFacts(opened);
    return {
      ...facts,
      html,
      numPages,
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
  /** Pages beyond a limit. */
  readonly left: number;
}

/** What hears of the pages. */
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

/** A page that was seen; or what went wrong, which is told when its turn comes. */
interface StartedPage {
  readonly number: number;
  readonly seen: Promise<SeenPage>;
}

/** The pages in their order, one after the other: only the engine is at work on a few at once. */
async function* seenPages(
  reader: PageReader,
  count: number,
  scans: ScannedPages,
): AsyncGenerator<StartedPage> {
  const line: StartedPage[] = [];
  for (let number = 1; number <= count; number += 1) {
    // Memory that is referred to weakly is freed between turns only, and reading waits for nothing else.
    await setImmediate();
    const seen = readPageContent(reader, number).then((page) => scans.see(page));
    await Promise.allSettled([seen]);
    if (number % cleanUpAfter === 0) await reader.file.cleanup(true);
    line.push({ number, seen });
    if (line.length >= scans.pagesAtOnce) yield* line.splice(0, 1);
  }
  yield* line;
}

/** Undefined for a page that is damaged; both that and a limit are warnings. */
async function readOnePage(
  number: number,
  seen: Promise<SeenPage>,
  { warnings, scans }: Pick<PageSinks, 'warnings' | 'scans'>,
): Promise<PageContent | PageLimit | undefined> {
  try {
    return await scans.read(await seen);
  } catch (error) {
    // Of the OCR engine, or the end of the time: not of the page.
    if (error instanceof PagewrightError) throw error;
    const limit = limitOf(error);
    warnings.leftOut(number, limit?.message ?? 'it is damaged');
    return limit;
  }
}

/** Which limit the page is beyond; undefined for other errors. pdf.js makes its own of those it meets. */
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
        `${url}: every page of the PDF is too large to be read. parsers: [] gives the file as base64.`,
        { url },
      )
    : new PagewrightError(
        'PDF_DAMAGED',
        `${url} is a damaged PDF: none of its ${total} pages can be read. parsers: [] gives the file as base64.`,
        { url },
      );
}
