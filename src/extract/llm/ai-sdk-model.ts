/** Adapter for the language models of the AI SDK, `ai` 6 and 7. */
import { ValidationError } from '../../core/runtime/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { preview } from '../../core/checks/option-errors.ts';
import { contextTokensCheck, priceCheck, readOptions, structuredCheck } from './adapter-options.ts';
import { callModel, systemClock } from './call-model.ts';
import { countIn } from './json-value.ts';
import { memberOf, isRecord } from '../../core/runtime/json.ts';
import { modelFailed } from './model-failure.ts';
import {
  addUsage,
  type AnswerSchema,
  type Model,
  type ModelAnswer,
  type ModelPrice,
  type ModelRequest,
  type ModelUsage,
  noUsage,
  usageOf,
} from './model.ts';
import {
  answerName,
  type StructuredMode,
  StructuredModes,
  type StructuredRequest,
  structuredRequest,
} from './structured-output.ts';

/** Options of a model of the AI SDK. */
export interface AiSdkModelOptions {
  /**
   * The way to request JSON. `auto` begins with the schema as response format; where the provider
   * warns that it does not support it, or refuses, `auto` uses a tool, then JSON alone.
   * @default 'auto'
   */
  readonly structured?: StructuredMode | 'auto' | undefined;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** The price of a million tokens; without it `usage` has no cost. */
  readonly price?: ModelPrice | undefined;
}

/**
 * Adapts a model object of the AI SDK. The provider opens its own connections: the client's network
 * policy does not apply to them. Throws `ValidationError` for a value that is not a model object,
 * such as a model id.
 *
 * @example createClient({ model: aiSdkModel(openai('gpt-5'), { price: { input: 1.25, output: 10 } }) })
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  refuseOthers(model);
  readOptions('aiSdkModel', options, {
    structured: structuredCheck,
    contextTokens: contextTokensCheck,
    price: priceCheck,
  });
  const { structured = 'auto', contextTokens, price } = options;
  // Some providers declare that they support no schema, which saves a request.
  const takesNone = memberOf(model, 'supportsStructuredOutputs') === false;
  const modes = new StructuredModes(structured, takesNone ? 'tool' : 'json_schema');
  const adapter = (clock: Clock): Model => ({
    name: `${model.modelId} (${model.provider})`,
    contextTokens,
    price,
    generate: (request) => callSdkModel(model, modes, request, price, clock),
    connect: (network) => adapter(network.clock),
  });
  return adapter(systemClock);
}

function refuseOthers(model: unknown): void {
  if (isAiSdkModel(model)) {
    const { specificationVersion } = model;
    if (knownVersions.includes(specificationVersion)) return;
    const message = `the model is of version ${preview(specificationVersion)} of the AI SDK's interface; known: ${knownVersions.join(', ')} (ai 6 and 7)`;
    throw new ValidationError('aiSdkModel', [{ path: [], message }]);
  }
  const message =
    typeof model === 'string'
      ? `expected a model object, got the id ${preview(model)}. A provider package makes the object: openai('gpt-5') of @ai-sdk/openai, gateway('openai/gpt-5') of ai`
      : `expected a model object of the AI SDK, with doGenerate() and specificationVersion, got ${preview(model)}`;
  throw new ValidationError('aiSdkModel', [{ path: [], message }]);
}

/** One request, tried in one mode after the other. */
async function callSdkModel(
  model: AiSdkLanguageModel,
  modes: StructuredModes,
  request: ModelRequest,
  price: ModelPrice | undefined,
  clock: Clock,
): Promise<ModelAnswer> {
  let usage: ModelUsage = noUsage;
  let hasBegun = false as boolean;
  const { schema, signal } = request;
  const { modelId: name } = model;
  for (;;) {
    const { mode } = modes;
    const question = schema === undefined ? undefined : structuredRequest(schema, mode);
    const asking = { name, signal, clock, hasBegun: () => hasBegun };
    let answer: AiSdkAnswer;
    try {
      answer = await callModel(() => attempt(question, mode), asking);
    } catch (error) {
      const isAboutMode = question !== undefined && refusesMode(error, mode);
      if (isAboutMode && !hasBegun && modes.stepDown(mode)) continue;
      throw error;
    }
    const lacks = question !== undefined && lacksMode(answer, mode);
    if (lacks && !hasBegun && modes.stepDown(mode)) continue;
    return read(answer, question);
  }

  async function attempt(
    question: StructuredRequest | undefined,
    mode: StructuredMode,
  ): Promise<AiSdkAnswer> {
    const call = callFor(request, question, mode);
    const { onText } = request;
    // Called as methods: models are objects of classes.
    const callable = model as unknown as CallableModel;
    const answer =
      onText === undefined
        ? readGenerated(await callable.doGenerate(call))
        : await stream(await callable.doStream(call), onText, question, mode);
    count(answer);
    return answer;
  }

  async function stream(
    result: unknown,
    onText: (text: string) => void,
    question: StructuredRequest | undefined,
    mode: StructuredMode,
  ): Promise<AiSdkAnswer> {
    const listener = question?.listener(onText) ?? { write: onText, end: () => undefined };
    const mayGoOn = (unsupported: readonly string[]): boolean =>
      question === undefined ||
      modes.below(mode) === undefined ||
      !unsupported.includes(featureOf[mode] ?? '');
    const { signal } = request;
    const answer = await readStreamed(
      result,
      (text) => {
        if (signal.aborted) throw signal.reason;
        hasBegun = true;
        listener.write(text);
      },
      mayGoOn,
    );
    const { finishReason = 'interrupted', unsupported } = answer;
    if (finishReason === 'interrupted' && mayGoOn(unsupported)) {
      throw Object.assign(new Error('the stream broke off'), { isRetryable: true });
    }
    if (hasBegun) listener.end(finishReason === 'length');
    return answer;
  }

  /** Counts an answer that was not usable, because it was paid for. */
  function count({
    text,
    toolInput = '',
    inputTokens,
    outputTokens,
    finishReason,
  }: AiSdkAnswer): void {
    if (finishReason === undefined && text === '' && toolInput === '') return;
    const { system, prompt } = request;
    const counted = { input: inputTokens, output: outputTokens };
    const texts = { requested: system + prompt, answered: text + toolInput };
    usage = addUsage(usage, usageOf({ ...counted, ...texts }, price));
  }

  function read(answer: AiSdkAnswer, question: StructuredRequest | undefined): ModelAnswer {
    const { text, toolInput, finishReason } = answer;
    if (finishReason === 'content-filter') {
      throw modelFailed(
        `The model ${model.modelId} did not answer: its provider's content filter stopped it. Request other content, or use another model.`,
      );
    }
    const given = toolInput ?? text;
    return {
      text: question === undefined ? given : question.read(given),
      usage,
      ...(finishReason === 'length' ? { isCut: true } : {}),
    };
  }
}

/** The feature that a provider names when it does not support a mode. */
const featureOf: Partial<Record<StructuredMode, string>> = {
  json_schema: 'responseFormat',
  tool: 'tools',
  json_object: 'responseFormat',
};

function lacksMode(
  { unsupported, toolInput, finishReason }: AiSdkAnswer,
  mode: StructuredMode,
): boolean {
  if (
    unsupported.includes(featureOf[mode] ?? '') ||
    (mode === 'tool' && unsupported.includes('toolChoice'))
  )
    return true;
  return (
    mode === 'tool' &&
    toolInput === undefined &&
    finishReason !== 'length' &&
    finishReason !== 'content-filter'
  );
}

/** True for a refusal of the mode, not of the question itself. */
function refusesMode(error: unknown, mode: StructuredMode): boolean {
  const message = error instanceof Error ? error.message : '';
  const words =
    mode === 'tool'
      ? /\btools?\b|tool_choice|function/i
      : /response_?format|json_?schema|structured|schema|grammar|json_object/i;
  return (
    / answered (?:400|404|422|501)\b| not supported|unsupported/i.test(message) &&
    words.test(message)
  );
}

function callFor(
  { system, prompt, maxOutputTokens, signal }: ModelRequest,
  question: StructuredRequest | undefined,
  mode: StructuredMode,
): AiSdkCall {
  const instructions = [system, question?.instruction ?? ''].filter((text) => text !== '');
  const call: AiSdkCall = {
    prompt: [
      ...(instructions.length === 0
        ? []
        : [{ role: 'system', content: instructions.join('\n\n') }]),
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    // Makes answers as deterministic as the model allows.
    temperature: 0,
    abortSignal: signal,
  };
  if (question === undefined || mode === 'none') return call;
  if (mode === 'json_object') return { ...call, responseFormat: { type: 'json' } };
  const { schema } = question;
  if (mode === 'json_schema') {
    return { ...call, responseFormat: { type: 'json', schema, name: answerName } };
  }
  const description = 'Takes the answer. Call it once.';
  return {
    ...call,
    tools: [{ type: 'function', name: answerName, description, inputSchema: schema }],
    toolChoice: { type: 'tool', toolName: answerName },
  };
}

// The answer of an AI SDK model, whole or streamed, in the shapes of its versions.

/** An answer in a form that is independent of the version. */
interface AiSdkAnswer {
  readonly text: string;
  /** The argument of the requested tool; undefined when it was not called. */
  readonly toolInput: string | undefined;
  /** The SDK's finish reason: `stop`, `length`, `content-filter`, … */
  readonly finishReason: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** The unsupported parts of the call: `responseFormat`, `tools`, … */
  readonly unsupported: readonly string[];
}

const longestAnswer = 16_000_000; // characters of an answer: real answers end long before

/** Reads the result of `doGenerate`. */
function readGenerated(result: unknown): AiSdkAnswer {
  const content = memberOf(result, 'content');
  if (!Array.isArray(content))
    throw modelFailed(
      'The AI SDK model returned no content: it may be newer than this library supports.',
    );
  const answer = new AiSdkResult();
  for (const part of content) answer.add(part);
  answer.finish(result);
  answer.warn(memberOf(result, 'warnings'));
  return answer.read();
}

/** Reads the result of `doStream`; `onText` gets the answer as it arrives, `mayGoOn` may stop at warnings. */
async function readStreamed(
  result: unknown,
  onText: (text: string) => void,
  mayGoOn: (unsupported: readonly string[]) => boolean,
): Promise<AiSdkAnswer> {
  const stream = memberOf(result, 'stream');
  if (!isStream(stream))
    throw modelFailed(
      'The AI SDK model returned no stream: it may be newer than this library supports.',
    );
  const answer = new AiSdkResult();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (memberOf(part, 'type') === 'stream-start') {
        answer.warn(memberOf(part, 'warnings'));
        if (!mayGoOn(answer.read().unsupported)) break;
      }
      const more = answer.add(part);
      if (more !== '') onText(more);
    }
  } finally {
    // Cancelling a stream that has ended has no effect.
    void reader.cancel().catch(() => undefined);
  }
  return answer.read();
}

/** Also true for a stream of another realm, or a polyfill. */
function isStream(value: unknown): value is ReadableStream<unknown> {
  return typeof (value as Partial<ReadableStream> | undefined)?.getReader === 'function';
}

class AiSdkResult {
  readonly #texts: string[] = [];
  readonly #inputs: string[] = [];
  #whole: string | undefined;
  #length = 0;
  #finish: Pick<AiSdkAnswer, 'finishReason' | 'inputTokens' | 'outputTokens'> = {
    finishReason: undefined,
    inputTokens: undefined,
    outputTokens: undefined,
  };
  #unsupported: readonly string[] = [];

  /** Takes one part of an answer or of a stream; returns the text that it adds. */
  add(part: unknown): string {
    const type = memberOf(part, 'type');
    if (type === 'error') throw memberOf(part, 'error');
    if (type === 'finish') this.finish(part);
    if (type === 'tool-call') this.#whole ??= textOfPrompt(memberOf(part, 'input'));
    if (type === 'text') return this.#take(this.#texts, memberOf(part, 'text'));
    if (type === 'text-delta') return this.#take(this.#texts, memberOf(part, 'delta'));
    if (type === 'tool-input-delta') return this.#take(this.#inputs, memberOf(part, 'delta'));
    return '';
  }

  finish(part: unknown): void {
    const reason = memberOf(part, 'finishReason');
    const usage = memberOf(part, 'usage');
    const unified = typeof reason === 'string' ? reason : memberOf(reason, 'unified');
    this.#finish = {
      finishReason: typeof unified === 'string' ? unified : undefined,
      inputTokens: totalTokens(memberOf(usage, 'inputTokens')),
      outputTokens: totalTokens(memberOf(usage, 'outputTokens')),
    };
  }

  warn(warnings: unknown): void {
    if (!Array.isArray(warnings)) return;
    this.#unsupported = warnings.flatMap((warning: unknown) => {
      const type = memberOf(warning, 'type');
      if (type === 'unsupported-tool') return ['tools'];
      if (type !== 'unsupported' && type !== 'unsupported-setting') return [];
      const feature = memberOf(warning, 'feature') ?? memberOf(warning, 'setting');
      return typeof feature === 'string' ? [feature] : [];
    });
  }

  read(): AiSdkAnswer {
    const streamed = this.#inputs.length > 0 ? this.#inputs.join('') : undefined;
    return {
      text: this.#texts.join(''),
      toolInput: this.#whole ?? streamed,
      ...this.#finish,
      unsupported: this.#unsupported,
    };
  }

  #take(list: string[], text: unknown): string {
    if (typeof text !== 'string') return '';
    this.#length += text.length;
    if (this.#length > longestAnswer)
      throw modelFailed(
        `The answer is longer than ${longestAnswer} characters: the model does not stop.`,
      );
    list.push(text);
    return text;
  }
}

/** The input is JSON text in newer versions, and a value in some providers. */
function textOfPrompt(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  return isRecord(input) ? JSON.stringify(input) : undefined;
}

/** The count is a number in the second version, an object with a total in later ones. */
function totalTokens(tokens: unknown): number | undefined {
  return countIn(tokens) ?? countIn(memberOf(tokens, 'total'));
}

// The parts of an AI SDK language model that are used here and common to its versions.

/**
 * Any model object of the AI SDK (`LanguageModelV2`, `V3`, `V4`): `openai('gpt-5')`,
 * `createOpenAICompatible(…)('llama')`. Its methods are called as its version requires.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** The supported versions of the interface: `ai` 5, 6 and 7. */
const knownVersions: readonly string[] = ['v2', 'v3', 'v4'];

/** The options of a call, the same in every version. */
interface AiSdkCall {
  readonly prompt: readonly object[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly responseFormat?:
    { readonly type: 'json'; readonly schema?: AnswerSchema; readonly name?: string } | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly toolChoice?: { readonly type: 'tool'; readonly toolName: string } | undefined;
  readonly abortSignal: AbortSignal;
}

/** The methods with the argument types used here. */
interface CallableModel {
  doGenerate(call: AiSdkCall): PromiseLike<unknown>;
  doStream(call: AiSdkCall): PromiseLike<unknown>;
}

/** True for a model object of the AI SDK, whatever its version. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, doGenerate } = value as Partial<AiSdkLanguageModel>;
  return typeof specificationVersion === 'string' && typeof doGenerate === 'function';
}
