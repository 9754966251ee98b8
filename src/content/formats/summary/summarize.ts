/** Makes a summary of a page from its own sentences. */
import { labelText } from '../../../extract/facts/element-text.ts';
import { type DomElement, elementsOf } from '../../html/dom.ts';
import type { Page } from '../../../core/model/page.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { readHeadFacts } from '../metadata.ts';
import { markdownParagraphs, pageParagraphs, type Paragraph } from './paragraphs.ts';

const limits = {
  fewestNames: 4, // names that a page lists
  mostNames: 10, // names in its summary
  headings: 300,
  enoughWords: 70, // words at which a summary ends
  words: 120, // of a summary
  sentences: 5,
  candidates: 500, // sentences considered
};

/** Limits up to which a page's text is its summary. */
const shortPage = { words: 90, characters: 1000 };

/** Reads the cleaned page; `` when it has no text. */
export function summarize(page: Page): string {
  const paragraphs =
    page.kind === 'html' ? pageParagraphs(page.root) : markdownParagraphs(page.markdown);
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const candidates = readCandidates(paragraphs);
  if (page.kind === 'html' && candidates.filter(({ isProse }) => isProse).length < 3) {
    const list = listOf(page.root);
    if (list !== undefined) return list;
  }
  if (isShort(paragraphs, segmenter)) {
    return joined([...new Set(paragraphs.map(({ text }) => text))]);
  }
  if (candidates.length === 0) return beginning(paragraphs, segmenter);
  const facts = page.kind === 'html' ? readHeadFacts(page.document) : undefined;
  const words = (text: string | undefined): ReadonlyMap<string, number> =>
    countWords((text ?? '').slice(0, 1000), segmenter).words;
  const chosen = chooseSentences(candidates, {
    title: words(facts?.title),
    description: words(facts?.values('description', 'og:description')[0]),
  });
  return joined(chosen.map(({ text }) => text));
}

/** The heading of a page that lists products or articles, with the first of their names; undefined for another page. */
function listOf(root: DomElement): string | undefined {
  let title: string | undefined;
  const names = new Map<string, Set<string>>();
  let seen = 0;
  for (const element of elementsOf(root)) {
    if (!/^h[1-6]$/.test(element.localName) || (seen += 1) > limits.headings) continue;
    const text = labelText(element).slice(0, 150);
    if (!/\p{L}/u.test(text)) continue;
    if (element.localName === 'h1') title ??= text;
    else if (element.closest('a[href]') !== null || element.querySelector('a[href]') !== null) {
      const known = names.get(element.localName);
      if (known === undefined) names.set(element.localName, new Set([text]));
      else known.add(text);
    }
  }
  const [most] = [...names.values()].sort((a, b) => b.size - a.size);
  if (most === undefined || most.size < limits.fewestNames) return undefined;
  const first =
    [...most].slice(0, limits.mostNames).join(', ') + (most.size > limits.mostNames ? ' …' : '');
  return title === undefined ? first : `${title}: ${first}`;
}

function isShort(paragraphs: readonly Paragraph[], segmenter: Intl.Segmenter): boolean {
  let characters = 0;
  let words = 0;
  for (const { text } of paragraphs) {
    characters += text.length;
    if (characters > shortPage.characters) return false;
    words += countWords(text, segmenter).length;
  }
  return words <= shortPage.words;
}

/** The first words of a page without sentences. */
function beginning(paragraphs: readonly Paragraph[], segmenter: Intl.Segmenter): string {
  const prose = paragraphs.filter(({ isProse }) => isProse);
  const read = prose.length > 0 ? prose : paragraphs;
  const text = joined(read.slice(0, 100).map((one) => one.text));
  const start = text.slice(0, shortPage.characters).replace(/[\ud800-\udbff]$/, '');
  let words = 0;
  for (const { index, isWordLike } of segmenter.segment(start)) {
    if (isWordLike === true && ++words > shortPage.words)
      return `${start.slice(0, index).trim()} …`;
  }
  return start.length < text.length ? `${start} …` : start;
}

/** Joins sentences; Chinese and Japanese have no spaces between them. */
function joined(texts: readonly string[]): string {
  return texts.join(' ').replace(/(?<=[。！？」』]) /gu, '');
}

// Chooses the sentences that represent a page.

/** Texts about the page outside of its prose. Their words count, but they are not included. */
export interface SummaryHints {
  readonly title: ReadonlyMap<string, number>;
  readonly description: ReadonlyMap<string, number>;
}

/**
 * Chooses three to five sentences, in document order. A sentence scores by its similarity to the page
 * as a whole (the cosine to the centroid of all sentences, rare words weighted higher), to title and
 * description, and by how early it comes; a sentence that repeats a chosen one is left out. Takes time
 * with the number of sentences.
 */
function chooseSentences(
  candidates: readonly SentenceCandidate[],
  hints: SummaryHints,
): SentenceCandidate[] {
  const weights = wordWeights(candidates);
  const vectors = candidates.map(({ words }) => vectorOf(words, weights));
  const scores = scoresOf(candidates, vectors, weights, hints);
  const order = scores.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chosen: number[] = [];
  let length = 0;
  // Sentences of low rank add nothing new.
  for (const index of order.slice(0, 60)) {
    const candidate = candidates[index];
    if (candidate === undefined || length + candidate.length > limits.words) continue;
    const similar = (other: number): boolean => cosine(vectors[index], vectors[other]) > 0.5;
    if (chosen.some(similar)) continue;
    chosen.push(index);
    length += candidate.length;
    if (chosen.length >= limits.sentences || (chosen.length >= 3 && length >= limits.enoughWords))
      break;
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => candidates[index] ?? []);
}

type WordVector = ReadonlyMap<string, number>;

/** Words that most sentences contain get little weight: no list of stop words is needed. */
function wordWeights(candidates: readonly SentenceCandidate[]): Map<string, number> {
  const sentences = new Map<string, number>();
  for (const { words } of candidates) {
    for (const word of words.keys()) sentences.set(word, (sentences.get(word) ?? 0) + 1);
  }
  for (const [word, count] of sentences) {
    sentences.set(word, Math.log(1 + candidates.length / count));
  }
  return sentences;
}

/** A vector of length 1. Words that no sentence contains are left out. */
function vectorOf(words: WordVector, weights: WordVector): Map<string, number> {
  const vector = new Map<string, number>();
  let sum = 0;
  for (const [word, count] of words) {
    const value = (1 + Math.log(count)) * (weights.get(word) ?? 0);
    if (value === 0) continue;
    vector.set(word, value);
    sum += value * value;
  }
  const norm = Math.sqrt(sum) || 1;
  for (const [word, value] of vector) vector.set(word, value / norm);
  return vector;
}

function scoresOf(
  candidates: readonly SentenceCandidate[],
  vectors: readonly WordVector[],
  weights: WordVector,
  { title, description }: SummaryHints,
): number[] {
  const all = new Map<string, number>();
  for (const vector of vectors) {
    for (const [word, value] of vector) all.set(word, (all.get(word) ?? 0) + value);
  }
  const central = shares(vectors.map((vector) => cosine(vector, all)));
  const titled = shares(cosines(vectors, vectorOf(title, weights)));
  const described = shares(cosines(vectors, vectorOf(description, weights)));
  return candidates.map((candidate, index) => {
    const share = central[index] ?? 0;
    const score =
      share * 0.35 +
      0.35 / (1 + candidate.paragraph * 0.25) +
      (titled[index] ?? 0) * 0.15 +
      (described[index] ?? 0) * 0.15 +
      (candidate.startsParagraph ? 0.1 : 0);
    // A sentence with little similarity to the rest is an advertisement or a note.
    return score * worth(candidate) * Math.min(1, 0.4 + share * 2);
  });
}

/** A factor that lowers the score of questions, cut-off teasers, lists and quotes. */
function worth({ text, isProse, length }: SentenceCandidate): number {
  let worth = isProse ? 1 : 0.6;
  if (/[?？؟]["”’»)\s]*$/u.test(text)) worth *= 0.6;
  if (/(?:…|\.\.\.)["”’»)\s]*$/u.test(text)) worth *= 0.6;
  if (length < 9 || length > 45) worth *= 0.8;
  return worth;
}

/** The values as shares of the largest. */
function shares(values: readonly number[]): number[] {
  const largest = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  return values.map((value) => value / largest);
}

function cosines(vectors: readonly WordVector[], other: WordVector): number[] {
  return vectors.map((vector) => cosine(vector, other));
}

function cosine(a: WordVector | undefined, b: WordVector | undefined): number {
  let sum = 0;
  for (const [word, value] of a ?? []) sum += value * (b?.get(word) ?? 0);
  return sum;
}

// The sentences that a summary may contain.

/** A sentence with its facts. */
export interface SentenceCandidate {
  readonly text: string;
  /** The count of each of its words, in lower case. */
  readonly words: ReadonlyMap<string, number>;
  /** The number of words, including words without letters. */
  readonly length: number;
  /** The index of its paragraph among the paragraphs with sentences. */
  readonly paragraph: number;
  readonly startsParagraph: boolean;
  readonly isProse: boolean;
}

/** Whole sentences of six to sixty words, without addresses, in document order. */
function readCandidates(paragraphs: readonly Paragraph[]): SentenceCandidate[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const candidates: SentenceCandidate[] = [];
  let paragraph = -1;
  for (const { text, isProse } of paragraphs) {
    let isFirst = true;
    for (const sentence of sentencesOf(text)) {
      if (candidates.length >= limits.candidates) return candidates;
      const trimmed = sentence.trim();
      if (!isSentence(trimmed)) continue;
      const { words, length } = countWords(trimmed, segmenter);
      if (length < 6 || length > 60 || words.size < 4) continue;
      if (isFirst) paragraph += 1;
      const startsParagraph = isFirst && text.startsWith(trimmed);
      candidates.push({ text: trimmed, words, length, paragraph, startsParagraph, isProse });
      isFirst = false;
    }
  }
  return candidates;
}

/** The words of a text with their counts. */
function countWords(
  text: string,
  segmenter: Intl.Segmenter,
): { readonly words: ReadonlyMap<string, number>; readonly length: number } {
  const words = new Map<string, number>();
  let length = 0;
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase())) {
    if (isWordLike !== true) continue;
    length += 1;
    if (/\p{L}/u.test(segment)) words.set(segment, (words.get(segment) ?? 0) + 1);
  }
  return { words, length };
}

/** Scripts whose sentences end without punctuation. */
const markless = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The end of a sentence in the scripts of the world, with closing brackets and quotes after it. */
const sentenceEnding = /[.!?…。！？．｡।॥۔؟։።፧။៕؛][\s"'”’»«“)\]」』）】]*$/u;

/** True for text that begins and ends like a sentence and is not an address, credit or line of code. */
function isSentence(text: string): boolean {
  if (text.length > 2000 || !(sentenceEnding.test(text) || markless.test(text))) return false;
  // Fragments of sentences, and lists of names and links.
  if (/^[\p{Ll}\p{P}\p{S}]/u.test(text) && !/^["'“„«‹(¿¡「『（《]/u.test(text)) return false;
  if (/https?:|www\.|\S@\S|[{}<>|\\©®]|(?:^|\s)[#@]\p{L}/u.test(text)) return false;
  return /\p{Ll}|\p{Lo}/u.test(text);
}
