/** The bytes of a sitemap to text: gzip by its magic bytes, then the charset that the file names. */
import { createGunzip } from 'node:zlib';

/** Decodes up to `limit` bytes; what is beyond it, or damaged, is left out with a warning. */
export async function decodeSitemap(
  bytes: Uint8Array,
  limit: number,
  warnings: string[],
): Promise<string> {
  let plain = bytes;
  // Twice: a .gz file that the server compressed again for the transfer.
  for (let layer = 0; layer < 2 && isGzip(plain); layer++) {
    plain = await inflate(plain, limit, warnings);
  }
  if (plain.length > limit) {
    plain = plain.subarray(0, limit);
    warnings.push(`The sitemap is larger than ${limit} bytes; the rest was not read.`);
  }
  return new TextDecoder(charsetOf(plain)).decode(plain);
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

async function inflate(bytes: Uint8Array, limit: number, warnings: string[]): Promise<Uint8Array> {
  const gunzip = createGunzip();
  const chunks: Uint8Array[] = [];
  let size = 0;
  gunzip.end(bytes);
  try {
    // One byte more than the limit is enough to know that there is more. Leaving ends the inflation.
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    warnings.push(`The gzip data is damaged (${(error as Error).message}); read up to there.`);
  }
  return Buffer.concat(chunks);
}

/** Byte order mark, else zero bytes of UTF-16, else the XML declaration, else UTF-8. */
function charsetOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1] ?? 'utf-8';
  // The declaration was readable byte by byte, so it is not UTF-16, whatever it says.
  if (/^utf-?16/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    return 'utf-8';
  }
}
