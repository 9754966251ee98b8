/** A model with scripted answers: no network, no randomness. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PagewrightError } from '../../core/runtime/errors.ts';
import {
  type Model,
  type ModelPrice,
  type ModelRequest,
  type ModelUsage,
  usageOf,
} from '../../extract/llm/model.ts';
import { preview } from '../../core/checks/option-errors.ts';

/** An answer with further properties. */
export interface ModelTurnOptions {
  /** The answer as text. */
  readonly text?: string;
  /** The answer as a value, written as JSON. */
  readonly json?: unknown;
  /** The answer ended at the token limit. @default false */
  readonly isCut?: boolean;
  /** Milliseconds before the answer. @default 0 */
  readonly delay?: number;
  /** The usage of the answer. @default estimated from the texts */
  readonly usage?: ModelUsage;
}

/** Made by `modelTurn`: every other value in a script is an answer itself. */
export class ModelTurn {
  readonly options: ModelTurnOptions;

  constructor(options: ModelTurnOptions) {
    this.options = options;
  }
}

/** One step of a script: a text, a value that is written as JSON, an error to fail with, or a turn. */
export type ScriptedAnswer = string | number | boolean | null | object;

/** All steps in their order, or a function that answers each request; `index` counts from 0. */
export type ModelScript =
  | readonly ScriptedAnswer[]
  | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Options of a scripted model beside its script. */
export interface ScriptedModelOptions {
  /** @default 'scripted' */
  readonly name?: string;
  readonly contextTokens?: number;
  /** Gives usage a cost. */
  readonly price?: ModelPrice;
  /** The vector of a text; without it the model has no embeddings. */
  readonly embed?: (text: string) => readonly number[];
}

/** A request without properties of one call, such as its signal. */
export type ScriptedRequest = Pick<
  ModelRequest,
  'system' | 'prompt' | 'schema' | 'maxOutputTokens'
>;

/** A model that follows a script. */
export interface ScriptedModel extends Model {
  /** The requests so far, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Steps of a list that were not requested yet. */
  readonly remaining: number;
}

/** An answer with more than its text: truncated, late, with a usage of its own. */
export function modelTurn(options: ModelTurnOptions): ModelTurn {
  return new ModelTurn(options);
}

/**
 * Makes a model that gives these answers in their order. A request after the last one fails with `MODEL_FAILED`
 * and quotes the prompt. A request for streamed text gets it in small pieces.
 *
 * @example
 * const model = scriptedModel([{ title: 'Lamp' }, 'no JSON', new Error('down')]);
 * await using client = createClient({ model });
 */
export function scriptedModel(
  script: ModelScript,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const { name = 'scripted', contextTokens, price, embed } = options;
  const requests: ScriptedRequest[] = [];
  const step = (request: ModelRequest, index: number): ScriptedAnswer | Promise<ScriptedAnswer> => {
    if (typeof script === 'function') return script(request, index);
    const answer = script[index];
    if (answer === undefined) throw exhausted(script.length, request);
    return answer;
  };
  return {
    name,
    contextTokens,
    price,
    requests,
    get remaining() {
      return typeof script === 'function' ? 0 : Math.max(0, script.length - requests.length);
    },
    async generate(request) {
      const { system, prompt, schema, maxOutputTokens, signal, onText } = request;
      signal.throwIfAborted();
      const index = requests.push({ system, prompt, schema, maxOutputTokens }) - 1;
      const answer = await step(request, index);
      if (answer instanceof Error) throw answer;
      const turn = answer instanceof ModelTurn ? answer.options : turnOf(answer);
      const { isCut = false, delay = 0 } = turn;
      if (delay > 0) await sleep(delay, undefined, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      const text = turn.text ?? JSON.stringify(turn.json ?? null);
      if (onText !== undefined) for (const piece of pieces(text)) onText(piece);
      const counted = {
        input: undefined,
        output: undefined,
        requested: system + prompt,
        answered: text,
      };
      const usage = turn.usage ?? usageOf(counted, price);
      return { text, usage, ...(isCut ? { isCut } : {}) };
    },
    ...(embed === undefined
      ? {}
      : {
          embed: (texts) => {
            const counted = {
              input: undefined,
              output: 0,
              requested: texts.join('\n'),
              answered: '',
            };
            return Promise.resolve({ vectors: texts.map(embed), usage: usageOf(counted, price) });
          },
        }),
  };
}

function turnOf(answer: Exclude<ScriptedAnswer, Error | ModelTurn>): ModelTurnOptions {
  return typeof answer === 'string' ? { text: answer } : { json: answer };
}

function pieces(text: string): string[] {
  return text.match(/[^]{1,16}/gu) ?? [];
}

function exhausted(length: number, { prompt }: ModelRequest): PagewrightError {
  const has = length === 1 ? 'one answer' : `${length} answers`;
  return new PagewrightError(
    'MODEL_FAILED',
    `The scripted model has ${has} and was asked once more; the prompt begins with ${preview(prompt)}. Add an answer, or find out who asks.`,
  );
}
