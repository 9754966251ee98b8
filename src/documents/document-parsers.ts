/** Parsers of documents by media type. The reader of a file type is loaded with the first such file. */
import { loadModule } from '../core/runtime/load-module.ts';
import { filePage, fileParser } from '../content/parsers/file-parser.ts';
import type { Parser } from '../content/parsers/parser.ts';
import { readSource, textPage } from '../content/parsers/text-page.ts';

const openXml = 'application/vnd.openxmlformats-officedocument';

const openDocument = 'application/vnd.oasis.opendocument';

/** Tried before the text parsers: some office files are text. */
export const officeParsers: readonly Parser[] = [
  fileParser(
    'docx',
    new Set([
      `${openXml}.wordprocessingml.document`,
      `${openXml}.wordprocessingml.template`,
      'application/vnd.ms-word.document.macroenabled.12',
      'application/vnd.ms-word.template.macroenabled.12',
    ]),
    async () => (await loadModule(() => import('./office/docx/read-docx.ts'))).readDocx,
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
    async () => (await loadModule(() => import('./office/read-pptx.ts'))).readPptx,
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
    async () => (await loadModule(() => import('./office/read-workbook.ts'))).readWorkbook,
  ),
  fileParser(
    'opendocument',
    new Set([
      `${openDocument}.text`,
      `${openDocument}.text-template`,
      `${openDocument}.spreadsheet`,
      `${openDocument}.spreadsheet-template`,
      `${openDocument}.presentation`,
      `${openDocument}.presentation-template`,
    ]),
    async () => (await loadModule(() => import('./office/odf/read-odf.ts'))).readOdf,
  ),
  fileParser(
    'epub',
    new Set(['application/epub+zip']),
    async () => (await loadModule(() => import('./office/read-epub.ts'))).readEpub,
  ),
  fileParser(
    'rtf',
    new Set(['application/rtf', 'application/x-rtf', 'text/rtf', 'text/richtext']),
    async () => (await loadModule(() => import('./office/rtf/read-rtf.ts'))).readRtf,
  ),
  fileParser(
    'doc',
    new Set(['application/msword']),
    async () => (await loadModule(() => import('./office/read-doc.ts'))).readDoc,
  ),
  fileParser(
    'csv',
    new Set([
      'text/csv',
      'application/csv',
      'text/comma-separated-values',
      'text/tab-separated-values',
    ]),
    async () => (await loadModule(() => import('./office/read-csv.ts'))).readCsvFile,
  ),
];

// PDFs, unless the caller requests the raw file.

const pdfFileParser = fileParser(
  'pdf',
  new Set(['application/pdf']),
  async () => (await loadModule(() => import('./pdf/read-pdf.ts'))).readPdf,
);

/** Reads PDFs; with `parsers: []` they go to the parser that returns bytes. */
export const pdfParser: Parser = {
  ...pdfFileParser,
  accepts: (mediaType, context) =>
    context.pdf !== undefined && pdfFileParser.accepts(mediaType, context),
};

// Subtitles: WebVTT and SubRip.

const subtitleTypes: ReadonlySet<string> = new Set([
  'text/vtt',
  'text/srt',
  'text/x-srt',
  'text/x-subrip',
  'application/x-subrip',
  'application/srt',
  'application/x-srt',
]);

/** Reads subtitles as a text with times; a file without cues is left unchanged. */
export const subtitlesParser: Parser = {
  name: 'subtitles',
  accepts: (mediaType) => subtitleTypes.has(mediaType),
  parse: async (snapshot, context) => {
    const text = await readSource(snapshot, context, 'text');
    const { readSubtitles } = await loadModule(() => import('./read-subtitles.ts'));
    const content = readSubtitles(text.source);
    if (content === undefined)
      return textPage(snapshot, context, { ...text, markdown: text.source });
    const page = await filePage(snapshot, context, content, text.source);
    page.warnings.unshift(...text.warnings);
    return page;
  },
};

// Media types of images, archives and mails are known before their readers are loaded. SVG is XML.

/** Image types whose heads are read. */
export const imageTypes: ReadonlySet<string> = new Set(
  ['png', 'jpeg', 'gif', 'webp', 'avif', 'heic', 'tiff', 'bmp', 'x-icon'].map(
    (kind) => `image/${kind}`,
  ),
);

/** Media types of a message. */
export const emailTypes: ReadonlySet<string> = new Set(['message/rfc822', 'message/global']);

/** Media types of readable archives. */
export const archiveTypes: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-tar',
  'application/gzip',
]);
