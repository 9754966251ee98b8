/** Workbooks (.xlsx, .xls and their kin), each sheet as a table with a heading. */
import type { WorkBook, WorkSheet } from '@e965/xlsx';
import { zipSync } from 'fflate';
import { MissingDependencyError, PagewrightError } from '../../../errors.ts';
import { escapeText } from '../../../html/escape.ts';
import type { FileContent, FileContext, ReadFile } from '../../file-parser.ts';
import { readZip } from '../../zip/read-zip.ts';
import { HtmlBudget } from '../writing/html-budget.ts';
import { withFarRowsSaid } from './far-rows.ts';
import { cellLimit, mostRows } from './sheet-limits.ts';
import { readSheet } from './sheet-table.ts';

type Xlsx = typeof import('@e965/xlsx');

/**
 * Values as the sheet shows them: dates, percents and money in their formats, of formulas what they
 * give. Sheets that are hidden are left out, with a warning. Throws `MISSING_DEPENDENCY` without the
 * package that reads them.
 */
export const readWorkbook: ReadFile = async ({ body }, context): Promise<FileContent> => {
  const { limits } = context;
  const xlsx = await load();
  const bytes = harmless(body, context);
  const book = open(xlsx, bytes);
  const budget = new HtmlBudget(limits.text);
  const warnings: string[] = [];
  let cells = cellLimit(limits);
  const parts: string[] = [];
  const hidden: string[] = [];
  for (const [index, name] of book.SheetNames.entries()) {
    if ((book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0) {
      hidden.push(`"${name}"`);
      continue;
    }
    const sheet: WorkSheet | undefined = book.Sheets[name];
    if (sheet === undefined) continue;
    const table = readSheet(xlsx, sheet, name, cells, budget);
    cells -= table.cells;
    if (table.warning !== undefined) warnings.push(table.warning);
    parts.push(`<h2>${escapeText(name)}</h2>${table.html}`);
  }
  if (hidden.length > 0) warnings.push(`Hidden sheets were left out: ${hidden.join(', ')}.`);
  return { ...propertiesOf(book), html: parts.join(''), warnings };
};

/** The parts of a binary workbook (.xlsb) are `.bin` too. */
const useless =
  /(?:^|\/)(?:media|embeddings|drawings|charts|activeX|ctrlProps|printerSettings)\/|(?:^|\/)vbaProject[^/]*\.bin$/i;

/**
 * An archive is unpacked here, where what it gives is counted, and handed over as it is then: stored.
 * Pictures and macros are of no use.
 */
function harmless(body: Uint8Array, { limits, unpacking }: FileContext): Uint8Array {
  // Any archive, whatever it is said to be: "PK".
  if (body[0] !== 0x50 || body[1] !== 0x4b) return body;
  const zip = readZip(body, { totalBytes: limits.bodyBytes, budget: unpacking });
  const files: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  for (const name of zip.names) {
    if (useless.test(name)) continue;
    // The package that packs them would take this name for something else.
    if (name.includes('__proto__')) continue;
    const content = zip.read(name);
    if (content !== undefined) files[name] = withFarRowsSaid(content);
  }
  return zipSync(files, { level: 0 });
}

function open(xlsx: Xlsx, bytes: Uint8Array): WorkBook {
  try {
    return xlsx.read(bytes, {
      type: 'array',
      dense: true,
      cellHTML: false,
      cellFormula: false,
      // Without it nothing is said of rows that are hidden. In a file without styles it makes the
      // package throw and catch at each cell, which takes 60 µs.
      cellStyles: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('/styles.xml'),
      sheetRows: mostRows + 1,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 200) : 'it is damaged';
    const reason = /password|encrypt/i.test(message) ? 'it is encrypted with a password' : message;
    throw new PagewrightError('UNSUPPORTED_CONTENT', `The workbook cannot be read: ${reason}.`, {
      cause: error,
    });
  }
}

function propertiesOf({ Props: props }: WorkBook): Omit<FileContent, 'html'> {
  return {
    title: textOf(props?.Title),
    author: textOf(props?.Author),
    description: textOf(props?.Comments) ?? textOf(props?.Subject),
    keywords: textOf(props?.Keywords),
    publishedTime: timeOf(props?.CreatedDate),
    modifiedTime: timeOf(props?.ModifiedDate),
  };
}

/** What the package calls a text may be something else in a broken file. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function timeOf(value: unknown): string | undefined {
  const time = value instanceof Date ? value : new Date(typeof value === 'string' ? value : '');
  // The year 1601 is where the time of old files begins.
  return time.getTime() > 0 ? time.toISOString() : undefined;
}

async function load(): Promise<Xlsx> {
  try {
    return await import('@e965/xlsx');
  } catch (error) {
    throw new MissingDependencyError('@e965/xlsx', 'Reading a workbook', error);
  }
}
