/** Writes pictures of a file as `img` elements whose source contains the picture. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { escapeAttribute } from '../../content/html/serialize.ts';
import { oneLine } from '../../content/text/plain-text.ts';
import { sniffBinary } from '../../content/parsers/signatures.ts';
import type { ZipFiles } from '../archives/read-zip.ts';

const most = 512 * 1024; // bytes of one picture; larger ones are only alternative text
const mostInAll = 4 * 1024 * 1024;

const displayed: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** Kinds that are never displayed, by file name: not unpacked. */
const neverDisplayed = /\.(?:emf|wmf|emz|wmz|svm|bmp|dib|tiff?|pict?|pct|eps|wdp|jxr|svgz?)$/i;

/** The pictures in an archive. A bad picture does not fail the document, and none costs more than the limit. */
export class PictureFiles {
  readonly #zip: ZipFiles;
  readonly #unreadable = new Set<string>();
  #left: number = mostInAll;

  constructor(zip: ZipFiles) {
    this.#zip = zip;
  }

  /** Undefined for a picture that is missing, damaged, too large, or of a kind that is not displayed. */
  read(name: string): Uint8Array | undefined {
    const allowed = Math.min(most, this.#left);
    if (neverDisplayed.test(name) || this.#unreadable.has(name)) return undefined;
    if (this.#zip.sizeOf(name) > allowed) return undefined;
    try {
      const bytes = this.#zip.read(name, allowed);
      this.#left -= bytes?.length ?? 0;
      return bytes;
    } catch (error) {
      if (!(error instanceof PagewrightError)) throw error;
      // The directory may give wrong sizes: bytes that were unpacked in vain count.
      if (error.code === 'PARSE_LIMIT') this.#left -= allowed;
      this.#unreadable.add(name);
      return undefined;
    }
  }
}

/**
 * Writes pictures. They have no URL, so they become `data:` URLs, which cleaning removes unless the caller
 * wants to keep them.
 */
export class Pictures {
  #left: number = mostInAll;

  /** `read` returns the bytes of the picture, undefined if it is missing. */
  element(alt: string, read: () => Uint8Array | undefined): string {
    return imageElement(alt, this.#dataUrl(read()));
  }

  #dataUrl(bytes: Uint8Array | undefined): string {
    const none = 'data:,';
    if (bytes === undefined || bytes.length > Math.min(most, this.#left)) return none;
    const mediaType = sniffBinary(bytes, undefined) ?? '';
    if (!displayed.has(mediaType)) return none;
    this.#left -= bytes.length;
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    return `data:${mediaType};base64,${base64}`;
  }
}

/** A picture at a URL. */
export function imageElement(alt: string, url: string): string {
  const text = oneLine(alt);
  return `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(text)}">`;
}
