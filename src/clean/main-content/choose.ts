/** Which paragraphs are kept, by how likely each belongs to the content. */
import { isBesideText } from './beside-text.ts';
import { Evidence } from './evidence.ts';
import { findNamed, indexesIn } from './obvious.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import { probabilitiesOf } from './probability.ts';

/** The paragraphs of a page that are content. */
export interface Choice {
  /** By index of the block. */
  readonly kept: ReadonlySet<number>;
  /** The probability of the likeliest one. */
  readonly surest: number;
}

/** A text that may be kept. */
export interface Candidate {
  readonly length: number;
  readonly probability: number;
}

/** Chooses among the paragraphs that are not obviously something else. */
export function choose(page: MeasuredPage): Choice {
  const paragraphs = page.paragraphs.filter(({ isObvious }) => !isObvious);
  const length = paragraphs.reduce((sum, { block }) => sum + block.own.length, 0);
  if (length < shortPage || paragraphs.length > mostParagraphs) {
    return chooseByName(page, paragraphs);
  }
  const { isArticle } = page.facts;
  const probabilities = probabilitiesOf(paragraphs, page);
  const surest = probabilities.reduce((most, one) => Math.max(most, one), 0);
  const candidates: (Candidate & { index: number })[] = [];
  for (const [position, { block }] of paragraphs.entries()) {
    const probability = probabilities[position] as number;
    if (probability > leastAsked && isBesideText(block, isArticle)) continue;
    candidates.push({
      index: block.index,
      length: block.own.length,
      probability: isArticle ? doubted(probability) : probability,
    });
  }
  return { kept: new Set(mostExpected(candidates).map(({ index }) => index)), surest };
}

/** Less is never chosen, and its words need not be read. */
const leastAsked = 0.05;

/**
 * What is doubtful on a page that says it is an article is an aside more often than on others: its
 * text is long and sure, and a teaser too many is worse than a caption too few.
 */
export function doubted(probability: number): number {
  return probability / (probability + doubt * (1 - probability));
}

/** By how much the odds are divided. */
const doubt = 1.5;

/** Characters. Shares and neighbours say little about less text; it is kept, but for named boxes. */
const shortPage = 800;

/** More are a data dump or an attack; judging one takes about 10 microseconds. */
const mostParagraphs = 30_000;

function chooseByName(page: MeasuredPage, paragraphs: readonly Paragraph[]): Choice {
  const named = findNamed(page.blocks, page.facts.isDiscussion);
  const prose = named.reduce((sum, box) => sum + box.prose, 0);
  const beside = indexesIn(prose <= 0.5 * page.root.prose ? named : []);
  const main = page.blocks.find(({ evidence }) => (evidence & Evidence.main) !== 0);
  const within = main !== undefined && main.text >= 0.5 * page.root.text ? main : page.root;
  const kept = paragraphs
    .map(({ block }) => block.index)
    .filter((index) => within.index <= index && index < within.end && !beside.has(index));
  return { kept: new Set(kept), surest: kept.length === 0 ? 0 : 1 };
}

/**
 * The likeliest, as many as make the expected F1 of the page's text the highest. One threshold for
 * all pages would leave shops and listings, where nothing is sure, half empty.
 */
export function mostExpected<One extends Candidate>(candidates: readonly One[]): One[] {
  const sorted = candidates.toSorted((one, other) => other.probability - one.probability);
  const wanted = candidates.reduce((sum, one) => sum + one.length * one.probability, 0);
  let count = 0;
  let right = 0;
  let taken = 0;
  let expected = 0;
  for (const [index, { length, probability }] of sorted.entries()) {
    taken += length;
    right += length * probability;
    const score = (2 * right) / (taken + wanted);
    if (score > expected) {
      expected = score;
      count = index + 1;
    }
  }
  return sorted.slice(0, count);
}
