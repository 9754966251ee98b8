/** The words of a text in any script, normalised for comparison, not for display. */

/**
 * Words in order. Case, accents, width and final forms are folded. Chinese characters and hiragana, which are
 * written without spaces, become overlapping pairs, so that dictionary cuts do not matter; a single character
 * is a word. Thai, Lao, Khmer and Burmese are cut by the runtime's dictionaries.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of folded(text).matchAll(wordRuns)) {
    if (unspaced.test(run)) for (const word of unspacedWords(run)) words.push(word);
    else words.push(run);
  }
  return words;
}

const wordRuns = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const paired = /^[\p{Script=Han}\p{Script=Hiragana}]/u;

/** Optional vowel points and signs; marks of Indic scripts and Japanese are not optional. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not decompose. */
const otherLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  // Final forms of Hebrew; letters of Arabic that are often interchanged.
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
};
const otherLetter = new RegExp(`[${Object.keys(otherLetters).join('')}]`, 'g');

function folded(text: string): string {
  const lower = text.toLowerCase();
  // Most words of a site are ASCII: nothing to fold.
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(optionalMarks, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(otherLetter, (letter) => otherLetters[letter] ?? letter);
}

/** Stateless and shared: creating one takes longer than cutting a short text. */
let segmenter: Intl.Segmenter | undefined;

const pieceLength = 500; // characters: each step of a segmenter takes time with its whole input

function* unspacedWords(run: string): Generator<string, void, undefined> {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  /** Chinese characters and hiragana of the current run. */
  let together = '';
  for (let start = 0; start < run.length; start += pieceLength) {
    for (const { segment } of segmenter.segment(run.slice(start, start + pieceLength))) {
      if (paired.test(segment)) {
        together += segment;
        continue;
      }
      yield* pairs(together);
      together = '';
      yield segment;
    }
  }
  yield* pairs(together);
}

function* pairs(run: string): Generator<string, void, undefined> {
  const characters = [...run];
  if (characters.length === 1) yield run;
  for (let at = 0; at + 1 < characters.length; at += 1) {
    yield `${characters[at] ?? ''}${characters[at + 1] ?? ''}`;
  }
}
