/** Whether a page would hold up the process for too long. */
import { sniffBinary } from '../parsers/signatures.ts';

/**
 * Bytes up to which a page is read where the caller is, whatever is in it. All built-in formats
 * together take 3 ms for an article of this size, and 60 ms for the densest markup (table cells).
 */
const light = 32 * 1024;
/** Bytes from which it is not: here a page of nothing but images takes 100 ms. */
const heavy = 256 * 1024;
/**
 * Between them tags and separators decide: a tag, an entry of a srcset or a cell of a table costs up to
 * 10 µs, and an article has one in 60 bytes.
 */
const partLimit = 5_000;

/** True for bodies whose reading may take more than 100 ms, such as any PDF; knowing it takes 0.1 ms. */
export function isHeavy(body: Uint8Array): boolean {
  if (sniffBinary(body, undefined) !== undefined) return true;
  if (body.length <= light) return false;
  if (body.length > heavy) return true;
  let parts = 0;
  for (let at = 0; at < body.length && parts <= partLimit; at += 1) {
    const byte = body[at];
    if (byte !== undefined && separators.has(byte)) parts += 1;
  }
  return parts > partLimit;
}

const separators: ReadonlySet<number> = new Set(Buffer.from('<,;|\t'));
