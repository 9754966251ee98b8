/** An image as a document: the picture with the words that stand for it, and what its file says. */
import { escapeAttribute, escapeText } from '../../html/escape.ts';
import { PagewrightError } from '../../errors.ts';
import type { FileContent, ReadFile } from '../file-parser.ts';
import { fileSize } from '../markup/text-html.ts';
import type { Picture, PictureNotes } from './picture.ts';
import { readPicture } from './read-picture.ts';
import { readPictureText } from './picture-text.ts';

/** Reads the head of an image. Throws `UNSUPPORTED_CONTENT` for one that is damaged. */
export const readImage: ReadFile = async ({ url, body }, { mediaType, pictures }) => {
  const picture = readPicture(mediaType, body);
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
  const read = await readPictureText(pictures, { url, body, mediaType, width, height });
  return { ...content, ...read, html: [content.html, read.html].join('\n') };
};

const kinds: ReadonlyMap<string, string> = new Map([
  ['image/webp', 'WebP'],
  ['image/x-icon', 'ICO'],
]);

/** An image, and what is known of it. */
export interface ImageFacts extends Omit<Picture, 'width' | 'height'> {
  /** `PNG` */
  readonly kind: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Lines that stand in the picture. */
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
    title: notes.title ?? fileName(url),
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

/** What somebody wrote of it. The name of a file stands for nothing. */
function altOf({ title, description }: PictureNotes): string {
  return (title ?? description ?? '').replace(/\s+/g, ' ');
}

function fileName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return name;
  }
}

function sizeAttributes({ width, height }: ImageFacts): string {
  return width === undefined || height === undefined ? '' : ` width="${width}" height="${height}"`;
}

function noteLines({ author, copyright, taken, camera, keywords }: PictureNotes): string[] {
  return [
    ...(author === undefined ? [] : [`By ${escapeText(author)}`]),
    ...(copyright === undefined ? [] : [`Copyright: ${escapeText(copyright)}`]),
    // A camera's clock has no time zone.
    ...(taken === undefined ? [] : [`Taken: ${escapeText(taken)}`]),
    ...(camera === undefined ? [] : [`Camera: ${escapeText(camera)}`]),
    ...(keywords === undefined ? [] : [`Keywords: ${escapeText(keywords)}`]),
  ];
}
