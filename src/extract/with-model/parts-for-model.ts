/** Splits a text for a model, and asks about the parts: a few at a time, in order. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { ModelText } from '../../core/model/page.ts';
import type { Model, ModelUsage } from '../llm/model.ts';
import type { PartAnswer } from '../merge-extractions.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { TidyAnswer } from './answer-schema.ts';
import type { TextPart } from './cut-for-model.ts';

const limits = {
  defaultContext: 100_000, // tokens with the answer, of a model that does not declare its context
  shareOfText: 0.35, // of one part: the answer may be as long, and a second try contains both
  fewestTokens: 200,
  parts: 200,
  atOnce: 4, // concurrent requests for one page
};

/** Work that takes time with the length of a text, done inline or in a worker. */
export interface TextComputing {
  (name: 'hasWords', markdown: string): Promise<boolean>;
  (name: 'tokens', markdown: string): Promise<number>;
  (name: 'parts', markdown: string, room: number): Promise<readonly TextPart[]>;
  (
    name: 'mergedParts',
    answers: readonly PartAnswer[],
    schema: JsonSchema,
  ): Promise<TidyAnswer & { readonly conflicts: readonly string[] }>;
}

/** A model, and the text of a page for it. */
export interface TextReader {
  readonly model: Model;
  /** The page's URL, for messages. */
  readonly url: string;
  readonly text: ModelText;
  readonly signal: AbortSignal;
  readonly compute: TextComputing;
  readonly warn: (sentence: string) => void;
  /** Called with each answer's usage. */
  readonly use: (usage: ModelUsage) => void;
}

/** Tokens for a part, in addition to instructions of `overhead` tokens. */
export function roomOfPart(
  { contextTokens = limits.defaultContext }: Model,
  overhead: number,
): number {
  return Math.max(
    limits.fewestTokens,
    Math.floor((contextTokens - overhead - 100) * limits.shareOfText),
  );
}

/** Cuts a text. Throws `PARSE_LIMIT` for one that would need more than 200 requests. */
export async function partsForModel(
  reader: TextReader,
  markdown: string,
  overhead: number,
): Promise<readonly TextPart[]> {
  const room = roomOfPart(reader.model, overhead);
  const parts = await reader.compute('parts', markdown, room);
  await refuseTooMany(reader, markdown, parts.length);
  return parts;
}

/** Throws `PARSE_LIMIT` for more than 200 requests. */
export async function refuseTooMany(
  { url, model, compute }: TextReader,
  markdown: string,
  parts: number,
): Promise<void> {
  if (parts <= limits.parts) return;
  const tokens = await compute('tokens', markdown);
  throw new PagewrightError(
    'PARSE_LIMIT',
    `${url} has about ${tokens} tokens, which takes ${parts} requests of the model ${model.name}; ` +
      `at most ${limits.parts} are made for a page. Choose a part of it with includeTags, or a model with a larger context.`,
    { url },
  );
}

/** Starts in the order of the parts, a few at a time; the first failure rejects the whole. */
export async function inOrder<Part, Answer>(
  parts: readonly Part[],
  ask: (part: Part, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const waiting = parts.entries();
  let isOver = false;
  const work = async (): Promise<void> => {
    for (const [index, part] of waiting) {
      if (isOver) return;
      try {
        answers[index] = await ask(part, index);
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limits.atOnce, parts.length) }, work));
  return answers;
}
