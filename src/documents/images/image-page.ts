/** Makes a document from an image: the picture with its alternative text, its metadata, and its text by OCR. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { escapeAttribute, escapeText } from '../../content/html/serialize.ts';
import { fileNameOf } from '../../core/url/path-kind.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { FileContent, ReadFile } from '../../content/parsers/file-parser.ts';
import { fileSize } from '../../content/parsers/html-fragment.ts';
import {
  leastConfidence,
  ocrFailed,
  type PagePicture,
  type PictureRecognizer,
} from '../../core/model/ocr-engine.ts';
import type { ImageHead, ImageNotes } from './image-metadata.ts';
import { readImageHead } from './read-image-head.ts';

/** Reads the head of an image. Throws `UNSUPPORTED_CONTENT` for a damaged one. */
export const readImage: ReadFile = async ({ url, body }, { mediaType, pictures }) => {
  const picture = readImageHead(mediaType, body);
  if (picture === undefined) {
    throw new PagewrightError(
      'UNSUPPORTED_CONTENT',
      `${url} is ${mediaType}, which cannot be read: its head is damaged or missing.`,
      { url },
    );
  }
  const kind = kinds.get(mediaType) ?? mediaType.slice('image/'.length).toUpperCase();
  const content = imageContent(url, { kind, mediaType, bytes: body.length, ...picture });
  if (pictures === undefined) return content;
  const { width, height } = picture;
  const read = await readImageText(pictures, { mediaType, width, height }, { url, body });
  return { ...content, ...read, html: [content.html, read.html].join('\n') };
};

const kinds: ReadonlyMap<string, string> = new Map([
  ['image/webp', 'WebP'],
  ['image/x-icon', 'ICO'],
]);

/** An image, with its known facts. */
interface ImageFacts extends Omit<ImageHead, 'width' | 'height'> {
  /** `PNG` */
  readonly kind: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Lines of text in the picture. */
  readonly texts?: readonly string[];
}

/** The document of an image. */
export function imageContent(url: string, image: ImageFacts): FileContent {
  const { notes, width, height, frames = 1, texts = [] } = image;
  const size = width === undefined || height === undefined ? '' : `, ${width} × ${height} pixels`;
  const moves = frames > 1 ? `, ${frames} frames` : '';
  const alt = altOf(notes);
  const isAddress = /^https?:/.test(url);
  const picture = isAddress
    ? `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(alt)}"${sizeAttributes(image)}>`
    : escapeText(alt);
  const description = notes.description === alt ? undefined : notes.description;
  const html = [
    picture,
    escapeText(`${image.kind} image${size}${moves}, ${fileSize(image.bytes)}`),
    ...(description === undefined ? [] : [escapeText(description)]),
    ...noteLines(notes),
    ...texts.map(escapeText),
  ]
    .filter((part) => part !== '')
    .map((part) => `<p>${part}</p>`)
    .join('\n');
  return {
    html,
    title: notes.title ?? (fileNameOf(url) || undefined),
    author: notes.author,
    description: notes.description,
    keywords: notes.keywords,
    metas: {
      'og:image': isAddress ? url : undefined,
      'og:image:type': image.mediaType,
      'og:image:width': width?.toString(),
      'og:image:height': height?.toString(),
    },
  };
}

/** The alternative text from the notes. A file name does not count. */
function altOf({ title, description }: ImageNotes): string {
  return (title ?? description ?? '').replace(/\s+/g, ' ');
}

function sizeAttributes({ width, height }: ImageFacts): string {
  return width === undefined || height === undefined ? '' : ` width="${width}" height="${height}"`;
}

function noteLines({ author, copyright, taken, camera, keywords }: ImageNotes): string[] {
  return [
    ...(author === undefined ? [] : [`By ${escapeText(author)}`]),
    ...(copyright === undefined ? [] : [`Copyright: ${escapeText(copyright)}`]),
    // A camera's clock has no time zone.
    ...(taken === undefined ? [] : [`Taken: ${escapeText(taken)}`]),
    ...(camera === undefined ? [] : [`Camera: ${escapeText(camera)}`]),
    ...(keywords === undefined ? [] : [`Keywords: ${escapeText(keywords)}`]),
  ];
}

// The text in an image file, read by OCR, laid out like a PDF page.

const mostPixels = 50e6; // pixels: a larger picture takes an engine minutes
const scale = 2; // assumed pixels per point: engines return pixels, layout takes points

/** Throws `HOOK_FAILED` when the engine fails. */
async function readImageText(
  pictures: PictureRecognizer,
  picture: Omit<PagePicture, 'bytes'>,
  { url, body }: Pick<Parameters<ReadFile>[0], 'url' | 'body'>,
): Promise<Pick<FileContent, 'html' | 'ocr' | 'warnings'>> {
  const { mediaType, width, height } = picture;
  if (!pictures.mediaTypes.includes(mediaType)) {
    const types = pictures.mediaTypes.join(', ');
    return unread(`the OCR engine ${pictures.name} takes ${types} only`);
  }
  if (width * height > mostPixels)
    return unread(`it has more than ${mostPixels / 1e6} million pixels`);
  const recognition = await pictures.recognize({ ...picture, bytes: new Uint8Array(body) });
  if ('failure' in recognition) throw ocrFailed(pictures.name, url, recognition.failure);
  const { lines, confidence } = recognition;
  const { htmlOfLines } = await loadModule(() => import('../pdf/recognized-text.ts'));
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
