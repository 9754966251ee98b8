/** Decodes bytes to text; the encoding comes from the BOM, header, declaration in the text, then the bytes. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { DecodedText, TextKind } from './decode-by-encoding.ts';

/**
 * Decodes as the WHATWG Encoding and HTML standards say. `charset` is the label of the Content-Type
 * header; an unknown label is ignored. Text without a declaration is UTF-8 if its bytes are valid
 * UTF-8; else its declared language, the country of `url` and its letters decide. Never rejects for
 * invalid bytes.
 *
 * It is asynchronous because everything but UTF-8 is loaded when it is first needed (20 ms).
 */
export async function decodeText(...given: Parameters<typeof decodeKnown>): Promise<string> {
  return (await decodeKnown(...given)).text;
}

/** The same, with the encoding. */
export async function decodeKnown(
  bytes: Uint8Array,
  charset: string | undefined,
  kind: TextKind,
  url?: string,
): Promise<DecodedText> {
  if (isSurelyUtf8(bytes, charset, kind)) {
    return { text: new TextDecoder().decode(bytes), encoding: 'utf-8' };
  }
  const { decodeByEncoding } = await loadModule(() => import('./decode-by-encoding.ts'));
  return decodeByEncoding(bytes, charset, kind, url);
}

function isSurelyUtf8(bytes: Uint8Array, charset: string | undefined, kind: TextKind): boolean {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return true;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  if (charset !== undefined) return /^utf-?8$/i.test(charset);
  // Zero bytes may be UTF-16; escape bytes may be ISO-2022-JP.
  const isPlain = !bytes.includes(0x1b) && !bytes.subarray(0, 1024).includes(0);
  return isPlain && isUtf8(bytes) && !mayDeclareOther(bytes, kind);
}

/** True when the beginning may declare an encoding other than UTF-8; `decodeByEncoding` has the exact rules. */
function mayDeclareOther(bytes: Uint8Array, kind: TextKind): boolean {
  if (kind === 'text' || kind === 'json') return false;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024));
  const text = head.toString('latin1');
  return /(?:charset|encoding)(?!\s*=\s*["']?utf-?8\b)/i.test(text);
}
