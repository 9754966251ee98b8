/** PDFs, unless the caller wants them as they are. */
import { fileParser } from '../file-parser.ts';
import type { Parser } from '../parser.ts';

const read = fileParser(
  'pdf',
  new Set(['application/pdf']),
  async () => (await import('./read-pdf.ts')).readPdf,
);

/** Reads PDFs; with `parsers: []` they are left to the parser that gives bytes. */
export const pdfParser: Parser = {
  ...read,
  accepts: (mediaType, context) => context.pdf !== undefined && read.accepts(mediaType, context),
};
