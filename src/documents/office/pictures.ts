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

/**
 * The pictures in an archive. They have no URL, so they become `data:` URLs, which cleaning removes unless the
 * caller wants to keep them. A bad picture does not fail the document, and none costs more than the limit.
 */
export class Pictures {
  readonly #zip: ZipFiles;
  readonly #unreadable = new Set<string>();
  #left: number = mostInAll;

  constructor(zip: ZipFiles) {
    this.#zip = zip;
  }

  /** Without data for a picture that is missing, damaged, too large, or of a kind that is not displayed. */
  element(alt: string, name: string | undefined): string {
    const bytes = name === undefined ? undefined : this.#read(name);
    const mediaType = (bytes && sniffBinary(bytes, undefined)) ?? '';
    if (bytes === undefined || !displayed.has(mediaType)) return imageElement(alt, 'data:,');
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
    return imageElement(alt, `data:${mediaType};base64,${base64}`);
  }

  #read(name: string): Uint8Array | undefined {
    const allowed = Math.min(most, this.#left);
    if (neverDisplayed.test(name) || this.#unreadable.has(name)) return undefined;
    if (this.#zip.sizeOf(name) > allowed) return undefined;
    try {
      const bytes = this.#zip.read(name, allowed);
      const size = bytes?.length ?? 0;
      this.#left -= size;
      return size > allowed ? undefined : bytes;
    } catch (error) {
      if (!(error instanceof PagewrightError)) throw error;
      // The directory may give wrong sizes: bytes that were unpacked in vain count.
      if (error.code === 'PARSE_LIMIT') this.#left -= allowed;
      this.#unreadable.add(name);
      return undefined;
    }
  }
}

/** A picture at a URL. */
export function imageElement(alt: string, url: string): string {
  const text = oneLine(alt);
  return `<img src="${escapeAttribute(url)}" alt="${escapeAttribute(text)}">`;
}
