/** Reads a PDF: each page for itself, then all of them as one text. */
import { PagewrightError } from '../../errors.ts';
import { defaultPdfReading } from '../../model/request.ts';
import type { FileContent, ReadFile } from '../file-parser.ts';
import { isDamaged } from './damage.ts';
import { readFacts } from './file-facts.ts';
import { htmlOfPages } from './file-html.ts';
import type { PageContent } from './geometry.ts';
import { type OpenPdf, openPdf } from './open-pdf.ts';
import { readPageContent } from './page-content.ts';
import { PageLimit } from './page-limit.ts';
import { PageWarnings } from './page-warnings.ts';

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
export const readPdf: ReadFile = async ({ body, url }, { pdf, limits }) => {
  const { maxPages: wanted, pageMarkers } = pdf ?? defaultPdfReading;
  const opened = await openPdf(body, url);
  try {
    const warnings = new PageWarnings();
    if (isDamaged(body)) {
      warnings.add('The PDF is damaged: what could be recovered of it was read.');
    }
    const { numPages: total } = opened.file;
    const count = Math.min(total, wanted ?? maxPages, maxPages);
    if (count < total) warnings.add(`Pages 1 to ${count} of ${total} were read.`);
    const { pages, isTagged, left } = await readPages(opened, count, limits.text, warnings);
    warnings.missingMaps(opened.missingMaps);
    if (pages.length === 0) throw nothingRead(url, total, left);
    const html = htmlOfPages(pages, { isTagged, pageMarkers });
    const facts = await readFacts(opened);
    return {
      ...facts,
      html,
      numPages: pages.length,
      warnings: warnings.list(),
    } satisfies FileContent;
  } finally {
    await opened.file.loadingTask.destroy();
  }
};

interface ReadPages {
  readonly pages: PageContent[];
  readonly isTagged: boolean;
  /** Pages beyond a limit. */
  readonly left: number;
}

async function readPages(
  opened: OpenPdf,
  count: number,
  maxText: number,
  warnings: PageWarnings,
): Promise<ReadPages> {
  const isTagged = await isTaggedFile(opened);
  const reader = { ...opened, limits: pageLimits, isTagged, fonts: new Map() };
  const pages: PageContent[] = [];
  let characters = 0;
  let left = 0;
  for (let number = 1; number <= count; number += 1) {
    try {
      const page = await readPageContent(reader, number);
      pages.push(page);
      if (page.runs.length === 0) warnings.empty(number);
      characters += page.runs.reduce((sum, { text }) => sum + text.length, 0);
    } catch (error) {
      const isLimit = error instanceof PageLimit;
      if (isLimit) left += 1;
      warnings.leftOut(number, isLimit ? error.message : 'it is damaged');
    }
    if (characters > maxText) {
      warnings.add(`Only pages 1 to ${number} were read: their text is longer than limits.text.`);
      break;
    }
    if (number % cleanUpAfter === 0) await opened.file.cleanup(true);
  }
  return { pages, isTagged, left };
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
