/** Adapter for OpenAI-compatible endpoints: OpenAI, Ollama, vLLM, llama.cpp and others. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import { callModel } from './call-model.ts';
import { countIn } from './json-value.ts';
import { parseJson, memberOf } from '../../core/runtime/json.ts';
import { cleanMessage, modelFailed, RefusedAttempt } from './model-failure.ts';
import {
  addUsage,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type ModelUsage,
  type ModelVectors,
  noUsage,
  usageOf,
} from './model.ts';
import {
  type ChatAnswer,
  chatBody,
  ChatReader,
  type DialectFeatures,
  OpenAiDialect,
  ServerEvents,
} from './openai-chat.ts';
import {
  checkOpenAiOptions,
  endpointOf,
  OpenAiEndpoint,
  type OpenAiModelOptions,
} from './openai-endpoint.ts';
import { type StructuredRequest, structuredRequest } from './structured-output.ts';

/**
 * A model behind an OpenAI-compatible endpoint. It sends requests through its client, under the client's
 * network policy: a server on this machine or in a private network has to be in `network.allow`.
 * Throws `ValidationError` for wrong options.
 *
 * @example
 * createClient({
 *   model: openAiModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' }),
 *   network: { allow: ['localhost'] },
 * })
 */
export function openAiModel(options: OpenAiModelOptions): Model {
  checkOpenAiOptions(options);
  const { model, structured = 'auto', contextTokens, price, embeddingModel } = options;
  const base = endpointOf(options.baseUrl) ?? '';
  // The server's features are the same for every client.
  const dialect = new OpenAiDialect(structured);
  const facts = { name: `${model} at ${new URL(base).host}`, contextTokens, price };
  const connect: Model['connect'] = (network) => {
    const server = new OpenAiEndpoint(network, base, options);
    return {
      ...facts,
      generate: (request) => callChatModel(server, dialect, request, options),
      ...(embeddingModel === undefined
        ? {}
        : { embed: (texts, signal) => embedTexts(server, texts, signal, embeddingModel) }),
    };
  };
  return {
    ...facts,
    connect,
    generate: () => Promise.reject(notConnected()),
    ...(embeddingModel === undefined ? {} : { embed: () => Promise.reject(notConnected()) }),
  };
}

function notConnected(): PagewrightError {
  return modelFailed(
    'openAiModel needs the network policy of a client: pass it to createClient({ model }).',
  );
}

/** One request, tried with one dialect after the other. */
async function callChatModel(
  server: OpenAiEndpoint,
  dialect: OpenAiDialect,
  request: ModelRequest,
  options: OpenAiModelOptions,
): Promise<ModelAnswer> {
  let usage: ModelUsage = noUsage;
  let hasBegun = false;

  const { schema, signal } = request;
  const { name, clock } = server;
  for (;;) {
    const used = dialect.current;
    const question = schema === undefined ? undefined : structuredRequest(schema, used.mode);
    const asking = { name, signal, clock, hasBegun: () => hasBegun };
    const answer = await callModel(() => attempt(question, used), asking);
    if (answer === 'in another way') continue;
    const lacksTool = answer.toolInput === undefined && !endedEarly(answer) && !hasBegun;
    if (question !== undefined && lacksTool && dialect.lacksTool(used)) continue;
    return read(answer, question);
  }

  /** Returns `in another way` after a refusal of the dialect: the same request is not sent again. */
  async function attempt(
    question: StructuredRequest | undefined,
    used: DialectFeatures,
  ): Promise<ChatAnswer | 'in another way'> {
    const body = chatBody(options.model, request, question, used);
    try {
      const answer = await exchange(body, question);
      count(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof RefusedAttempt) || hasBegun) throw error;
      const { statusCode, message } = error.refused;
      if (dialect.adapt(statusCode, message, used, question !== undefined)) return 'in another way';
      throw error;
    }
  }

  async function exchange(
    body: object,
    question: StructuredRequest | undefined,
  ): Promise<ChatAnswer> {
    const { signal, onText } = request;
    const reader = new ChatReader();
    const listener =
      onText === undefined
        ? undefined
        : (question?.listener(onText) ?? { write: onText, end: () => undefined });
    const hear = (value: unknown): void => {
      const text = reader.add(value);
      if (text === '' || listener === undefined) return;
      hasBegun = true;
      listener.write(text);
    };
    const stream = { isDone: false };
    const events = new ServerEvents((data) => {
      if (data.trim() === '[DONE]') stream.isDone = true;
      if (stream.isDone) return;
      const value = parseJson(data);
      server.refuseError(value);
      hear(value);
    });
    const onChunk = onText === undefined ? undefined : (chunk: Uint8Array) => events.write(chunk);
    const value = await server.post({ path: '/chat/completions', body, signal, onChunk });
    if (value === undefined) events.end();
    else hear(value);
    const answer = reader.read();
    if (value === undefined && !stream.isDone && answer.finishReason === undefined) {
      throw new PagewrightError(
        'TRUNCATED_BODY',
        `The stream of the model ${server.name} ended before the answer did.`,
      );
    }
    listener?.end(answer.finishReason === 'length');
    return answer;
  }

  /** Counts each answer, usable or not: it was paid for. */
  function count({ text, toolInput = '', inputTokens, outputTokens }: ChatAnswer): void {
    const { system, prompt } = request;
    const counted = { input: inputTokens, output: outputTokens };
    const texts = { requested: system + prompt, answered: text + toolInput };
    usage = addUsage(usage, usageOf({ ...counted, ...texts }, options.price));
  }

  function read(answer: ChatAnswer, question: StructuredRequest | undefined): ModelAnswer {
    const { text, toolInput, finishReason, refusal } = answer;
    const given = toolInput ?? text;
    if (finishReason === 'content_filter' || (refusal !== undefined && given === '')) {
      const reason =
        refusal === undefined ? 'its content filter stopped it' : cleanMessage(refusal);
      throw modelFailed(
        `The model ${server.name} did not answer: ${reason}. Request other content, or use another model.`,
      );
    }
    return {
      text: question === undefined ? given : question.read(given),
      usage,
      ...(finishReason === 'length' ? { isCut: true } : {}),
    };
  }
}

function endedEarly({ finishReason, refusal }: ChatAnswer): boolean {
  return finishReason === 'length' || finishReason === 'content_filter' || refusal !== undefined;
}

// `/embeddings`: vectors of texts, in order.

const textsAtOnce = 100; // texts of one request, which every server accepts

/** Embeds all texts in batches. Rejects with `MODEL_FAILED` when vectors are missing or differ in length. */
async function embedTexts(
  server: OpenAiEndpoint,
  texts: readonly string[],
  signal: AbortSignal,
  embeddingModel: string,
): Promise<ModelVectors> {
  const vectors: (readonly number[])[] = [];
  let usage: ModelUsage = noUsage;
  for (let start = 0; start < texts.length; start += textsAtOnce) {
    const input = texts.slice(start, start + textsAtOnce);
    const request = { path: '/embeddings', body: { model: embeddingModel, input }, signal };
    const asking = { name: server.name, signal, clock: server.clock };
    const body = await callModel(() => server.post(request), asking);
    vectors.push(...readVectors(body, input.length, server.name));
    const counted = countIn(memberOf(memberOf(body, 'usage'), 'prompt_tokens'));
    const used = { input: counted, output: 0, requested: input.join('\n'), answered: '' };
    // The known price belongs to the answering model.
    usage = addUsage(usage, usageOf(used, undefined));
  }
  const [first] = vectors;
  if (vectors.some((vector) => vector.length !== first?.length)) {
    throw modelFailed(`The model ${server.name} returned vectors of different lengths.`);
  }
  return { vectors, usage };
}

function readVectors(body: unknown, count: number, name: string): (readonly number[])[] {
  const entries = memberOf(body, 'data');
  const vectors = new Array<readonly number[] | undefined>(count).fill(undefined);
  for (const [position, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const index = countIn(memberOf(entry, 'index')) ?? position;
    const vector = memberOf(entry, 'embedding');
    if (index < count && isVector(vector)) vectors[index] = vector;
  }
  const all = vectors.filter((vector) => vector !== undefined);
  if (all.length === count) return all;
  throw modelFailed(
    `The model ${name} gave ${all.length} vectors for ${count} texts. Check that embeddingModel is a model for embeddings.`,
  );
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => Number.isFinite(one));
}
