/** Parsers of office files. The code that reads a kind of them is loaded with the first such file. */
import { fileParser } from '../file-parser.ts';
import type { Parser } from '../parser.ts';

const openXml = 'application/vnd.openxmlformats-officedocument';
const openDocument = 'application/vnd.oasis.opendocument';

/** Asked before the parsers of text: some office files are text. */
export const officeParsers: readonly Parser[] = [
  fileParser(
    'docx',
    new Set([
      `${openXml}.wordprocessingml.document`,
      `${openXml}.wordprocessingml.template`,
      'application/vnd.ms-word.document.macroenabled.12',
      'application/vnd.ms-word.template.macroenabled.12',
    ]),
    async () => (await import('./docx/read-docx.ts')).readDocx,
  ),
  fileParser(
    'pptx',
    new Set([
      `${openXml}.presentationml.presentation`,
      `${openXml}.presentationml.slideshow`,
      `${openXml}.presentationml.template`,
      'application/vnd.ms-powerpoint.presentation.macroenabled.12',
      'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
    ]),
    async () => (await import('./pptx/read-pptx.ts')).readPptx,
  ),
  fileParser(
    'workbook',
    new Set([
      `${openXml}.spreadsheetml.sheet`,
      `${openXml}.spreadsheetml.template`,
      'application/vnd.ms-excel',
      'application/vnd.ms-excel.sheet.macroenabled.12',
      'application/vnd.ms-excel.sheet.binary.macroenabled.12',
    ]),
    async () => (await import('./sheets/read-workbook.ts')).readWorkbook,
  ),
  fileParser(
    'opendocument',
    new Set([
      ...[`${openDocument}.text`, `${openDocument}.text-template`],
      ...[`${openDocument}.spreadsheet`, `${openDocument}.spreadsheet-template`],
      ...[`${openDocument}.presentation`, `${openDocument}.presentation-template`],
    ]),
    async () => (await import('./odf/read-odf.ts')).readOdf,
  ),
  fileParser(
    'epub',
    new Set(['application/epub+zip']),
    async () => (await import('./epub/read-epub.ts')).readEpub,
  ),
  fileParser(
    'rtf',
    new Set(['application/rtf', 'application/x-rtf', 'text/rtf', 'text/richtext']),
    async () => (await import('./rtf/read-rtf.ts')).readRtf,
  ),
  fileParser(
    'doc',
    new Set(['application/msword']),
    async () => (await import('./doc/read-doc.ts')).readDoc,
  ),
  fileParser(
    'csv',
    new Set([
      'text/csv',
      'application/csv',
      'text/comma-separated-values',
      'text/tab-separated-values',
    ]),
    async () => (await import('./sheets/csv.ts')).readCsvFile,
  ),
];
