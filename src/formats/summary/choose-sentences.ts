/** Which sentences stand for a page. */
import type { Candidate } from './candidates.ts';

/** What the page is said to be about, outside of its prose. Its words count, itself is not shown. */
export interface Hints {
  readonly title: ReadonlyMap<string, number>;
  readonly description: ReadonlyMap<string, number>;
}

/** Words of a summary: it ends when it has `enough`, and has no more than `most`. */
const enough = 70;
const most = 120;
const maxSentences = 5;

/**
 * Chooses three to five sentences, in document order. A sentence counts by how much it has in
 * common with the page as a whole (the cosine to the centroid of all, words weighted by how few
 * sentences have them), with title and description, and by how early it comes; one that repeats
 * what is chosen already is left out. Takes time with the number of sentences.
 */
export function chooseSentences(candidates: readonly Candidate[], hints: Hints): Candidate[] {
  const weights = wordWeights(candidates);
  const vectors = candidates.map(({ words }) => vectorOf(words, weights));
  const scores = scoresOf(candidates, vectors, weights, hints);
  const order = scores.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chosen: number[] = [];
  let length = 0;
  // Those far down have nothing to say that those before have not.
  for (const index of order.slice(0, 60)) {
    const candidate = candidates[index];
    if (candidate === undefined || length + candidate.length > most) continue;
    const similar = (other: number): boolean => cosine(vectors[index], vectors[other]) > 0.5;
    if (chosen.some(similar)) continue;
    chosen.push(index);
    length += candidate.length;
    if (chosen.length >= maxSentences || (chosen.length >= 3 && length >= enough)) break;
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => candidates[index] ?? []);
}

type Vector = ReadonlyMap<string, number>;

/** Words that most sentences have say nothing of any: no list of stop words is needed. */
function wordWeights(candidates: readonly Candidate[]): Map<string, number> {
  const sentences = new Map<string, number>();
  for (const { words } of candidates) {
    for (const word of words.keys()) sentences.set(word, (sentences.get(word) ?? 0) + 1);
  }
  for (const [word, count] of sentences) {
    sentences.set(word, Math.log(1 + candidates.length / count));
  }
  return sentences;
}

/** Of length 1. Words that no sentence has are left out. */
function vectorOf(words: Vector, weights: Vector): Map<string, number> {
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
  candidates: readonly Candidate[],
  vectors: readonly Vector[],
  weights: Vector,
  { title, description }: Hints,
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
    // What has little to do with the rest is an advertisement or a note.
    return score * worth(candidate) * Math.min(1, 0.4 + share * 2);
  });
}

/** Questions lead to what matters, teasers are cut off, lists and quotes stand beside the prose. */
function worth({ text, isProse, length }: Candidate): number {
  let worth = isProse ? 1 : 0.6;
  if (/[?？؟]["”’»)\s]*$/u.test(text)) worth *= 0.6;
  if (/(?:…|\.\.\.)["”’»)\s]*$/u.test(text)) worth *= 0.6;
  if (length < 9 || length > 45) worth *= 0.8;
  return worth;
}

/** As shares of the largest. */
function shares(values: readonly number[]): number[] {
  const largest = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  return values.map((value) => value / largest);
}

function cosines(vectors: readonly Vector[], other: Vector): number[] {
  return vectors.map((vector) => cosine(vector, other));
}

function cosine(a: Vector | undefined, b: Vector | undefined): number {
  let sum = 0;
  for (const [word, value] of a ?? []) sum += value * (b?.get(word) ?? 0);
  return sum;
}
