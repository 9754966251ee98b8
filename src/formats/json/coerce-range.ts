/** The two ends of a range in a text: `£38,000 – £44,500`, `from 500`, `up to 20`. */
import { coerceNumber, type NumberContext } from './coerce-number.ts';

/** An end that the text does not tell is undefined. */
export interface NumberRange {
  readonly low: number | undefined;
  readonly high: number | undefined;
}

const between =
  /(?<=[\d%€£$¥kK]\.?|[A-Z]{3})\s*(?:-|–|—|\bto\b|\bbis\b|\bà\b|\ba\b|\bhasta\b|\by\b|\band\b|\bund\b|\bet\b)\s*(?=[^\d]{0,5}\d)/u;
const from =
  /^(?:from|starting at|at least|min\.?|minimum|ab|mindestens|à partir de|dès|desde|a partir de|da|vanaf)\s/i;
const upTo = /^(?:up to|at most|max\.?|maximum|bis(?: zu)?|jusqu.à|hasta|fino a|tot)\s/i;

/** Undefined where the text is no range: one bare number is no end of one. */
export function coerceRange(text: string, context: NumberContext): NumberRange | undefined {
  const plain = text
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .trim()
    .slice(0, 200);
  const parts = plain.replace(/^(?:between|zwischen|entre|von|de)\s/i, '').split(between);
  const [first, second] = parts;
  if (parts.length === 2 && first !== undefined && second !== undefined) {
    const high = coerceNumber(second, context);
    const low = coerceNumber(first, context);
    if (low === undefined || high === undefined) return undefined;
    // `38 – 44k`
    const scaled = low < high / 500 && /\d\s?k\b/i.test(second) ? low * 1000 : low;
    return scaled <= high ? { low: scaled, high } : undefined;
  }
  if (from.test(plain)) return { low: coerceNumber(plain, context), high: undefined };
  return upTo.test(plain) ? { low: undefined, high: coerceNumber(plain, context) } : undefined;
}
