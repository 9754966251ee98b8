/** Whether a page would hold up the process for too long. */
import { isJsonType, isXmlType } from '../parsers/media-type.ts';
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

/**
 * True for bodies whose reading may take more than 100 ms, such as any PDF; knowing it takes 0.5 ms at
 * most. `mediaType` is what the body is read as.
 */
export function isHeavy(body: Uint8Array, mediaType?: string): boolean {
  if (sniffBinary(body, undefined) !== undefined) return true;
  // A file with something before its signature, or one that is a file by its header only.
  if (mediaType !== undefined && isDocument(mediaType)) return true;
  if (body.length <= light) return false;
  if (body.length > heavy) return true;
  return hasMoreParts(body, startsWithTag(body) ? markupParts : textParts);
}

function isDocument(mediaType: string): boolean {
  if (isJsonType(mediaType) || isXmlType(mediaType)) return false;
  return /^(?:application\/(?:pdf|msword|rtf|x-rtf|vnd\.)|text\/(?:rtf|richtext)$)/.test(mediaType);
}

/** Tabs and semicolons of a page are its indents and scripts, those of a text may be a table. */
const markupParts = Buffer.from('<,');
const textParts = Buffer.from('<,;|\t');

/** True when there are more of these bytes than the limit. */
function hasMoreParts(body: Uint8Array, separators: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let parts = 0;
  for (const separator of separators) {
    for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1)) {
      parts += 1;
      if (parts > partLimit) return true;
    }
  }
  return false;
}

function startsWithTag(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 100)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?\s*</.test(start);
}
