/** Opens a PDF with pdf.js as unpdf packs it: no canvas, no second thread, nothing fetched. */
import { getResolvedPDFJS } from 'unpdf';
import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { messageOf, PagewrightError } from '../../errors.ts';
import { characterMaps } from './character-maps.ts';
import { limitLetters } from './letter-limit.ts';

/** pdf.js itself. */
export type PdfJs = Awaited<ReturnType<typeof getResolvedPDFJS>>;

/** An open file, to be closed by whoever opened it. */
export interface OpenPdf {
  readonly pdfjs: PdfJs;
  readonly file: PDFDocumentProxy;
  /** Tables of characters that its fonts need and that are not installed. */
  readonly missingMaps: ReadonlySet<string>;
}

/**
 * Throws `PDF_ENCRYPTED` when it asks for a password (an empty one is tried), and `PDF_DAMAGED` when
 * it is no PDF that can be recovered. Pictures of more than `maxImageSize` pixels are not decoded.
 */
export async function openPdf(body: Uint8Array, url: string, maxImageSize = 1): Promise<OpenPdf> {
  addTransfer();
  limitLetters();
  const pdfjs = await getResolvedPDFJS();
  const maps = characterMaps();
  const opening = pdfjs.getDocument({
    // pdf.js takes the bytes for itself; others still need them.
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
    const message = `${url} is a PDF that opens with a password only. Remove the password; parsers: [] gives the file as base64.`;
    return new PagewrightError('PDF_ENCRYPTED', message, { url, cause: error });
  }
  const reason = messageOf(error);
  const message = `${url} is a damaged PDF: ${reason} parsers: [] gives the file as base64.`;
  return new PagewrightError('PDF_DAMAGED', message, { url, cause: error });
}

/**
 * pdf.js uses a method that Node has from 21 on (ECMAScript 2024, 25.1.6.10). It is added where it is
 * missing, as unpdf adds others: on the thread that reads PDFs, and nowhere else if there are threads.
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
