/** Splits a text into sentences, in any language. */

/**
 * Cuts a text into its sentences, each with the white space after it: joined, they are the text.
 * One line end does not end a sentence, two do. Where Unicode's rules find an end after an abbreviation,
 * an initial or the number of a date (`Dr. Hill`, `z. B. Kiel`, `am 3. Mai`), or within a URL, the
 * sentence goes on; marks without a word belong to the sentence before them.
 */
export function sentencesOf(text: string): string[] {
  // In Unicode's rules every line end ends a sentence. The replacement keeps the length and all offsets.
  const flat = text
    .replace(lineEnd, ' ')
    .replace(closingMarks, (marks) => ')'.repeat(marks.length));
  const sentences: string[] = [];
  let start = 0;
  let end = 0;
  for (const segment of segmentsOf(flat)) {
    end += segment.length;
    if (end < text.length && goesOn(segment, flat[end] ?? '')) continue;
    const sentence = text.slice(start, end);
    start = end;
    const last = sentences.length - 1;
    if (last >= 0 && !/[\p{L}\p{N}]/u.test(sentence)) sentences[last] += sentence;
    else sentences.push(sentence);
  }
  return sentences;
}

/** Stateless and shared: creating one takes longer than segmenting a short text. */
let segmenter: Intl.Segmenter | undefined;

const windowLength = 4096; // characters given to the segmenter at a time

/**
 * Sentences by Unicode's rules. Each step of a segmenter takes time with the length of its whole input:
 * it gets a window, and a sentence that touches the end of the window is read again in the next.
 */
function* segmentsOf(text: string): Generator<string, void, undefined> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  let start = 0;
  let length = windowLength;
  while (start < text.length) {
    const end = start + length;
    let next = start;
    for (const { segment, index } of segmenter.segment(text.slice(start, end))) {
      const segmentEnd = start + index + segment.length;
      if (segmentEnd >= end && end < text.length) break;
      yield segment;
      next = segmentEnd;
      // A grown window would hold many more sentences.
      if (length > windowLength) break;
    }
    length = next === start ? length * 2 : windowLength;
    start = next;
  }
}

/** A line end with text on both sides. */
const lineEnd = /(?<=[^\n]|^)\n(?=[^\n])/g;

/** Emphasis that ends with the sentence: in Unicode's rules a sentence does not end before a star. */
const closingMarks = /(?<=[.!?…"'”’)])[*_]{1,3}(?=\s)/g;

/** True for a segment whose last mark does not end a sentence. Only the last word is examined. */
function goesOn(segment: string, next: string): boolean {
  // White space follows an ASCII mark that ends a sentence; `?` in a URL has none.
  if (/[!-~]$/.test(segment)) return true;
  const end = segment.slice(-80).trimEnd();
  // `"Stop!" she said`
  if (/[!?]["'”’)\]]+$/.test(end) && /\p{Ll}/u.test(next)) return true;
  const word = /[^\s(["'„“«]{1,12}$/u.exec(end.slice(-16))?.[0];
  if (word?.endsWith('.') !== true) return false;
  return shortened.test(word) || abbreviations.has(word.slice(0, -1).toLowerCase());
}

/** An initial, several initials (`U.S.`, `z.B.`), a number of a day or a paragraph. */
const shortened = /^(?:\p{L}\.(?:-?\p{L}\.)*|\d{1,2}\.)$/u;

/** Abbreviations in languages of Europe: titles, references, and words before names and numbers. */
const abbreviations: ReadonlySet<string> = new Set(
  (
    'mr mrs ms dr prof st sr sra jr rev hon gen col capt lt sgt gov sen rep pres mme mlle dott ing ' +
    'no nr nos vol vols pp fig figs abb tab art abs kap bd ed eds hrsg op cit cf vgl siehe sog bzw ' +
    'ca approx etc usw vs resp inkl exkl ggf evtl max min tel str aufl geb gest jh mio mrd tsd ' +
    'jan feb mar apr jun jul aug sep sept oct okt nov dec dez inc ltd corp co bros dept univ'
  ).split(' '),
);
