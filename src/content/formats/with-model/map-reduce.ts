/** Map-reduce over a text of any length: the model answers about its parts, then about these answers. */
import { PagewrightError } from '../../../core/runtime/errors.ts';
import type { AnswerSchema } from '../../../extract/llm/model.ts';
import { estimateTokens } from '../../text/estimate-tokens.ts';
import {
  type AnswerCheck,
  askWithRepair,
  type ModelQuestion,
} from '../../../extract/with-model/ask-with-repair.ts';
import { inOrder, partsForModel } from '../../../extract/with-model/parts-for-model.ts';
import { pageText } from '../../../extract/with-model/prompt.ts';
import type { ModelReader } from './model-reader.ts';

/** The model's input: the page, a part of it, or the answers about its parts. */
export type MapReduceStage = 'page' | 'part' | 'answers';

/** A question to the model, and the handling of its answers. */
export interface MapReduceQuestion<Answer> {
  readonly schema: AnswerSchema;
  /** The task, without any text of the page. */
  systemFor(stage: MapReduceStage): string;
  /** `source` is the text that the answer is about: the page, a part of it, or answers about parts. */
  check(source: string): AnswerCheck<Answer>;
  /** True when the text had no answer to the question. */
  isSilent(answer: Answer): boolean;
  /** An answer as the next request contains it, fenced there because its words come from the page. */
  written(answer: Answer): string;
}

const mostReductions = 4; // rounds of reduction: each round leaves far fewer answers

/**
 * The answer about the page's text. Throws `EXTRACT_INVALID` for answers that cannot be used,
 * `MODEL_FAILED`, and `PARSE_LIMIT` for a page that is too long for the model.
 */
export async function mapReduce<Answer>(
  reader: ModelReader,
  question: MapReduceQuestion<Answer>,
): Promise<Answer | undefined> {
  const { model, url } = reader;
  const { schema } = question;
  const overhead =
    estimateTokens(question.systemFor('part')) + estimateTokens(JSON.stringify(schema));
  let { markdown } = reader.text;
  for (let round = 0; round < mostReductions; round += 1) {
    const parts = await partsForModel(reader, markdown, overhead);
    const stage = round > 0 ? 'answers' : parts.length > 1 ? 'part' : 'page';
    const asked: Omit<ModelQuestion<Answer>, 'check'> = {
      ...reader,
      schema,
      remedy: 'Use another model.',
      system: question.systemFor(stage),
    };
    const answers = await inOrder(parts, async (part) => {
      const check = question.check([...part.headings, part.text].join('\n\n'));
      const prompt = pageText(url, part, reader.text.unreadStyles);
      const told = await askWithRepair({ ...asked, check }, prompt, { mayBeCut: false });
      return 'answer' in told ? told.answer : undefined;
    });
    const given = answers.filter((answer) => answer !== undefined);
    const telling = given.filter((answer) => !question.isSilent(answer));
    if (telling.length <= 1 || parts.length === 1) return telling[0] ?? given[0];
    markdown = telling
      .map((answer, index) => `Part ${index + 1}\n\n${question.written(answer)}`)
      .join('\n\n');
  }
  throw new PagewrightError(
    'PARSE_LIMIT',
    `${url} is too long for the model ${model.name}: what it says about the parts of the page is too long for it as well. ` +
      'Choose a part of the page with includeTags, or a model with a larger context.',
    { url },
  );
}
