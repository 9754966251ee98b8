/** The code pages of rich text files. */
import { TextDecoder } from 'node:util';

/** Decoders by code page, made when they are first needed. */
export class CodePages {
  readonly #decoders = new Map<number, TextDecoder>();

  decode(bytes: Uint8Array, page: number): string {
    let decoder = this.#decoders.get(page);
    if (decoder === undefined) {
      decoder = new TextDecoder(labels.get(page) ?? windowsLabel(page));
      this.#decoders.set(page, decoder);
    }
    return decoder.decode(bytes);
  }
}

const labels: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [10007, 'x-mac-cyrillic'],
  [65001, 'utf-8'],
]);

function windowsLabel(page: number): string {
  return page >= 1250 && page <= 1258 ? `windows-${page}` : 'windows-1252';
}

/** The code page of a font by its character set (`\fcharset`); undefined: that of the file. */
export const pageByCharset: ReadonlyMap<number, number> = new Map([
  [77, 10000],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
]);
