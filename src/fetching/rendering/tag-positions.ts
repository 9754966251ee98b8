/** Where the parts of a page's source begin and end. */

const [lowerA, lowerZ, upperA, upperZ] = [97, 122, 65, 90];
const [lessThan, greaterThan, equals, slash, doubleQuote, singleQuote] = [60, 62, 61, 47, 34, 39];

/** The position after the next `mark`; the end of the source where there is none. */
export function after(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found < 0 ? source.length : found + mark.length;
}

/** The position of the `>` that ends a tag, not one in a value; -1 when there is none. */
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

/** True for the letters of ASCII. */
export function isLetter(code: number): boolean {
  return (code >= lowerA && code <= lowerZ) || (code >= upperA && code <= upperZ);
}

/** True for what may stand in the name of an element. */
export function isNamePart(code: number): boolean {
  return code > 32 && code !== greaterThan && code !== slash && code !== lessThan;
}
