/** How much there is to read in a piece of source, in any encoding, without decoding it. */
import { isLetter } from './tag-positions.ts';

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

/** The end of a character reference, or `at` where there is none: `&nbsp;` is no word. */
function afterReference(source: string, at: number, to: number): number {
  const last = Math.min(to, at + 10);
  for (let end = at + 2; end < last; end += 1) if (source.charCodeAt(end) === semicolon) return end;
  return at;
}
