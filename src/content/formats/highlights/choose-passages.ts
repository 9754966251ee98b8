/** The passages that a model chooses by their numbers. */
import type { ValidationIssue } from '../../../core/runtime/errors.ts';
import { estimateTokens } from '../../text/estimate-tokens.ts';
import { askWithRepair, type ModelQuestion } from '../../../extract/with-model/ask-with-repair.ts';
import { inOrder, refuseTooMany, roomOfPart } from '../../../extract/with-model/parts-for-model.ts';
import { pageText } from '../../../extract/with-model/prompt.ts';
import { type ModelReader, shapeCheck } from '../with-model/model-reader.ts';
import type { Highlight } from './passages.ts';
import { type ChosenNumbers, highlightsSystem, numbersSchema } from './numbered-passages.ts';

/**
 * At most `limit` passages in the order of the page; `markdown` is the page's, as the caller gets it.
 * No model is called for a page without words or passages. Throws `EXTRACT_INVALID`, `MODEL_FAILED`, `PARSE_LIMIT`.
 */
export async function choosePassages(
  reader: ModelReader,
  { query, limit }: { readonly query: string; readonly limit: number },
  markdown: string,
): Promise<Highlight[]> {
  const { model, url, text, compute } = reader;
  const system = highlightsSystem(query, limit);
  const overhead = estimateTokens(system) + estimateTokens(JSON.stringify(numbersSchema));
  const room = roomOfPart(model, overhead);
  const parts = await compute('passageParts', text.markdown, room);
  if (parts.length === 0) return [];
  await refuseTooMany(reader, text.markdown, parts.length);
  const checkOf = await shapeCheck<ChosenNumbers>(numbersSchema);
  const answers = await inOrder(parts, async ({ first, count, text: numbered }) => {
    const asked: ModelQuestion<readonly number[]> = {
      ...reader,
      system,
      schema: numbersSchema,
      remedy: 'Use another model.',
      check: checkOf((shape, isLast) => knownNumbers(shape, { first, count }, isLast)),
    };
    const part = { text: numbered, headings: [], isRestOfTable: false };
    const told = await askWithRepair(asked, pageText(url, part, text.unreadStyles), {
      mayBeCut: false,
    });
    return 'answer' in told ? told.answer : [];
  });
  const numbers = best(answers, limit);
  if (numbers.length === 0) return [];
  return compute('placedPassages', numbers, text.markdown, markdown);
}

/** Numbers of no passage are an error in the first answer, and left out in the second. */
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
