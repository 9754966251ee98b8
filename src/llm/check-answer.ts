/** What a model of the caller's own gives: looked at before anybody counts on it. */
import type { PagewrightError } from '../errors.ts';
import { preview } from '../text/preview.ts';
import { countIn, own } from './json-value.ts';
import type { ModelAnswer, ModelUsage, ModelVectors } from './model.ts';
import { modelFailed } from './model-failure.ts';

/** The answer, or `MODEL_FAILED` that says what is wrong with it. */
export function checkedAnswer(answer: unknown, name: string): ModelAnswer {
  const { text, isCut } = (answer ?? {}) as Partial<ModelAnswer>;
  if (typeof text !== 'string') throw wrong(name, 'text', 'a text', text);
  const usage = checkedUsage(answer, name);
  return { text, usage, ...(isCut === true ? { isCut } : {}) };
}

/** Vectors of `count` texts, or `MODEL_FAILED`. */
export function checkedVectors(given: unknown, count: number, name: string): ModelVectors {
  const { vectors } = (given ?? {}) as Partial<ModelVectors>;
  const isList = Array.isArray(vectors) && vectors.every((one) => Array.isArray(one));
  if (!isList || vectors.length !== count) {
    throw wrong(name, 'vectors', `a list of ${count} lists of numbers`, vectors);
  }
  return { vectors, usage: checkedUsage(given, name) };
}

function checkedUsage(answer: unknown, name: string): ModelUsage {
  const usage = own(answer, 'usage');
  const inputTokens = countIn(own(usage, 'inputTokens'));
  const outputTokens = countIn(own(usage, 'outputTokens'));
  if (inputTokens === undefined || outputTokens === undefined) {
    throw wrong(name, 'usage', '{ inputTokens, outputTokens }', usage);
  }
  const cost = countIn(own(usage, 'cost'));
  return { inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
}

function wrong(name: string, key: string, expected: string, got: unknown): PagewrightError {
  return modelFailed(
    `The model ${name} gave no usable ${key}: expected ${expected}, got ${preview(got)}.`,
  );
}
