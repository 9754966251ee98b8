/** The interface of language models, which adapters and callers implement; and sums of tokens and costs. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { estimateTokens } from '../../content/text/estimate-tokens.ts';

/** A JSON Schema that an answer has to fit: plain data. */
export type AnswerSchema = Readonly<Record<string, unknown>>;

/** One request to a model. */
export interface ModelRequest {
  /** The instructions: written by this library and its caller, never by a page. */
  readonly system: string;
  /** The material. Text of pages is fenced in it as data, not instructions. */
  readonly prompt: string;
  /** The schema that the answer, as JSON, has to fit; without it, the answer is text. */
  readonly schema?: AnswerSchema | undefined;
  /** Tokens of the answer at most. */
  readonly maxOutputTokens?: number | undefined;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** Gets the text as it arrives, where the model streams; the answer has the whole text again. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** The usage of a request. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Money, in the currency that the caller counts in; where the adapter knows prices. */
  readonly cost?: number | undefined;
}

/** One answer. */
export interface ModelAnswer {
  /** The model's text; with a schema it is JSON, which the caller checks. */
  readonly text: string;
  readonly usage: ModelUsage;
  /** True when the answer ended at the limit of tokens and is incomplete. @default false */
  readonly isCut?: boolean | undefined;
}

/** Prices, in the currency that the caller counts in. */
export interface ModelPrice {
  /** The price of a million input tokens. */
  readonly input: number;
  /** The price of a million output tokens. */
  readonly output: number;
}

/** One POST to the server of a model. */
export interface ModelPost {
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Bytes of the answer's body at most; a larger one rejects with `BODY_TOO_LARGE`. */
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
  /** Returns a function that takes the body of a 2xx response as it arrives; else the reply has the body. */
  readonly takeBody?:
    ((head: Omit<ModelReply, 'body'>) => ((chunk: Uint8Array) => void) | undefined) | undefined;
}

/** The response. */
export interface ModelReply {
  readonly statusCode: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for a redirect; the first 64 KB for other responses that are not 2xx. */
  readonly body: Uint8Array;
}

/** The client's services for its model: requests under its network policy, and its clock. */
export interface ModelNetwork {
  /**
   * Sends one POST. Redirects are not followed, certificates have to verify. Rejects with
   * `BLOCKED_ADDRESS`, with errors of the connection, and with the signal's reason.
   */
  send(request: ModelPost): Promise<ModelReply>;
  readonly clock: Clock;
}

/**
 * A language model. Adapters: `aiSdkModel`, `openAiModel`; your own object of this shape, or a function
 * with the signature of `generate`, works too.
 */
export interface Model {
  /** The name in warnings and usage. */
  readonly name: string;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** The price, if known: a budget can refuse a request before it is sent. */
  readonly price?: ModelPrice | undefined;
  /**
   * Answers one request. Throws `PagewrightError` with `MODEL_FAILED` when it cannot; temporary
   * failures (a rate limit, a broken connection) have been retried before.
   */
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** Embeddings of texts, in their order: similar texts have similar vectors. */
  embed?(texts: readonly string[], signal: AbortSignal): Promise<ModelVectors>;
  /** The same model with the network and clock of one client. Called once by `createClient`. */
  connect?(network: ModelNetwork): Model;
}

/** Vectors of texts. */
export interface ModelVectors {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: ModelUsage;
}

// The model of a client, for an option that needs one.

/** Throws `MODEL_REQUIRED` without a model; `instead` names an alternative without a model. */
export function requireModel(model: Model | undefined, what: string, instead: string): Model {
  if (model !== undefined) return model;
  throw new PagewrightError(
    'MODEL_REQUIRED',
    `${what} needs a model, and this client has none: createClient({ model }). ${instead}`,
  );
}

// Usage of requests: counted by the provider, or estimated.

/** The provider's counts, if any, and the texts to estimate from. */
export interface CountedUsage {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly requested: string;
  readonly answered: string;
}

/** Tokens, and money where the price is known. */
export function usageOf(
  { input, output, requested, answered }: CountedUsage,
  price: ModelPrice | undefined,
): ModelUsage {
  const inputTokens = Math.round(input ?? estimateTokens(requested));
  const outputTokens = Math.round(output ?? estimateTokens(answered));
  const tokens = { inputTokens, outputTokens };
  return price === undefined ? tokens : { ...tokens, cost: costOf(tokens, price) };
}

/** The price of these tokens. */
export function costOf(
  { inputTokens, outputTokens }: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>,
  { input, output }: ModelPrice,
): number {
  return (inputTokens * input + outputTokens * output) / 1_000_000;
}

/** The sum of both; with a cost where either has one. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const inputTokens = one.inputTokens + other.inputTokens;
  const outputTokens = one.outputTokens + other.outputTokens;
  if (one.cost === undefined && other.cost === undefined) return { inputTokens, outputTokens };
  return { inputTokens, outputTokens, cost: (one.cost ?? 0) + (other.cost ?? 0) };
}

/** A usage of zero. */
export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/** The sum of several requests; `cost` where the model's adapter knows prices. */
export interface ModelTotals extends ModelUsage {
  /** Requests that were answered. */
  readonly requests: number;
}

/** The sum of two totals. */
export function addTotals(one: ModelTotals | undefined, other: ModelTotals): ModelTotals {
  if (one === undefined) return other;
  return { requests: one.requests + other.requests, ...addUsage(one, other) };
}

/** The totals with one more request. */
export function addRequest(totals: ModelTotals | undefined, usage: ModelUsage): ModelTotals {
  const { requests, ...used } = totals ?? { requests: 0, ...noUsage };
  return { requests: requests + 1, ...addUsage(used, usage) };
}
