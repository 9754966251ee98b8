/** Numbers as they stand in a text: what each may mean. */
import { latinDigits } from '../json/coerce-number.ts';

/** One of them. */
export interface WrittenNumber {
  /** As it stands there; groups may be apart by a space: `1 299,00`. */
  readonly written: string;
  /** What it means, in a form that can be compared: `1299`, `12.5`. `1.299` may be two numbers. */
  readonly meanings: readonly string[];
  /** Of a date and of a list, which mean nothing as one number. */
  readonly parts: readonly string[];
}

/** The text with the digits and marks of other scripts as those of ASCII; areas keep no exponent. */
export function plainText(text: string): string {
  const apart = text.replace(/(?<=\p{L})[²³]/gu, '').replace(/(?<=[0-9])[，．]/g, '$& ');
  return latinDigits(apart.normalize('NFKC')).replace(/[٫٬’]/g, (mark) =>
    mark === '٫' ? '.' : mark === '٬' ? ',' : "'",
  );
}

const numbers = /\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*/g;

/** Those of a plain text, in its order. Linear in its length. */
export function writtenNumbers(text: string): WrittenNumber[] {
  return (text.match(numbers) ?? []).map((written) => readNumber(written));
}

/** Zeros before a number and after a fraction count for nothing. */
function readNumber(written: string): WrittenNumber {
  const number = written.replaceAll(' ', '');
  const groups = number.split(/[.,']/);
  const marks = number.match(/[.,']/g) ?? [];
  if (marks.length === 0) return { written, meanings: [withoutZeros(number)], parts: [] };
  const meanings = isGrouped(groups, marks) ? [groups.join('')] : [];
  const [before, marksBefore, last] = [groups.slice(0, -1), marks.slice(0, -1), marks.at(-1)];
  const isWhole = marksBefore.length === 0 || isGrouped(before, marksBefore);
  if (isWhole && last !== "'" && !marksBefore.includes(last ?? '')) {
    const fraction = groups.at(-1) ?? '';
    // `5.000` is five thousand or five: the second is not told as 5.
    const kept = meanings.length > 0 ? fraction : withoutEnd(fraction);
    meanings.push(withoutZeros(before.join('')) + (kept === '' ? '' : `.${kept}`));
  }
  if (meanings.length > 0) return { written, meanings, parts: [] };
  const isName = marks.every((mark) => mark === '.') && !isDate(groups);
  return isName
    ? { written, meanings: [number], parts: [] }
    : { written, meanings: [], parts: groups.map(withoutZeros) };
}

/** By thousands; by commas also as in `12,34,567`. */
function isGrouped(groups: readonly string[], marks: readonly string[]): boolean {
  const [mark] = marks;
  const inner = mark === ',' ? /^\d{2,3}$/ : /^\d{3}$/;
  return (
    marks.every((one) => one === mark) &&
    /^[1-9]\d{0,2}$/.test(groups[0] ?? '') &&
    groups.slice(1, -1).every((group) => inner.test(group)) &&
    groups.at(-1)?.length === 3
  );
}

function isDate(groups: readonly string[]): boolean {
  return /^(?:\d\d?\.\d\d?\.(?:\d\d|\d{4})|\d{4}\.\d\d?\.\d\d?)$/.test(groups.join('.'));
}

function withoutZeros(whole: string): string {
  return whole.replace(/^0+(?=\d)/, '');
}

function withoutEnd(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}
