/** The text in an image file, read by OCR, laid out as that of a page of a PDF. */
import { ocrFailed } from '../../ocr/ocr-failed.ts';
import { leastConfidence, type PictureReading } from '../../ocr/recognized-page.ts';
import type { FileContent } from '../file-parser.ts';

/** Pixels: a larger picture takes an engine minutes. */
const mostPixels = 50e6;
/** Pixels a point that are assumed: engines give pixels, headings and tables are found in points. */
const scale = 2;

/** An image that can be given to an engine. */
interface ImageFile {
  readonly url: string;
  readonly body: Uint8Array;
  readonly mediaType: string;
  /** Pixels, as shown. */
  readonly width: number;
  readonly height: number;
}

/** Throws `HOOK_FAILED` when the engine fails. */
export async function readPictureText(
  pictures: PictureReading,
  { url, body, mediaType, width, height }: ImageFile,
): Promise<Pick<FileContent, 'html' | 'ocr' | 'warnings'>> {
  if (!pictures.mediaTypes.includes(mediaType)) {
    const types = pictures.mediaTypes.join(', ');
    return unread(`the OCR engine ${pictures.name} takes ${types} only`);
  }
  if (width * height > mostPixels)
    return unread(`it has more than ${mostPixels / 1e6} million pixels`);
  const bytes = new Uint8Array(body);
  const recognition = await pictures.recognize({ bytes, mediaType, width, height });
  if ('failure' in recognition) throw ocrFailed(pictures.name, url, recognition.failure);
  const { lines, confidence } = recognition;
  const { htmlOfLines } = await import('../pdf/picture-page.ts');
  const html = htmlOfLines(lines, { width, height, scale });
  if (html === '') return { html };
  return {
    html,
    ocr: { pages: [1], confidence },
    warnings:
      confidence !== undefined && confidence < leastConfidence
        ? ['The image was read by OCR with little confidence: its text may be wrong.']
        : [],
  };
}

function unread(reason: string): Pick<FileContent, 'html' | 'warnings'> {
  return { html: '', warnings: [`The text of the image was not read: ${reason}.`] };
}
