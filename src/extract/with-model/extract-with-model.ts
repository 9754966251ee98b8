/** Extracts with a model: a long page in parts, each answer checked, the answers merged; selectors take precedence. */
import { ExtractError, hookFailed } from '../../core/runtime/errors.ts';
import { estimateTokens } from '../../content/text/estimate-tokens.ts';
import { readPartialJson } from '../../content/text/partial-json.ts';
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import { mergeParts, type PartAnswer } from '../merge-extractions.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile-schema.ts';
import { answerCheck, askWithRepair, type ModelQuestion } from './ask-with-repair.ts';
import { schemaForModel, type TidyAnswer, tidyAnswer } from './answer-schema.ts';
import { pageText, systemText, warnOfText } from './prompt.ts';
import { halvePart, type TextPart } from './cut-for-model.ts';
import { inOrder, partsForModel, type TextReader } from './parts-for-model.ts';
import { isAllSelected, withSelected } from './selector-leaves.ts';

const limits = {
  halvings: 4, // of a part whose answer is too long
  leastGrowth: 64, // characters after which text is reported again: limits repeated parsing
  growth: 1.1, // the same as a factor
};

/** The page's extraction, not validated. No model is asked where selectors gave everything. */
export async function extractWithModel(
  selected: PageExtraction,
  question: PageQuestion,
): Promise<PageExtraction> {
  if (question.prompt === undefined && isAllSelected(selected)) return selected;
  warnOfText(question.text, question.warn);
  return withSelected(await askPage(question), selected);
}

// A model reads a page: a long one in parts, each answer checked, the answers joined.

/** A page, and the wanted data. */
export interface PageQuestion extends TextReader {
  /** Undefined for any JSON object. */
  readonly schema: CompiledSchema | undefined;
  /** The caller's prompt. */
  readonly prompt: string | undefined;
  /** True when no other pages will complete the data. */
  readonly isWhole: boolean;
  /** Called with the data so far, while the model writes it; `url` is the page's. */
  readonly onPartial?: ((partial: unknown, url: string) => void) | undefined;
}

/**
 * Asks about the page; does not ask about an empty one. Throws `EXTRACT_INVALID` for an empty page and for
 * answers that do not fit the schema, `MODEL_FAILED`, and `PARSE_LIMIT` for a page that would need more
 * than 200 requests.
 */
async function askPage(question: PageQuestion): Promise<PageExtraction> {
  const { url, text, prompt, compute } = question;
  if (!(await compute('hasWords', text.markdown))) {
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
  const asked: PartQuestion = {
    ...question,
    schema: sent,
    system: systemText({ ...task, isInParts: parts.length > 1 }),
    check: await answerCheck(schema, { isWhole }),
  };
  const partial = partialAnswers(question, schema, parts.length);
  const values = await inOrder(parts, (part, index) =>
    askPart(asked, part, limits.halvings, partial?.listener(index)),
  );
  await partial?.heard();
  const answers = values.flat();
  const { value, notFound, conflicts } = await compute('mergedParts', answers, schema.jsonSchema);
  if (conflicts.length > 0) {
    const paths = conflicts.slice(0, 10).map((path) => path || 'the value');
    question.warn(
      `The parts of ${url} disagree about ${paths.join(', ')}: the first value is taken.`,
    );
  }
  return { value, notFound, sources: {} };
}

type PartQuestion = ModelQuestion<TidyAnswer> & Pick<TextReader, 'text'>;

async function askPart(
  asked: PartQuestion,
  part: TextPart,
  halvings: number,
  onText: ((text: string) => void) | undefined,
): Promise<PartAnswer[]> {
  const told = await askWithRepair(asked, pageText(asked.url, part, asked.text.unreadStyles), {
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
      // The callback may be asynchronous, whatever its type says.
      await (onPartial(value, url) as unknown);
    } catch (error) {
      throw hookFailed('onPartial', url, error);
    }
  });
}

async function anyObject(): Promise<CompiledSchema> {
  return compileSchema({ type: 'object' });
}

// The texts of answers while a model writes them, reported from time to time.

/** Collects the texts of the parts of a page. */
class PartialAnswers {
  readonly #texts: string[];
  readonly #tell: (texts: readonly string[]) => Promise<void>;
  #told = 0;
  #length = 0;
  #failure: { readonly error: unknown } | undefined;
  readonly #hearing = new Set<Promise<void>>();

  constructor(parts: number, tell: (texts: readonly string[]) => Promise<void>) {
    this.#texts = Array.from({ length: parts }, () => '');
    this.#tell = tell;
  }

  /** Makes the listener for the answer about one part. Never throws, since it runs inside the model's stream. */
  listener(part: number): (text: string) => void {
    return (text) => {
      if (this.#failure !== undefined || typeof text !== 'string') return;
      this.#texts[part] += text;
      this.#length += text.length;
      const isDue =
        this.#length >= Math.max(this.#told + limits.leastGrowth, this.#told * limits.growth);
      if (isDue || this.#told === 0) this.#tellNow();
    };
  }

  /** Resolves when all callbacks are done; rejects with their error. */
  async heard(): Promise<void> {
    await Promise.all(this.#hearing);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #tellNow(): void {
    this.#told = this.#length;
    this.#hear(this.#tell(this.#texts.filter((text) => text !== '')));
  }

  /** Until it is awaited, a rejection must not count as unhandled. */
  #hear(told: Promise<void>): void {
    const hearing = told
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .then(() => void this.#hearing.delete(hearing));
    this.#hearing.add(hearing);
  }
}
