/** What a model finds on a page: in parts where it is long, each answer checked, joined to one. */
import { ExtractError, hookFailed } from '../../../errors.ts';
import type { Model, ModelUsage } from '../../../llm/model.ts';
import type { ModelText } from '../../../model/model-text.ts';
import { estimateTokens } from '../../../text/estimate-tokens.ts';
import { readPartialJson } from '../../../text/partial-json.ts';
import type { Compute } from '../../computations.ts';
import type { PageExtraction } from '../extract-without-model.ts';
import { mergeParts, type PartAnswer } from '../merge.ts';
import { type CompiledSchema, compileSchema } from '../schema.ts';
import { answerCheck } from './answer-check.ts';
import { schemaForModel } from './answer-schema.ts';
import { askWithRepair, type ModelQuestion } from './ask-with-repair.ts';
import { type TextPart, halvePart } from './cut-for-model.ts';
import { inOrder, partsForModel } from './parts-for-model.ts';
import { PartialAnswers } from './partial-answers.ts';
import { pageText, systemText } from './prompt.ts';
import { type TidyAnswer, tidyAnswer } from './tidy-answer.ts';

/** A page, and what is wanted of it. */
export interface PageQuestion {
  readonly model: Model;
  readonly url: string;
  readonly text: ModelText;
  /** Undefined: any JSON object. */
  readonly schema: CompiledSchema | undefined;
  /** The caller's words. */
  readonly prompt: string | undefined;
  /** There will be no other pages to complete the data. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
  readonly compute: Compute;
  readonly warn: (sentence: string) => void;
  readonly use: (usage: ModelUsage) => void;
  /** Told of the data so far, while the model writes it; `url` is the page's. */
  readonly onPartial?: ((partial: unknown, url: string) => void) | undefined;
}

/** How often an answer that is too long halves its part. */
const mostHalvings = 4;

/**
 * Asks about the page. Nothing is asked about an empty one. Throws `EXTRACT_INVALID` for it and for
 * answers that do not fit the schema, `MODEL_FAILED`, and `PARSE_LIMIT` for a page that would need more
 * than 200 requests.
 */
export async function askPage(question: PageQuestion): Promise<PageExtraction> {
  const { model, url, text, prompt, signal, compute } = question;
  if (!(await compute('hasWords', { markdown: text.markdown }))) {
    throw new ExtractError(`${url} is empty: there is nothing to extract.`, [], { url });
  }
  const schema = question.schema ?? (await anyObject());
  const sent = question.schema && schemaForModel(schema.jsonSchema);
  const task = { prompt, hasSchema: sent !== undefined };
  const overhead =
    estimateTokens(systemText({ ...task, isInParts: true })) +
    estimateTokens(JSON.stringify(sent ?? ''));
  const parts = await partsForModel(question, text.markdown, overhead);
  const isWhole = question.isWhole && parts.length === 1;
  const asked: ModelQuestion<TidyAnswer> = {
    ...{ model, url, schema: sent, signal, use: question.use },
    system: systemText({ ...task, isInParts: parts.length > 1 }),
    check: await answerCheck(schema, { isWhole }),
  };
  const partial = partialAnswers(question, schema, parts.length);
  const values = await inOrder(parts, (part, index) =>
    askPart(
      { ...asked, unreadStyles: text.unreadStyles },
      part,
      mostHalvings,
      partial?.listener(index),
    ),
  );
  await partial?.heard();
  const answers = values.flat();
  const { value, notFound, conflicts } = await compute('mergedParts', {
    answers,
    schema: schema.jsonSchema,
  });
  if (conflicts.length > 0) {
    const paths = conflicts.slice(0, 10).map((path) => path || 'the value');
    question.warn(
      `The parts of ${url} disagree about ${paths.join(', ')}: the first value is taken.`,
    );
  }
  return { value, notFound, sources: {} };
}

async function askPart(
  asked: ModelQuestion<TidyAnswer> & Pick<ModelText, 'unreadStyles'>,
  part: TextPart,
  halvings: number,
  onText: ((text: string) => void) | undefined,
): Promise<PartAnswer[]> {
  const told = await askWithRepair(asked, pageText(asked.url, part, asked.unreadStyles), {
    mayBeCut: halvings > 0,
    ...(onText === undefined ? {} : { onText }),
  });
  if ('answer' in told) {
    return [{ value: told.answer.value, mayContinue: !part.isRestOfTable }];
  }
  const halves = await halvePart(part);
  if (halves === undefined) return askPart(asked, part, 0, undefined);
  const answers: PartAnswer[] = [];
  for (const half of halves) {
    answers.push(...(await askPart(asked, half, halvings - 1, undefined)));
  }
  return answers;
}

function partialAnswers(
  { onPartial, url }: PageQuestion,
  { jsonSchema }: CompiledSchema,
  parts: number,
): PartialAnswers | undefined {
  if (onPartial === undefined) return undefined;
  return new PartialAnswers(parts, async (texts) => {
    const values = texts
      .map((text) => readPartialJson(text))
      .filter((value) => typeof value === 'object' && value !== null);
    if (values.length === 0) return;
    const answers = values.map((value) => ({ value, mayContinue: true }));
    try {
      const { value } = tidyAnswer(mergeParts(answers, jsonSchema).value, jsonSchema);
      // It may be asynchronous, whatever its type says.
      await (onPartial(value, url) as unknown);
    } catch (error) {
      throw hookFailed('onPartial', url, error);
    }
  });
}

async function anyObject(): Promise<CompiledSchema> {
  return compileSchema({ type: 'object' });
}
