/** The sentences that a summary may be made of. */
import { sentencesOf } from '../../text/sentences.ts';
import type { Paragraph } from './paragraph.ts';

/** A sentence with what is known of it. */
export interface Candidate {
  readonly text: string;
  /** How often each of its words, in lower case, is in it. */
  readonly words: ReadonlyMap<string, number>;
  /** Words, those without letters too. */
  readonly length: number;
  /** The place of its paragraph among those that have sentences. */
  readonly paragraph: number;
  readonly startsParagraph: boolean;
  readonly isProse: boolean;
}

/** More are not weighed. */
const maxCandidates = 500;

/** Whole sentences of six to sixty words, without addresses, in document order. */
export function readCandidates(paragraphs: readonly Paragraph[]): Candidate[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const candidates: Candidate[] = [];
  let paragraph = -1;
  for (const { text, isProse } of paragraphs) {
    let isFirst = true;
    for (const sentence of sentencesOf(text)) {
      if (candidates.length >= maxCandidates) return candidates;
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

/** The words of a text with how often each is in it. */
export function countWords(
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

/** Scripts whose sentences end without a mark. */
const markless = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The end of a sentence in the scripts of the world, with closing brackets and quotes after it. */
const ending = /[.!?…。！？．｡।॥۔؟։።፧။៕؛][\s"'”’»«“)\]」』）】]*$/u;

/** True for what begins and ends like a sentence and is no address, credit or line of code. */
function isSentence(text: string): boolean {
  if (text.length > 2000 || !(ending.test(text) || markless.test(text))) return false;
  // Bits that something was cut from, and lists of names and links.
  if (/^[\p{Ll}\p{P}\p{S}]/u.test(text) && !/^["'“„«‹(¿¡「『（《]/u.test(text)) return false;
  if (/https?:|www\.|\S@\S|[{}<>|\\©®]|(?:^|\s)[#@]\p{L}/u.test(text)) return false;
  return /\p{Ll}|\p{Lo}/u.test(text);
}
