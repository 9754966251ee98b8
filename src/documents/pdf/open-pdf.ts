/** Opens a PDF with unpdf's build of pdf.js: no canvas, no second thread, nothing fetched, memory bounded. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { getResolvedPDFJS } from 'unpdf';
import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { messageOf, PagewrightError } from '../../core/runtime/errors.ts';

const limits = {
  letterLength: 64, // characters of one glyph: Arabic ligatures have up to 18
  arrayBytes: 256 * 2 ** 20, // one array: 64 million pixels in three colors
  totalBytes: 1024 * 2 ** 20, // all arrays together
};

/** The pdf.js module. */
export type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;

/** An open file, which the opener must close. */
export interface OpenPdf {
  readonly pdfjs: PdfJs;
  readonly file: PDFDocumentProxy;
  /** Character maps (CMaps) that its fonts need and that are not installed. */
  readonly missingMaps: ReadonlySet<string>;
}

/**
 * Throws `PDF_ENCRYPTED` if it requires a password (an empty one is tried), and `PDF_DAMAGED` if it is not a
 * recoverable PDF. Pictures of more than `maxImageSize` pixels are not decoded.
 */
export async function openPdf(body: Uint8Array, url: string, maxImageSize = 1): Promise<OpenPdf> {
  addTransfer();
  limitLetters();
  const pdfjs = await getResolvedPDFJS();
  const maps = characterMaps();
  const opening = pdfjs.getDocument({
    // pdf.js transfers the bytes; other code still needs them.
    data: new Uint8Array(body),
    isEvalSupported: false,
    useWasm: false,
    useWorkerFetch: false,
    disableFontFace: true,
    useSystemFonts: false,
    disableAutoFetch: true,
    enableXfa: false,
    BinaryDataFactory: maps.BinaryDataFactory,
    maxImageSize,
    stopAtErrors: false,
    verbosity: 0,
  });
  try {
    return { pdfjs, file: await opening.promise, missingMaps: maps.missing };
  } catch (error) {
    await opening.destroy();
    throw refusal(error, url);
  }
}

function refusal(error: unknown, url: string): PagewrightError {
  if (error instanceof Error && error.name === 'PasswordException') {
    const message = `${url} is a PDF that only opens with a password. Remove the password; parsers: [] returns the file as base64.`;
    return new PagewrightError('PDF_ENCRYPTED', message, { url, cause: error });
  }
  const reason = messageOf(error);
  const message = `${url} is a damaged PDF: ${reason} parsers: [] returns the file as base64.`;
  return new PagewrightError('PDF_DAMAGED', message, { url, cause: error });
}

/**
 * pdf.js uses a method that Node has from 21 on (ECMAScript 2024, 25.1.6.10). Adds it if missing, as unpdf
 * adds others: on the worker that reads PDFs, and nowhere else if there are workers.
 */
function addTransfer(): void {
  if ('transferToFixedLength' in ArrayBuffer.prototype) return;
  Object.defineProperty(ArrayBuffer.prototype, 'transferToFixedLength', {
    configurable: true,
    writable: true,
    value(this: ArrayBuffer, length?: number): ArrayBuffer {
      const moved = structuredClone(this, { transfer: [this] });
      if (length === undefined || length === moved.byteLength) return moved;
      const resized = new ArrayBuffer(length);
      new Uint8Array(resized).set(new Uint8Array(moved).subarray(0, length));
      return resized;
    },
  });
}

// Character maps (CMaps) for Chinese, Japanese and Korean fonts that are not embedded in a file, such as
// `90ms-RKSJ-H`. unpdf does not include them; the package pdfjs-dist does, where it is installed.

/** A file that pdf.js requests. */
interface WantedFile {
  readonly kind: string;
  readonly filename: string;
}

/** Created once for each file. */
export interface CharacterMaps {
  /** The value of the pdf.js option of this name. */
  readonly BinaryDataFactory: new () => { fetch: (wanted: WantedFile) => Promise<Uint8Array> };
  /** Names of maps that a file needed and that are not installed. */
  readonly missing: ReadonlySet<string>;
}

const mapsPackage = 'pdfjs-dist';

/** @param folder - the folder of the maps; undefined without one */
export function characterMaps(folder: string | undefined = installedFolder()): CharacterMaps {
  const missing = new Set<string>();
  const fetch = async ({ kind, filename }: WantedFile): Promise<Uint8Array> => {
    if (kind !== 'cMapUrl') throw new Error(`There are no files of the kind ${kind}.`);
    const name = filename.replace(/\.bcmap$/, '');
    try {
      if (folder === undefined || !/^[\w-]{1,60}$/.test(name)) throw new Error('not there');
      return new Uint8Array(await readFile(join(folder, `${name}.bcmap`)));
    } catch (error) {
      missing.add(name);
      throw new Error(`The table of characters ${name} is not there.`, { cause: error });
    }
  };
  class BinaryDataFactory {
    readonly fetch = fetch;
  }
  return { BinaryDataFactory, missing };
}

function installedFolder(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(dirname(resolve(`${mapsPackage}/package.json`)), 'cmaps');
  } catch {
    return undefined;
  }
}

// Limits the characters that one glyph of a font may represent. pdf.js accepts any length in the font's table:
// a glyph that represents 100,000 and is written as often fills all memory, and if one array is
// larger than the rest of a worker's memory, V8 ends the process and not only the worker.

let areLettersLimited = false;

/**
 * Patches `String.fromCodePoint` on this worker: a glyph mapped to > 64 code points throws, and pdf.js skips
 * the table. Ligatures of right-to-left scripts are returned in page order, like their neighbours: pdf.js
 * reverses the letters of a run one by one. Not on the main thread.
 */
function limitLetters(): void {
  if (isMainThread || areLettersLimited) return;
  areLettersLimited = true;
  const { fromCodePoint } = String;
  String.fromCodePoint = (...codes) => {
    if (codes.length > limits.letterLength) {
      throw new RangeError(`A letter that stands for ${codes.length} characters is no letter.`);
    }
    const letters = fromCodePoint(...codes);
    return codes.length > 1 && rightToLeft.test(letters)
      ? fromCodePoint(...codes.reverse())
      : letters;
  };
}

const rightToLeft =
  /^(?:[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]|\p{M})+$/u;

// Limits the memory of a picture while it is decoded. A worker's memory limit does not count the contents
// of typed arrays, and pdf.js has no limit: a JPEG of 1 KB that claims 65,535 × 65,535 pixels, or
// the mask of a small image that does, would take all memory of the machine.

const arrayTypes = [
  'Uint8Array',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
] as const;

/**
 * On a worker, which runs nothing else meanwhile, larger arrays are a `RangeError`, which pdf.js
 * treats as a damaged image; until disposed. On the main thread, where other code runs, it does
 * nothing.
 */
export function limitArrays(): Disposable {
  let counted = 0;
  let isOver = false;
  const undo: (() => unknown)[] = [];
  const names = isMainThread ? [] : arrayTypes;
  for (const name of names) {
    const original = globalThis[name] as new (...args: unknown[]) => object;
    const { BYTES_PER_ELEMENT: width } = globalThis[name];
    const limited: object = new Proxy(original, {
      construct: (target, args: unknown[], newTarget) => {
        const [length] = args;
        if (typeof length === 'number' && !isOver) {
          counted += length * width;
          if (length * width > limits.arrayBytes || counted > limits.totalBytes) {
            throw new RangeError(`An array of ${length * width} bytes is too large for a picture.`);
          }
        }
        return Reflect.construct(
          target,
          args,
          newTarget === limited ? target : newTarget,
        ) as object;
      },
    });
    Reflect.set(globalThis, name, limited);
    undo.push(() => globalThis[name] === limited && Reflect.set(globalThis, name, original));
  }
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      for (const step of undo) step();
    },
  };
}
