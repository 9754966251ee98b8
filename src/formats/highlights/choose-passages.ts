/** The passages that a model chooses by their numbers. */
import type { ValidationIssue } from '../../errors.ts';
import { estimateExactly, estimateTokens } from '../../text/estimate-tokens.ts';
import { askWithRepair, type ModelQuestion } from '../json/with-model/ask-with-repair.ts';
import { inOrder, refuseTooMany, roomOfPart } from '../json/with-model/parts-for-model.ts';
import { pageText } from '../json/with-model/prompt.ts';
import { isWithoutWords, type ModelReader } from '../with-model/model-reader.ts';
import { shapeCheck } from '../with-model/shape-check.ts';
import type { Highlight } from './highlight.ts';
import {
  type ChosenNumbers,
  highlightsSystem,
  numberedPassages,
  numbersSchema,
} from './highlights-prompt.ts';
import { type Passage, readPassages } from './passages.ts';
import { placeInPage } from './place-in-page.ts';

/**
 * At most `limit` passages in the order of the page; `markdown` is the page's as the caller gets it.
 * Nobody is asked about a page without words or passages. Throws `EXTRACT_INVALID`, `MODEL_FAILED`, `PARSE_LIMIT`.
 */
export async function choosePassages(
  reader: ModelReader,
  { query, limit }: { readonly query: string; readonly limit: number },
  markdown: string,
): Promise<Highlight[]> {
  if (isWithoutWords(reader)) return [];
  const { model, url, signal, use, text } = reader;
  const system = highlightsSystem(query, limit);
  const passages = readPassages(text.markdown);
  if (passages.length === 0) return [];
  const overhead = estimateTokens(system) + estimateTokens(JSON.stringify(numbersSchema));
  const parts = partsOf(passages, roomOfPart(model, overhead));
  refuseTooMany(reader, text.markdown, parts.length);
  const answers = await inOrder(parts, async ({ first, passages: part }) => {
    const asked: ModelQuestion<readonly number[]> = {
      ...{ model, url, system, signal, use, schema: numbersSchema, remedy: 'Use another model.' },
      check: await shapeCheck<ChosenNumbers, readonly number[]>(numbersSchema, (shape, isLast) =>
        knownNumbers(shape, { first, count: part.length }, isLast),
      ),
    };
    const numbered = { text: numberedPassages(part, first), headings: [], isRestOfTable: false };
    const told = await askWithRepair(asked, pageText(url, numbered), { mayBeCut: false });
    return 'answer' in told ? told.answer : [];
  });
  const chosen = best(answers, limit).flatMap((number) => passages[number - 1] ?? []);
  return placeInPage(chosen, text.markdown, markdown);
}

interface Part {
  /** The number of its first passage; the page's first has 1. */
  readonly first: number;
  readonly passages: readonly Passage[];
}

/** Tokens that number and header of a passage may take beside it. */
const numberTokens = 8;

function partsOf(passages: readonly Passage[], room: number): Part[] {
  const parts: Part[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, { text, head = '', headingPath }] of passages.entries()) {
    const around = estimateExactly(head) + estimateExactly(headingPath.join(' > '));
    const size = estimateExactly(text) + around + numberTokens;
    if (tokens + size > room && index > start) {
      parts.push({ first: start + 1, passages: passages.slice(start, index) });
      start = index;
      tokens = 0;
    }
    tokens += size;
  }
  parts.push({ first: start + 1, passages: passages.slice(start) });
  return parts;
}

/** Numbers that there are not are a mistake; the second time they are left out. */
function knownNumbers(
  { passages }: ChosenNumbers,
  { first, count }: { readonly first: number; readonly count: number },
  isLast: boolean,
): { readonly answer: readonly number[] } | { readonly issues: readonly ValidationIssue[] } {
  const isKnown = (number: number): boolean => number >= first && number < first + count;
  const issues = passages.flatMap((number, index) =>
    isKnown(number)
      ? []
      : [{ path: ['passages', index], message: `there is no passage ${number} in the text` }],
  );
  if (issues.length > 0 && !isLast) return { issues };
  return { answer: [...new Set(passages.filter(isKnown))] };
}

/** The first of each part, then the second of each, until there are enough; in the order of the page. */
function best(answers: readonly (readonly number[])[], limit: number): number[] {
  const ranked = answers.flatMap((numbers) => numbers.map((number, rank) => ({ number, rank })));
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, limit)
    .map(({ number }) => number)
    .sort((one, other) => one - other);
}
