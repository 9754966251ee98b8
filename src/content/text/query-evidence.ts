/** Chooses the passages of a page that may answer a query, by words, without a model. */
import { soughtWords, wordLikeness } from './relevance.ts';
import { sentencesOf } from './sentences.ts';
import { wordsOf } from './words.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

const limits = {
  passages: 4, // of a page
  characters: 500_000, // read of a page
};

/** A block of a page's content: a heading with its level from 1 on, or text. */
export interface TextBlock {
  readonly text: string;
  readonly level?: number | undefined;
}

/** A passage with words of the query. */
export interface QueryPassage {
  readonly text: string;
  /** For each term of the query, how well the passage has it: 0 to 1. */
  readonly matches: readonly number[];
}

/** The part of a page related to the query: plain data of a few kilobytes. */
export interface QueryEvidence {
  /** The indexes of the query's terms that are somewhere in the content. */
  readonly terms: readonly number[];
  /** The best first. */
  readonly passages: readonly QueryPassage[];
}

/** A word of the query. */
interface QueryTerm {
  readonly spellings: readonly string[];
  /** 0 for words without a meaning of their own, 2 for names and numbers, else 1. */
  readonly weight: number;
}

/** Characters of a passage: shorter blocks are joined, longer ones are cut at sentences. */
const passageLength = { least: 240, most: 600 };

/** The share of a match in the headings above a passage, and in the title of its page. */
const aboveShare = { heading: 0.8, title: 0.6 };

const withoutNumber = 0.6; // factor for a passage without a number if the query expects one

/** The weights of the terms of a query, in the order of `QueryPassage.matches`. */
export function termWeights(query: string): readonly number[] {
  return queryTerms(query).map(({ weight }) => weight);
}

/**
 * The best passages of a page for a query. A passage counts if it has words of the query, or a number below a
 * heading that has them; a list of the query's words does not count.
 */
export function findEvidence(
  query: string,
  title: string | undefined,
  blocks: Iterable<TextBlock>,
): QueryEvidence {
  const terms = queryTerms(query);
  // Matches texts with terms; a form of a word counts less than the word, a part of a longer one less again.
  const known = new Map<string, readonly number[]>();
  const expectsNumber = numberQuestion.test(query);
  const inTitle = read(title ?? '').matches;
  const found = new Set<number>();
  const passages: { readonly passage: QueryPassage; readonly value: number }[] = [];
  for (const { text, headings } of passagesOf(blocks)) {
    const own = read(text);
    for (const [index, match] of own.matches.entries()) if (match > 0) found.add(index);
    const above = read(headings).matches;
    const hasNumber = numberWord.test(text);
    const isAbout = own.matches.some(
      (match, index) => match > 0 && (terms[index]?.weight ?? 0) > 0,
    );
    if ((!isAbout && !(expectsNumber && hasNumber)) || isStuffed(own, terms)) continue;
    const share = expectsNumber && !hasNumber ? withoutNumber : 1;
    const matches = own.matches.map((match, index) => {
      const context = Math.max(
        aboveShare.heading * (above[index] ?? 0),
        aboveShare.title * (inTitle[index] ?? 0),
      );
      return Math.round(share * Math.max(match, context) * 100) / 100;
    });
    const value = matches.reduce((sum, match, at) => sum + match * (terms[at]?.weight ?? 0), 0);
    if (value > 0) passages.push({ passage: { text, matches }, value });
  }
  passages.sort((one, other) => other.value - one.value);
  return {
    terms: [...found].sort((one, other) => one - other),
    passages: passages.slice(0, limits.passages).map(({ passage }) => passage),
  };

  function read(text: string): TermReading {
    const matches = terms.map(() => 0);
    const counts = terms.map(() => 0);
    const words = wordsOf(text);
    for (const word of words) {
      for (const [index, match] of matchesOf(word).entries()) {
        if (match === 0) continue;
        counts[index] = (counts[index] ?? 0) + 1;
        matches[index] = Math.max(matches[index] ?? 0, match);
      }
    }
    return { matches, counts, words: words.length };
  }

  function matchesOf(word: string): readonly number[] {
    return getOrInsert(known, word, () =>
      terms.map(({ spellings }) =>
        matchOf(Math.max(...spellings.map((spelling) => wordLikeness(spelling, word)))),
      ),
    );
  }
}

/** The query's words; names, which have a capital letter, and numbers weigh most. */
function queryTerms(query: string): QueryTerm[] {
  const names = new Set<string>();
  for (const [index, word] of query.trim().split(/\s+/).entries()) {
    if (/\p{N}/u.test(word) || (index > 0 && /\p{Lu}/u.test(word))) {
      for (const part of wordsOf(word)) names.add(part);
    }
  }
  // `how high` expects a number, not something high.
  const terms = soughtWords(query.replace(numberQuestion, ' ')).map((spellings): QueryTerm => {
    const [word = ''] = spellings;
    if (functionWords.has(word)) return { spellings, weight: 0 };
    return { spellings, weight: names.has(word) ? 2 : 1 };
  });
  if (terms.some(({ weight }) => weight > 0)) return terms;
  return soughtWords(query).map((spellings) => ({ spellings, weight: 1 }));
}

interface TermReading {
  readonly matches: readonly number[];
  /** The number of words that match each term. */
  readonly counts: readonly number[];
  readonly words: number;
}

/** In a passage, unlike in a short link text, a form of a word means nearly the same. */
function matchOf(likeness: number): number {
  if (likeness >= 1 || likeness === 0) return likeness;
  return likeness >= 0.7 ? 0.9 : 0.6;
}

/** True for text with little besides the query's words, or one of them repeated. */
function isStuffed({ counts, words }: TermReading, terms: readonly QueryTerm[]): boolean {
  const meant = counts.filter((_, index) => (terms[index]?.weight ?? 0) > 0);
  const all = meant.reduce((sum, count) => sum + count, 0);
  return (words >= 12 && all > words / 2) || meant.some((count) => count > 5 && count > words / 12);
}

// The passages of a page: blocks below one heading that fit together.

interface Passage {
  readonly text: string;
  readonly headings: string;
}

function* passagesOf(blocks: Iterable<TextBlock>): Generator<Passage, void, undefined> {
  const headings: { readonly text: string; readonly level: number }[] = [];
  let text = '';
  let left = limits.characters;
  const taken = (): Passage => {
    const passage = { text, headings: headings.map((heading) => heading.text).join(' ') };
    text = '';
    return passage;
  };
  for (const block of blocks) {
    if (left <= 0) break;
    left -= block.text.length;
    if (block.level !== undefined) {
      if (text !== '') yield taken();
      while (headings.length > 0 && (headings.at(-1)?.level ?? 0) >= block.level) headings.pop();
      headings.push({ text: block.text.slice(0, passageLength.most), level: block.level });
      continue;
    }
    for (const piece of piecesOf(block.text)) {
      if (text !== '' && text.length + piece.length > passageLength.most) yield taken();
      text = text === '' ? piece : `${text} ${piece}`;
      if (text.length >= passageLength.least) yield taken();
    }
  }
  if (text !== '') yield taken();
}

/** A block, or the sentences of a long one; a sentence without an end is cut. */
function piecesOf(text: string): string[] {
  if (text.length <= passageLength.most) return [text];
  return sentencesOf(text).flatMap((sentence) => {
    const pieces: string[] = [];
    for (let start = 0; start < sentence.length; start += passageLength.most) {
      pieces.push(sentence.slice(start, start + passageLength.most).trim());
    }
    return pieces;
  });
}

// For European languages: in others, every word of a query counts.

/** Questions whose answer is a number, a price, a date or a time. */
const numberQuestion = new RegExp(
  `(?<![\\p{L}])(?:${[
    'how (?:much|many|long|far|old|big|large|often|soon|fast|high)|when|what time|since when',
    'wie ?(?:viele?|lange?|hoch|teuer|oft|alt|weit|gro(?:ß|ss)|schnell)|wann',
    'combien|quand|à quelle heure|cu[áa]nt[oa]s?|cu[áa]ndo|quant[oaie]|quando',
    'hoeveel|hoe (?:lang|vaak|groot|ver|oud|duur)|wanneer',
  ].join('|')})(?![\\p{L}])`,
  'iu',
);

/** A number in digits or as a word, a month, a day of the week, or a word for no costs. */
const numberWord = new RegExp(
  `\\p{N}|(?<![\\p{L}])(?:${[
    'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|free|daily|never|always',
    'zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|kostenlos|kostenfrei|gratis|täglich',
    'deux|trois|quatre|cinq|sept|huit|neuf|dix|gratuit\\p{L}*|dos|tres|cuatro|cinco|siete|ocho|nueve|diez',
    'due|tre|quattro|cinque|sette|otto|nove|dieci|twee|drie|vijf|zes|zeven|acht|negen|tien',
    '(?:janu|janv|febr|févr|mar[csz]|märz|apri|avri|abri|juni|june|juin|juli|july|juil|augu|août|agos)\\p{L}*|ma[iy]',
    '(?:septe|septi|sette|okto|octo|octu|otto|nove|novi|dece|déce|deze|dici|dice)m?b\\p{L}*',
    '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?',
    '(?:lun|mar|mercre|jeu|vendre|same)di|lunes|martes|miércoles|jueves|viernes|sábado',
  ].join('|')})(?![\\p{L}])`,
  'iu',
);

/** Function words, as `wordsOf` normalizes them. */
const functionWords: ReadonlySet<string> = new Set(
  wordsOf(
    'a an the and or but if of to in on at by for from with without about into over under up out off as than ' +
      'then so that this these those there here it its is are was were be been being am do does did done have ' +
      'has had having can could may might must shall should will would i you he she we they me him her us them ' +
      'my your his our their what which who whom whose when where why how much many long far old often get got ' +
      'any some all each every no not only also very just need want please tell find us s t m re ve ll d ' +
      'der die das den dem des ein eine einen einem einer eines und oder aber wenn von zu zum zur in im an am ' +
      'auf bei mit ohne für über unter aus als dass ob es ist sind war waren sein bin bist hat haben habe hatte ' +
      'kann können könnte muss müssen soll sollen will wollen wird werden würde ich du er sie wir ihr mich mir ' +
      'dich dir uns euch mein dein unser was welche welcher welches wer wem wen wann wo warum wie viel viele ' +
      'lange gibt kein keine nicht nur auch sehr man nach vor bis seit um ' +
      'le la les un une des du de et ou mais si à au aux dans sur par pour avec sans en ce cette ces il elle ' +
      'on nous vous ils elles je tu mon ma mes votre vos est sont était être avoir a ai as ont peut puis faut ' +
      'que qui quoi quel quelle quels quelles quand où pourquoi comment combien ne pas plus y se sa son ' +
      'el los las una unos unas y o pero del al con sin por para es son era ser estar está hay puede puedo ' +
      'qué quién cuál cuáles cuándo dónde cómo cuánto cuánta cuántos mi tu su sus se lo no más ' +
      'il lo gli i uno ed ma di da nel nella con su per tra che chi cosa quale quali quando dove perché come ' +
      'quanto quanta quanti sono è posso può ha hanno non più si ' +
      'het een en of maar van naar op bij met zonder voor uit dat dit deze die er is zijn was heb heeft kan ' +
      'kunnen moet mag wil ik jij hij zij wij wat welke wie waar wanneer waarom hoe hoeveel niet ook geen',
  ),
);
