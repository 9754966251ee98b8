/** What a PDF says of itself: its Info dictionary and its XMP metadata (ISO 32000-1, 14.3). */
import type { FileContent } from '../file-parser.ts';
import type { OpenPdf } from './open-pdf.ts';

type Facts = Pick<
  FileContent,
  'title' | 'author' | 'description' | 'keywords' | 'language' | 'publishedTime' | 'modifiedTime'
>;

/** Characters of one fact. */
const maxLength = 2000;

/** XMP, which is Unicode by definition, goes before Info. Nothing where there is none. */
export async function readFacts({ file, pdfjs }: OpenPdf): Promise<Facts> {
  let info: Record<string, unknown> = {};
  let xmp: { get(name: string): unknown } | undefined;
  try {
    // Its types leave out that either may be missing.
    const given: { info?: unknown; metadata?: unknown } = await file.getMetadata();
    if (isRecord(given.info)) info = given.info;
    if (isRecord(given.metadata)) xmp = given.metadata as unknown as typeof xmp;
  } catch {
    // The text is worth more than what is said about it.
  }
  const fact = (inXmp: string, inInfo: string): string | undefined =>
    textOf(xmp?.get(inXmp)) ?? textOf(info[inInfo]);
  const time = (name: string): string | undefined => {
    const date = pdfjs.PDFDateString.toDateObject(textOf(info[name]) ?? '');
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

/** What programs write where nobody gave a title. */
const noTitle =
  /^(?:untitled|title|document\d*|microsoft word - .*|about:blank|[^\s]+\.(?:docx?|tex|dvi|odt|indd|qxd|html?|pdf|ps))$/i;

function textOf(value: unknown): string | undefined {
  const text = Array.isArray(value)
    ? value.filter((one) => typeof one === 'string').join(', ')
    : value;
  if (typeof text !== 'string') return undefined;
  // Byte order marks and zeros of wrong encodings.
  const clean = text
    .replace(/[\u0000-\u001f\ufeff\ufffd]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return clean === '' ? undefined : clean.slice(0, maxLength);
}

function languageOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(text) ? text : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
