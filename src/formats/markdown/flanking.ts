/** Which delimiters open and close emphasis: CommonMark, section 6.2. */

/**
 * What a character is to a delimiter next to it. The start and end of a line count as space.
 * Symbols are punctuation since CommonMark 0.31 and were letters before.
 */
export type Neighbour = 'space' | 'punctuation' | 'symbol' | 'word';

/** The character that begins at `index`. */
export function neighbourAt(text: string, index: number): Neighbour {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return 'space';
  if (code < 128) return classOfAscii(code);
  return classOf(String.fromCodePoint(text.codePointAt(index) ?? 0));
}

/** The character that ends before `index`. */
export function neighbourBefore(text: string, index: number): Neighbour {
  const code = text.charCodeAt(index - 1);
  if (Number.isNaN(code)) return 'space';
  if (code < 128) return classOfAscii(code);
  const isLowHalf = code >= 0xdc00 && code <= 0xdfff && index > 1;
  return classOf(text.slice(isLowHalf ? index - 2 : index - 1, index));
}

/** True for delimiters that begin emphasis in every version of CommonMark. Mirror the arguments for its end. */
export function surelyOpens(before: Neighbour, after: Neighbour): boolean {
  return after === 'word' || (after !== 'space' && before !== 'word' && before !== 'symbol');
}

/** True for delimiters that begin emphasis in some version of CommonMark. Mirror the arguments for its end. */
export function mayOpen(before: Neighbour, after: Neighbour): boolean {
  return after !== 'space' && (after !== 'punctuation' || before !== 'word');
}

function classOfAscii(code: number): Neighbour {
  if (code <= 32) return 'space';
  const isWord =
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isWord || code === 127 ? 'word' : 'punctuation';
}

function classOf(character: string): Neighbour {
  if (/\s/u.test(character)) return 'space';
  if (/\p{P}/u.test(character)) return 'punctuation';
  return /\p{S}/u.test(character) ? 'symbol' : 'word';
}
