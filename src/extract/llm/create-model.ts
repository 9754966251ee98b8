/** Creates the model of a client from the option `model`, and checks the answers of a custom model. */
import { type PagewrightError, ValidationError } from '../../core/runtime/errors.ts';
import { preview } from '../../core/checks/option-errors.ts';
import { type AiSdkLanguageModel, aiSdkModel, isAiSdkModel } from './ai-sdk-model.ts';
import { callModel, systemClock } from './call-model.ts';
import { countIn } from './json-value.ts';
import { memberOf } from '../../core/runtime/json.ts';
import { modelFailed, thrownFailure } from './model-failure.ts';
import {
  type Model,
  type ModelAnswer,
  type ModelNetwork,
  type ModelRequest,
  type ModelUsage,
  type ModelVectors,
  usageOf,
} from './model.ts';

/**
 * A function as a model: takes a request and returns an answer, or its text alone, whose tokens are then
 * estimated. A request is retried after an error with the `status` of a busy server (429, 5xx), or of a
 * broken connection.
 */
export type ModelFunction = (
  request: ModelRequest,
) => ModelAnswer | string | Promise<ModelAnswer | string>;

/** A model: an adapter or an object of the same shape, one function, or a model object of the AI SDK. */
export type ModelChoice = Model | ModelFunction | AiSdkLanguageModel;

/** Throws `ValidationError` for a value that is not a model; sends no request. */
export function readModel(choice: ModelChoice): Model {
  if (isAiSdkModel(choice)) return aiSdkModel(choice);
  if (typeof choice === 'function') return functionModel(choice, undefined);
  const issue = problemWith(choice);
  if (issue !== undefined) {
    throw new ValidationError('createClient', [{ path: ['model'], message: `model: ${issue}` }]);
  }
  return choice;
}

/** The model with the network and clock of a client; its answers are checked. */
export function createModel(choice: ModelChoice, network: ModelNetwork): Model {
  if (typeof choice === 'function') return functionModel(choice, network);
  const given = readModel(choice);
  return checkedModel(given.connect?.(network) ?? given, network);
}

function problemWith(choice: unknown): string | undefined {
  if (typeof choice === 'string') {
    return `expected a model, got the name ${preview(choice)}. Pass openAiModel({ baseUrl, model }), a model object of the AI SDK, or a function`;
  }
  const { name, generate, embed, connect, contextTokens } = (choice ?? {}) as Partial<Model>;
  if (typeof choice !== 'object' || choice === null || typeof generate !== 'function') {
    return `expected a model with name and generate(), a model object of the AI SDK, or a function, got ${preview(choice)}`;
  }
  if (typeof name !== 'string' || name === '') return 'expected a model with a name';
  for (const [key, method] of Object.entries({ embed, connect })) {
    if (method !== undefined && typeof method !== 'function') return `${key}: expected a function`;
  }
  const isCount =
    contextTokens === undefined || (Number.isInteger(contextTokens) && contextTokens >= 1);
  return isCount ? undefined : 'contextTokens: expected a whole number';
}

function functionModel(run: ModelFunction, network: ModelNetwork | undefined): Model {
  const name = run.name === '' ? 'model function' : run.name;
  return {
    name,
    generate: async (request) => {
      const { clock } = network ?? { clock: systemClock };
      let hasBegun = false;
      const { onText } = request;
      const heard: ModelRequest =
        onText === undefined
          ? request
          : {
              ...request,
              onText: (text) => {
                hasBegun = true;
                onText(text);
              },
            };
      const call = { name, signal: request.signal, clock, hasBegun: () => hasBegun };
      const answer: unknown = await callModel(async () => run(heard), call);
      if (typeof answer !== 'string') return checkedAnswer(answer, name);
      const texts = { requested: request.system + request.prompt, answered: answer };
      const usage = usageOf({ input: undefined, output: undefined, ...texts }, undefined);
      return { text: answer, usage };
    },
  };
}

/** Wraps a model that may be custom: checks its answers, and turns its errors into `MODEL_FAILED`. */
function checkedModel(model: Model, { clock }: ModelNetwork): Model {
  const { name, contextTokens, price } = model;
  const failure = (error: unknown, signal: AbortSignal): unknown =>
    signal.aborted ? signal.reason : thrownFailure(name, error, clock.now()).error;
  return {
    name,
    contextTokens,
    price,
    generate: async (request) => {
      try {
        return checkedAnswer(await model.generate(request), name);
      } catch (error) {
        throw failure(error, request.signal);
      }
    },
    ...(model.embed === undefined
      ? {}
      : {
          embed: async (texts, signal) => {
            try {
              return checkedVectors(await model.embed?.(texts, signal), texts.length, name);
            } catch (error) {
              throw failure(error, signal);
            }
          },
        }),
  };
}

// Checks the result of a custom model.

/** The answer; throws `MODEL_FAILED` that explains what is wrong with it. */
function checkedAnswer(answer: unknown, name: string): ModelAnswer {
  const { text, isCut } = (answer ?? {}) as Partial<ModelAnswer>;
  if (typeof text !== 'string') throw wrongAnswer(name, 'text', 'a text', text);
  const usage = checkedUsage(answer, name);
  return { text, usage, ...(isCut === true ? { isCut } : {}) };
}

/** Vectors of `count` texts, or `MODEL_FAILED`. */
function checkedVectors(given: unknown, count: number, name: string): ModelVectors {
  const { vectors } = (given ?? {}) as Partial<ModelVectors>;
  const isList = Array.isArray(vectors) && vectors.every((one) => Array.isArray(one));
  if (!isList || vectors.length !== count) {
    throw wrongAnswer(name, 'vectors', `a list of ${count} lists of numbers`, vectors);
  }
  return { vectors, usage: checkedUsage(given, name) };
}

function checkedUsage(answer: unknown, name: string): ModelUsage {
  const usage = memberOf(answer, 'usage');
  const inputTokens = countIn(memberOf(usage, 'inputTokens'));
  const outputTokens = countIn(memberOf(usage, 'outputTokens'));
  if (inputTokens === undefined || outputTokens === undefined) {
    throw wrongAnswer(name, 'usage', '{ inputTokens, outputTokens }', usage);
  }
  const cost = countIn(memberOf(usage, 'cost'));
  return { inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
}

function wrongAnswer(name: string, key: string, expected: string, got: unknown): PagewrightError {
  return modelFailed(
    `The model ${name} returned no usable ${key}: expected ${expected}, got ${preview(got)}.`,
  );
}
