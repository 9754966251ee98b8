/** Adapter for the language models of the AI SDK, `ai` 6 and 7. */
import { ValidationError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { preview } from '../text/preview.ts';
import { type AiSdkAnswer, readGenerated, readStreamed } from './ai-sdk-answer.ts';
import {
  type AiSdkCall,
  type AiSdkLanguageModel,
  type CallableModel,
  isAiSdkModel,
  knownVersions,
} from './ai-sdk-language-model.ts';
import { askModel } from './ask-model.ts';
import { own } from './json-value.ts';
import type { Model, ModelAnswer, ModelPrice, ModelRequest, ModelUsage } from './model.ts';
import { modelFailed } from './model-failure.ts';
import { contextTokensCheck, priceCheck, readOptions, structuredCheck } from './read-options.ts';
import { answerName, type SchemaQuestion, schemaQuestion } from './schema-question.ts';
import { type StructuredMode, StructuredModes } from './structured-mode.ts';
import { systemClock } from './system-clock.ts';
import { addUsage, noUsage, usageOf } from './usage.ts';

/** What may be said about a model of the AI SDK. */
export interface AiSdkModelOptions {
  /**
   * How it is made to answer in JSON. `auto` begins with the schema as response format; where the
   * provider warns that it does not take it, or refuses, by a tool, then by JSON alone.
   * @default 'auto'
   */
  readonly structured?: StructuredMode | 'auto' | undefined;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** What a million tokens cost; without it `usage` has no cost. */
  readonly price?: ModelPrice | undefined;
}

/**
 * A model object of the AI SDK as a model. It opens its own connections, as its provider does: the
 * client's network policy is about pages, not about it. Throws `ValidationError` for what is no model
 * object, the id of a model included.
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
  // Some providers say beforehand that they take no schema: a request is saved.
  const takesNone = own(model, 'supportsStructuredOutputs') === false;
  const modes = new StructuredModes(structured, takesNone ? 'tool' : 'json_schema');
  const adapter = (clock: Clock): Model => ({
    name: `${model.modelId} (${model.provider})`,
    contextTokens,
    price,
    generate: (request) => new AiSdkQuestion(model, modes, request, price).ask(clock),
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

/** One request, in as many ways as it takes. */
class AiSdkQuestion {
  readonly #model: AiSdkLanguageModel;
  readonly #modes: StructuredModes;
  readonly #request: ModelRequest;
  readonly #price: ModelPrice | undefined;
  #usage: ModelUsage = noUsage;
  #hasBegun = false;

  constructor(
    model: AiSdkLanguageModel,
    modes: StructuredModes,
    request: ModelRequest,
    price: ModelPrice | undefined,
  ) {
    this.#model = model;
    this.#modes = modes;
    this.#request = request;
    this.#price = price;
  }

  async ask(clock: Clock): Promise<ModelAnswer> {
    const { schema, signal } = this.#request;
    const { modelId: name } = this.#model;
    for (;;) {
      const { mode } = this.#modes;
      const question = schema === undefined ? undefined : schemaQuestion(schema, mode);
      const asking = { name, signal, clock, hasBegun: () => this.#hasBegun };
      let answer: AiSdkAnswer;
      try {
        answer = await askModel(() => this.#attempt(question, mode), asking);
      } catch (error) {
        const isAboutMode = question !== undefined && refusesMode(error, mode);
        if (isAboutMode && !this.#hasBegun && this.#modes.stepDown(mode)) continue;
        throw error;
      }
      const lacks = question !== undefined && lacksMode(answer, mode);
      if (lacks && !this.#hasBegun && this.#modes.stepDown(mode)) continue;
      return this.#read(answer, question);
    }
  }

  async #attempt(question: SchemaQuestion | undefined, mode: StructuredMode): Promise<AiSdkAnswer> {
    const call = callFor(this.#request, question, mode);
    const { onText } = this.#request;
    // Called as methods: models are objects of classes.
    const model = this.#model as unknown as CallableModel;
    const answer =
      onText === undefined
        ? readGenerated(await model.doGenerate(call))
        : await this.#stream(await model.doStream(call), onText, question, mode);
    this.#count(answer);
    return answer;
  }

  async #stream(
    result: unknown,
    onText: (text: string) => void,
    question: SchemaQuestion | undefined,
    mode: StructuredMode,
  ): Promise<AiSdkAnswer> {
    const listener = question?.listener(onText) ?? { write: onText, end: () => undefined };
    const mayGoOn = (unsupported: readonly string[]): boolean =>
      question === undefined ||
      this.#modes.below(mode) === undefined ||
      !unsupported.includes(featureOf[mode] ?? '');
    const { signal } = this.#request;
    const answer = await readStreamed(
      result,
      (text) => {
        if (signal.aborted) throw signal.reason;
        this.#hasBegun = true;
        listener.write(text);
      },
      mayGoOn,
    );
    const { finishReason = 'interrupted', unsupported } = answer;
    if (finishReason === 'interrupted' && mayGoOn(unsupported)) {
      throw Object.assign(new Error('the stream broke off'), { isRetryable: true });
    }
    if (this.#hasBegun) listener.end(finishReason === 'length');
    return answer;
  }

  /** An answer that was not usable was paid for all the same. */
  #count({ text, toolInput = '', inputTokens, outputTokens, finishReason }: AiSdkAnswer): void {
    if (finishReason === undefined && text === '' && toolInput === '') return;
    const { system, prompt } = this.#request;
    const counted = { input: inputTokens, output: outputTokens };
    const texts = { asked: system + prompt, answered: text + toolInput };
    this.#usage = addUsage(this.#usage, usageOf({ ...counted, ...texts }, this.#price));
  }

  #read(answer: AiSdkAnswer, question: SchemaQuestion | undefined): ModelAnswer {
    const { text, toolInput, finishReason } = answer;
    if (finishReason === 'content-filter') {
      throw modelFailed(
        `The model ${this.#model.modelId} did not answer: its provider's content filter stopped it. Ask for other content, or another model.`,
      );
    }
    const given = toolInput ?? text;
    return {
      text: question === undefined ? given : question.read(given),
      usage: this.#usage,
      ...(finishReason === 'length' ? { isCut: true } : {}),
    };
  }
}

/** What a provider names that does not take a mode. */
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

/** True for a refusal that is about the way of asking, not about what is asked. */
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
  question: SchemaQuestion | undefined,
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
    // The likeliest words: the same question gets the same answer, as far as the model can.
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
