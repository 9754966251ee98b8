/**
 * The source of a page as a string: decoding, tag positions, and letter counts, in any encoding.
 */

const [lowerA, lowerZ, upperA, upperZ] = [97, 122, 65, 90];

const [lessThan, greaterThan, equals, slash, doubleQuote, singleQuote] = [60, 62, 61, 47, 34, 39];

/** The position after the next `mark`; the end of the source if there is none. */
export function positionAfter(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found < 0 ? source.length : found + mark.length;
}

/** The position of the `>` that ends a tag, outside attribute values; -1 if there is none. */
export function endOfTag(source: string, from: number): number {
  let at = from;
  while (at < source.length) {
    const code = source.charCodeAt(at);
    if (code === greaterThan) return at;
    at += 1;
    if (code !== equals) continue;
    while (source.charCodeAt(at) <= 32) at += 1;
    const quote = source.charCodeAt(at);
    if (quote !== doubleQuote && quote !== singleQuote) continue;
    at = source.indexOf(quote === doubleQuote ? '"' : "'", at + 1) + 1;
    if (at === 0) return -1;
  }
  return -1;
}

/** True for an ASCII letter. */
export function isLetter(code: number): boolean {
  return (code >= lowerA && code <= lowerZ) || (code >= upperA && code <= upperZ);
}

/** True for a character that may be in the name of an element. */
export function isNamePart(code: number): boolean {
  return code > 32 && code !== greaterThan && code !== slash && code !== lessThan;
}

// The bytes of a page as a searchable string.

/** One character for each byte: markup is ASCII in every page encoding except UTF-16. */
export function sourceOf(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const [first = 0, second = 0] = bytes;
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) {
    return bytes.toString('utf16le');
  }
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('latin1');
}

/** A part of such a string as text, if it is UTF-8. */
export function decoded(part: string): string {
  return /[^\0-\xff]/.test(part) ? part : Buffer.from(part, 'latin1').toString('utf8');
}

// Counts the readable letters in a piece of source, in any encoding, without decoding it.

const [zero, nine, ampersand, semicolon] = [48, 57, 38, 59];

/**
 * Letters and digits of UTF-8 or of any one-byte encoding, each byte a character. A character of
 * Chinese, Japanese or Korean counts as two.
 */
export function countLetters(source: string, from: number, to: number): number {
  let letters = 0;
  for (let at = from; at < to; at += 1) {
    const code = source.charCodeAt(at);
    if (code === ampersand) {
      at = afterReference(source, at, to);
      if (source.charCodeAt(at) === semicolon) letters += source.charCodeAt(at - 1) <= nine ? 1 : 0;
    } else if (isLetter(code) || (code >= zero && code <= nine)) {
      letters += 1;
    } else if (code >= 0xc0) {
      // Three bytes from U+3000 on are a character of Chinese, Japanese or Korean.
      const isWide = code >= 0xe3 && code <= 0xed && (source.charCodeAt(at + 1) & 0xc0) === 0x80;
      letters += isWide ? 2 : 1;
    }
  }
  return letters;
}

/** The end of a character reference, or `at` if there is none: `&nbsp;` is not a word. */
function afterReference(source: string, at: number, to: number): number {
  const last = Math.min(to, at + 10);
  for (let end = at + 2; end < last; end += 1) if (source.charCodeAt(end) === semicolon) return end;
  return at;
}
