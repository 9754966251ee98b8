/** Reads the numbers of a line as page numbers: `12`, `- xii -`, `Page 3 of 9`, `12 Chapter 2`. */

/** A line as a pattern with its numbers. */
export interface PageNumbering {
  /** The line with a placeholder for every number. The outer number comes first, as on a left page. */
  readonly pattern: string;
  /** The numbers in that order. */
  readonly values: readonly number[];
  /** The number at an end of the line; undefined without one. */
  readonly outer: number | undefined;
  /** True if the line is only a page number. */
  readonly isNumber: boolean;
  /** True for a number that is marked as a page number, by a word, a total, or a sign between it and the words. */
  readonly isPaged: boolean;
  /** The other words: the letters between numbers and signs, in lower case. */
  readonly phrases: readonly string[];
}

const maxLength = 300; // characters read of a line

/** "Page" and "of" in languages that are frequent in PDFs. */
const pageWords = new Set(
  'page p pg pag pág página pagina página seite side sida sidan sivu strona str strana stránka oldal стр страница из σελίδα sayfa halaman trang صفحة עמוד 頁 页 ページ 쪽 of von de di sur van av z'.split(
    ' ',
  ),
);

export function pageNumbering(line: string): PageNumbering {
  const words = line.slice(0, maxLength).toLowerCase().split(' ');
  const last = words.at(-1);
  const first = words[0];
  if (outerNumber(first) === undefined && outerNumber(last) !== undefined) {
    words.unshift(words.pop() ?? '');
  }
  const outer = outerNumber(words[0]);
  const text = words.join(' ');
  const tokens = text.match(/\d+|\p{L}+/gu) ?? [];
  const isRoman = outer !== undefined && !/\d/.test(words[0] ?? '');
  const numbers = isRoman ? [String(outer), ...tokens.slice(1)] : tokens;
  const values = numbers.filter((token) => /^\d/.test(token)).map(Number);
  const others = numbers.filter((token) => !/^\d/.test(token) && !pageWords.has(token));
  const pattern = isRoman
    ? text.replace(/\p{L}+/u, '#').replace(/\d+/g, '#')
    : text.replace(/\d+/g, '#');
  return {
    pattern,
    values,
    outer,
    isNumber: values.length > 0 && values.length < 3 && others.length === 0,
    isPaged: paged.test(pattern) || namesPage(pattern),
    phrases: pattern
      .split(/[^\p{L}\p{M}\s'’-]+/u)
      .map((phrase) => phrase.replace(/[^\p{L}]+/gu, ''))
      .filter((phrase) => phrase.length > 2 && !pageWords.has(phrase)),
  };
}

/** An outer number with a sign before the words, or with a total. */
const paged = /^\W*#\W*[|•·/–—]|#\s?\/\s?#/u;

function namesPage(pattern: string): boolean {
  const [, word] = /(\p{L}+)[.:]?\s?#/u.exec(pattern) ?? [];
  return word !== undefined && pageWords.has(word) && word.length > 2;
}

/** The number of a word that is only a number, also in Roman numerals and between signs. */
function outerNumber(word: string | undefined): number | undefined {
  const [, digits, roman] =
    /^[^\p{L}\d]*(?:(\d{1,7})|([ivxlc]{1,8}))[^\p{L}\d]*$/u.exec(word ?? '') ?? [];
  if (digits !== undefined) return Number(digits);
  return roman === undefined ? undefined : romanNumber(roman);
}

const romanDigits: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanNumber(word: string): number {
  const digits = [...word].map((letter) => romanDigits[letter] ?? 0);
  return digits.reduce(
    (sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit),
    0,
  );
}

/** The difference between two lines of one pattern: in one number at most, else undefined. */
export function changeOf(a: PageNumbering, b: PageNumbering): number | undefined {
  const changes = a.values.flatMap((value, at) => {
    const change = (b.values[at] ?? 0) - value;
    return change === 0 ? [] : [change];
  });
  return changes.length > 1 ? undefined : (changes[0] ?? 0);
}
