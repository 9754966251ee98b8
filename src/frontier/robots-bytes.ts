/** The bytes of robots.txt to text. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** Bytes of a robots.txt that are read: RFC 9309, 2.5, asks for at least as many. */
export const robotsSizeLimit: number = 500 * 1024;

/** The text of a robots.txt. */
export interface RobotsText {
  readonly text: string;
  /** True when the file is larger than what is read of it. */
  readonly isCut: boolean;
}

/**
 * UTF-8, or UTF-16 where a byte order mark or zero bytes tell. An octet that is not UTF-8 becomes
 * its escape, as a URL would have it: `/caf\xE9` is `/caf%E9`. What lies beyond the limit is left out,
 * and so is the line that the limit cuts: half a rule could open or close more than its author wrote.
 */
export function decodeRobots(bytes: Uint8Array): RobotsText {
  const isCut = bytes.length > robotsSizeLimit;
  const [first, second] = bytes;
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (bytes.length > 1 && (isLittleEndian || isBigEndian)) {
    const decoder = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be');
    const text = decoder.decode(bytes.subarray(0, robotsSizeLimit));
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'), 0);
    return { text: isCut ? text.slice(0, end) : text, isCut };
  }
  const body = withoutMark(isCut ? wholeLines(bytes) : bytes);
  return { text: isUtf8(body) ? new TextDecoder().decode(body) : escapeStrayOctets(body), isCut };
}

/** Also without a mark of which only the first bytes are there. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  const mark = [0xef, 0xbb, 0xbf];
  const end = mark.findIndex((byte, index) => bytes[index] !== byte);
  return bytes.subarray(end < 0 ? mark.length : end);
}

/** With the next byte it shows whether the last line ends at the limit. */
function wholeLines(bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(0, robotsSizeLimit + 1);
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
