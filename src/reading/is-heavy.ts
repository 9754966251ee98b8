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

/** True for bodies whose reading may take more than 100 ms, such as any PDF; knowing it takes 0.5 ms at most. */
export function isHeavy(body: Uint8Array): boolean {
  if (sniffBinary(body, undefined) !== undefined) return true;
  if (body.length <= light) return false;
  if (body.length > heavy) return true;
  const counts = startsWithTag(body) ? markupParts : textParts;
  const { length } = body;
  let parts = 0;
  for (let at = 0; at < length && parts <= partLimit; at += 1) {
    parts += counts[body[at] as number] as number;
  }
  return parts > partLimit;
}

/** Tabs and semicolons of a page are its indents and scripts, those of a text may be a table. */
const markupParts = partsOf('<,');
const textParts = partsOf('<,;|\t');

/** 1 for each of these characters, by its byte. */
function partsOf(characters: string): Uint8Array {
  const parts = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) parts[byte] = 1;
  return parts;
}

function startsWithTag(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 100)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?\s*</.test(start);
}
