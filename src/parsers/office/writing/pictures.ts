/** Pictures of a file as `img` elements whose source is the picture itself. */
import { escapeAttribute } from '../../../html/escape.ts';
import { sniffBinary } from '../../signatures.ts';

/** Bytes of one picture, and of all of a file, that are written; of others only the alternative text. */
const most = 512 * 1024;
const mostInAll = 4 * 1024 * 1024;

const shown: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'],
]);

/**
 * Writes pictures. There is no URL that leads to one, so it is a `data:` URL, which cleaning removes
 * unless the caller wants to keep it.
 */
export class Pictures {
  #left: number = mostInAll;

  /** `read` gives the bytes of the picture, undefined when it is missing. */
  element(alt: string, read: () => Uint8Array | undefined): string {
    return imageElement(alt, this.#dataUrl(read()));
  }

  #dataUrl(bytes: Uint8Array | undefined): string {
    const none = 'data:,';
    if (bytes === undefined || bytes.length > Math.min(most, this.#left)) return none;
    const mediaType = sniffBinary(bytes, undefined) ?? '';
    if (!shown.has(mediaType)) return none;
    this.#left -= bytes.length;
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    return `data:${mediaType};base64,${base64}`;
  }
}

/** A picture that stands at a URL. */
export function imageElement(alt: string, url: string): string {
  const text = alt.replace(/\s+/g, ' ').trim();
  return `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(text)}">`;
}
