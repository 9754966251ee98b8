/** Prices as people and machines write them. */
import { coerceNumber } from '../json/coerce-number.ts';
import { currencyIn } from '../../text/currency.ts';

/** One price, or the ends of a range. */
export interface Amounts {
  readonly low: number;
  /** Absent for "from 20 €". */
  readonly high?: number;
  readonly currency?: string;
}

/** A trillion: dearer things than these are mistakes in every currency. */
const maxPrice = 1e12;

/** True for what something may cost. */
export function isPrice(value: number): boolean {
  return Number.isFinite(value) && value >= 0 && value <= maxPrice;
}

/**
 * Reads a written price: `1.299,00 €`, `CHF 1'299.–`, `₹1,29,999`, `$1,299.00 - $1,499.00`. Undefined
 * where it is none, or leaves open which of several numbers it is. Negative ones are given as they are.
 */
export function readAmounts(text: string, language: string | undefined): Amounts | undefined {
  if (text.length > maxText) return undefined;
  const plain = text
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replaceAll('，', ',')
    .replaceAll('．', '.')
    .trim();
  if (plain.includes('%')) return undefined;
  const parts = plain.split(between).filter((part) => /\p{Nd}/u.test(part));
  if (parts.length === 0 || parts.length > 2) return undefined;
  const numbers = parts.map((part) => numberIn(part, language));
  const [low, high] = numbers;
  if (low === undefined || (parts.length === 2 && high === undefined)) return undefined;
  const currency = currencyIn(plain, language);
  const inCurrency = currency === undefined ? {} : { currency };
  if (high === undefined) {
    return from.test(plain) ? { low, ...inCurrency } : { low, high: low, ...inCurrency };
  }
  return low <= high ? { low, high, ...inCurrency } : undefined;
}

/** Characters; a price with much around it is a sentence. */
const maxText = 100;

/** What stands between the ends of a range: not a sign before a number, and not the dash of `20.–`. */
const between =
  / (?:[-–—]|to|bis|à|hasta|a|do|до) |(?<=[\p{Nd}\p{Sc}])[–—-](?=[^\p{Nd}–—-]{0,4}\p{Nd})/iu;

const from =
  /^(?:from|ab|starting (?:at|from)|à partir de|dès|desde|da|od|vanaf|från|fra|от)(?!\p{L})/iu;

/** The only number of a text. */
function numberIn(text: string, language: string | undefined): number | undefined {
  // `1.299,-` and `20.–` are whole.
  const whole = text.replace(/[.,]\s?[-–—]{1,2}(?!\p{Nd})/gu, '');
  const groups = whole.match(/\p{Nd}(?:[\p{Nd}.,٫٬'’ ]*\p{Nd})?/gu) ?? [];
  if (groups.length !== 1) return undefined;
  // Then a point in it parts thousands.
  const isWhole = whole !== text && /^\d{1,3}(?:\.\d{3})+$/.test(groups[0]);
  return coerceNumber(whole, { language: isWhole ? 'de' : language, unit: undefined });
}
