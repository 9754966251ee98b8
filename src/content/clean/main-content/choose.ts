/** Chooses the paragraphs of the main content by their probability. */
import { oneLine } from '../../text/plain-text.ts';
import { compileTrees, someTrees, type TreeSum, unpackModel } from './decision-trees.ts';
import { Evidence } from './evidence.ts';
import { FeatureRow, readFeatures, readNextFeatures } from './features.ts';
import { IndexSet } from './index-set.ts';
import { headingLevel, type MeasuredBlock } from './measure.ts';
import { model } from './model.ts';
import { findNamed, indexesIn } from './obvious.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import { findUnits } from './records.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  leastJudged: 0.05, // a paragraph with less is never chosen, so its words are not read
  doubtRange: 1.5, // divisor of the odds
  shortPage: 800, // characters; a shorter page is retained as a whole, except named boxes
  paragraphs: 30_000, // more are a data dump or an attack; judging one takes 10 µs
  longestBesideText: 320, // characters: the longest captions
  longestAgency: 20, // characters: the longest agency match plus a margin
  firstTrees: 300, // trees that decide alone if they are sure: more than 4 of 5 on one side
  sureSum: 1.5,
};

/** The paragraphs of a page that are content. */
export interface ParagraphChoice {
  /** By index of the block. */
  readonly retained: IndexSet;
  /** The highest probability. */
  readonly surest: number;
}

/** A text that may be chosen. */
export interface ParagraphCandidate {
  readonly length: number;
  readonly probability: number;
}

interface Candidate {
  length: number;
  wanted: number;
  probability: number;
}

const newCandidate = (): Candidate => ({ length: 0, wanted: 0, probability: 0 });

/** Chooses among the paragraphs that are not obvious boilerplate. */
export function choose(page: MeasuredPage): ParagraphChoice {
  const paragraphs = page.paragraphs.filter(({ isObvious }) => !isObvious);
  const length = paragraphs.reduce((sum, { block }) => sum + block.own.length, 0);
  if (length < limits.shortPage || paragraphs.length > limits.paragraphs) {
    return chooseByName(page, paragraphs);
  }
  const { isArticle } = page.facts;
  const probabilities = probabilitiesOf(paragraphs, page);
  const surest = probabilities.reduce((most, one) => Math.max(most, one), 0);
  const units = isArticle ? undefined : findUnits(page, paragraphs, probabilities);
  const candidates = new Map<number, Candidate>();
  const candidateOf: (Candidate | undefined)[] = [];
  for (let position = 0; position < paragraphs.length; position++) {
    const { block } = paragraphs[position] as Paragraph;
    const probability = probabilities[position] as number;
    candidateOf.push(undefined);
    if (probability > limits.leastJudged && isBesideText(block, isArticle)) continue;
    const unit = units?.[position] ?? position;
    const candidate = getOrInsert(candidates, unit, newCandidate);
    candidate.length += block.own.length;
    candidate.wanted += block.own.length * (isArticle ? doubted(probability) : probability);
    candidate.probability = candidate.wanted / candidate.length;
    candidateOf[position] = candidate;
  }
  const chosen = new Set<Candidate | undefined>(mostExpected([...candidates.values()]));
  const retained = new IndexSet(page.blocks.length);
  for (const [position, candidate] of candidateOf.entries()) {
    if (chosen.has(candidate)) retained.add((paragraphs[position] as Paragraph).block.index);
  }
  return { retained, surest };
}

/**
 * On a page marked as an article, a doubtful paragraph is an aside more often than on other pages: its
 * text is long and certain, and a teaser too many is worse than a caption too few.
 */
export function doubted(probability: number): number {
  return probability / (probability + limits.doubtRange * (1 - probability));
}

function chooseByName(page: MeasuredPage, paragraphs: readonly Paragraph[]): ParagraphChoice {
  const named = findNamed(page.blocks, page.facts.isDiscussion);
  const prose = named.reduce((sum, box) => sum + box.prose, 0);
  const beside = indexesIn(prose <= 0.5 * page.root.prose ? named : [], page.blocks);
  const main = page.blocks.find(({ evidence }) => (evidence & Evidence.main) !== 0);
  const within = main !== undefined && main.text >= 0.5 * page.root.text ? main : page.root;
  const retained = paragraphs
    .map(({ block }) => block.index)
    .filter((index) => within.index <= index && index < within.end && !beside.has(index));
  return {
    retained: new IndexSet(page.blocks.length, retained),
    surest: retained.length === 0 ? 0 : 1,
  };
}

/**
 * Takes the likeliest candidates, as many as maximize the expected F1 of the page's text. A fixed threshold
 * would leave shops and listings, where no probability is high, half empty.
 */
export function mostExpected<One extends ParagraphCandidate>(candidates: readonly One[]): One[] {
  const sorted = candidates.toSorted((one, other) => other.probability - one.probability);
  const wanted = candidates.reduce((sum, one) => sum + one.length * one.probability, 0);
  let count = 0;
  let right = 0;
  let taken = 0;
  let expected = 0;
  let seen = 0;
  for (const { length, probability } of sorted) {
    seen += 1;
    taken += length;
    right += length * probability;
    const score = (2 * right) / (taken + wanted);
    if (score > expected) {
      expected = score;
      count = seen;
    }
  }
  return sorted.slice(0, count);
}

// Short texts between an article's paragraphs that do not belong to it, recognized by their words.

/**
 * Lines that many sites put into the box of their text: photo credits, "read more", "follow us on",
 * "advertisement", the age of the post. The model sees no words, and by its other features such a line
 * resembles a short paragraph. Only short texts are tested, and only for these phrases.
 */
export function isBesideText(block: MeasuredBlock, isArticle: boolean): boolean {
  const { own, element, paragraphs } = block;
  // If the element contains other paragraphs, its text is not only this paragraph's.
  if (own.length > limits.longestBesideText || paragraphs !== 1) return false;
  if (headingLevel(block) > 0 || element.localName === 'pre') return false;
  const text = oneLine(element.textContent ?? '').slice(0, limits.longestBesideText);
  if (besideLabels.test(text) || agencyPattern.test(text.slice(-limits.longestAgency))) return true;
  if (
    tellingWords.test(text) &&
    (agePattern.test(text) || invitations.test(text) || credits.test(text))
  ) {
    return true;
  }
  return isArticle && own.linked >= 0.95 * own.length && isShouted(text);
}

/** Labels that are a whole line. */
const besideLabels = new RegExp(
  `^\\W*(?:${[
    'advertise?ment|advertising|sponsored|ad|anzeige|werbung|publicidad|publicidade|publicité|pubblicità|advertentie|реклама',
    '(?:read|learn|see|show|view|load) more|(?:view|see|show) all|continue reading|read (?:the )?full (?:story|article)',
    'weiterlesen|mehr (?:lesen|erfahren|anzeigen)|lire (?:la suite|plus)|(?:en savoir|voir) plus|(?:leer|ver) más|seguir leyendo',
    '(?:leia|ver|saiba|veja) mais|(?:leggi|continua a leggere|scopri) (?:tutto|di più)|lees (?:meer|verder)|подробнее|читать (?:далее|дальше)',
    '(?:last )?(?:updated|modified|edited)(?: on| at)?:? [^.!?]{0,30}\\b(?:19|20)\\d\\d\\b[^.!?]{0,20}',
    'back to [^.!?]{1,40}|zurück(?: nach oben| zur übersicht)?|nach oben|retour(?: en haut)?',
  ].join('|')})[^\\p{L}\\p{N}]*$`,
  'iu',
);

/** Every match of the next three patterns, which take ten times as long, contains one of these words. */
const tellingWords = / ago|follow|photo|image|picture|foto|bild|credit|crédit|quelle|getty/i;

/** Ages such as "3 hours ago". */
const agePattern = new RegExp(
  '^\\W*[^.!?]{0,40}\\b(?:an?|\\d+) ?(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?) ago[^\\p{L}\\p{N}]*$',
  'iu',
);

const invitations =
  /\bfollow (?:us|him|her|me|them|@\S+|\S+ on)\b.*\b(?:twitter|facebook|instagram|youtube|linkedin|telegram|tiktok|bluesky|mastodon)\b/i;

/** A photo credit: `(Photo: …)`, `Image credit: …`. */
const credits = new RegExp(
  [
    '\\([^()]{0,20}\\b(?:photos?|images?|pictures?|fotos?|bild|imagen|imagem)(?: credits?)?(?: ?[:/|©]| (?:by|courtesy|via)\\b)',
    '\\((?:credits?|crédits?|quelle) ?:',
    '^(?:file |stock )?(?:photo(?:graph)?|image|picture|foto|bild)s?(?: courtesy| credit| by)?(?: of)? ?[:/|©]',
    '^(?:photo |image )?credits?: ?\\p{L}',
    '\\b(?:photos?|images?|fotos?|bild(?:er)?) ?©',
    '\\bgetty images\\b|\\bap photo\\b|\\bfile photo\\b',
  ].join('|'),
  'iu',
);

/** An agency at the end of a line. */
const agencyPattern = /\(ap\)$|[/|] ?(?:getty|reuters|afp|ap|dpa)\)?[.]?$/iu;

/** True for a line in capitals that is entirely a link: the headline of another article. */
function isShouted(text: string): boolean {
  return text.length >= 25 && /\p{Lu}{4}/u.test(text) && text.toUpperCase() === text;
}

// The probability that a paragraph belongs to the main content.

const featureRow: FeatureRow = new FeatureRow();

/** Compiled with the first paragraph, when the feature names are known; not at import, since it takes some ms. */
let sums: { readonly first: TreeSum; readonly rest: TreeSum } | undefined;

/** The probability of each paragraph, 0 to 1. */
function probabilitiesOf(paragraphs: readonly Paragraph[], page: MeasuredPage): number[] {
  return paragraphs.map((paragraph, index) => {
    if (index === 0) readFeatures(featureRow, paragraph, page);
    else readNextFeatures(featureRow, paragraph, page, paragraphs[index - 1]);
    const { first, rest } = (sums ??= compileModel());
    let sum = first(featureRow.values);
    if (Math.abs(sum) < limits.sureSum) sum += rest(featureRow.values);
    return 1 / (1 + Math.exp(-sum));
  });
}

function compileModel(): NonNullable<typeof sums> {
  const trees = unpackModel(model);
  return {
    first: compileTrees(someTrees(trees, 0, limits.firstTrees), featureRow.names),
    rest: compileTrees(someTrees(trees, limits.firstTrees), featureRow.names),
  };
}
