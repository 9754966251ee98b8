/** The bytes of robots.txt to text. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { robotsSizeLimit } from './robots-lines.ts';

/**
 * UTF-8, or UTF-16 where a byte order mark or zero bytes tell. An octet that is no UTF-8 becomes
 * its escape, as a URL would have it: `/caf\xE9` is `/caf%E9`. Bytes beyond the limit, and the line
 * that the limit cuts, are left out.
 */
export function decodeRobots(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (bytes.length > 1 && (isLittleEndian || isBigEndian)) {
    // Two bytes a character, and one more character: whoever reads the lines sees that there is more.
    const wide = bytes.subarray(0, 2 * robotsSizeLimit + 4);
    return new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be').decode(wide);
  }
  const body = firstLines(withoutMark(bytes));
  return isUtf8(body) ? new TextDecoder().decode(body) : escapeStrayOctets(body);
}

/** Also without a mark of which only the first bytes are there. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const mark = [0xef, 0xbb, 0xbf];
  const end = mark.findIndex((byte, index) => bytes[index] !== byte);
  return bytes.subarray(end < 0 ? mark.length : end);
}

function firstLines(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= robotsSizeLimit) return bytes;
  const body = bytes.subarray(0, robotsSizeLimit);
  return body.subarray(0, Math.max(body.lastIndexOf(0x0a), body.lastIndexOf(0x0d), 0));
}

function escapeStrayOctets(bytes: Uint8Array): string {
  const sequences =
    /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}|[\x80-\xFF]/g;
  const octets = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return octets.replace(sequences, (sequence) => {
    if (sequence.length === 1) return escapes[sequence.charCodeAt(0)] ?? '';
    const buffer = Buffer.from(sequence, 'latin1');
    return isUtf8(buffer)
      ? buffer.toString()
      : Array.from(buffer, (octet) => escapes[octet]).join('');
  });
}

/** `%00` to `%FF`. */
const escapes: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
});
