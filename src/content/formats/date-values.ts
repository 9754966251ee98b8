/** Recognises the dates among the values of markup. */
import { isUnfilled } from '../text/placeholder.ts';

/** The first day of a calendar or of a clock, which programs write for "no date". */
const zero = /^(?:-?000[01]-\d\d-\d\d|1970-01-01T00:00:00|(?:thu,? )?0?1 jan 1970)/i;

/** True for a value that has a year or is a date of numbers: false for `undefined` and `0000-00-00`. */
export function isDateValue(value: string): boolean {
  const text = value.trim();
  if (isUnfilled(text) || zero.test(text) || text.length > 100) return false;
  return /\d{4}|\d{1,2}\D{1,12}\d{1,2}\D{1,3}\d{2}|(?=.*\p{Nd})[\p{Script=Han}\p{Nd}]/u.test(text);
}
