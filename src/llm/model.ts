/** The language model that a client may have: its requests, its answers, and its usage in tokens and costs. */
import { PagewrightError } from '../errors.ts';
import type { Clock } from '../model/clock.ts';
import { estimateTokens } from '../text/estimate-tokens.ts';

/** A JSON Schema that an answer has to fit: plain data. */
export type AnswerSchema = Readonly<Record<string, unknown>>;

/** One question. */
export interface ModelRequest {
  /** The instructions: written by this library and its caller, never by a page. */
  readonly system: string;
  /** The material. Text of pages is fenced in it as data, not instructions. */
  readonly prompt: string;
  /** The answer is JSON that fits it; without it, text. */
  readonly schema?: AnswerSchema | undefined;
  /** Tokens of the answer at most. */
  readonly maxOutputTokens?: number | undefined;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** Told of the answer as it comes, where the model streams; the answer has all of it again. */
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
  /** The model's text: for a schema JSON, which the caller checks. */
  readonly text: string;
  readonly usage: ModelUsage;
  /** The answer ended at the limit of tokens: it is not whole. @default false */
  readonly isCut?: boolean | undefined;
}

/** Prices, in the currency that the caller counts in. */
export interface ModelPrice {
  /** Of a million tokens of requests. */
  readonly input: number;
  /** Of a million tokens of answers. */
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
  /** Takes the body of a 2xx answer as it comes, where it gives a function; else the reply has it. */
  readonly takeBody?:
    ((head: Omit<ModelReply, 'body'>) => ((chunk: Uint8Array) => void) | undefined) | undefined;
}

/** The response. */
export interface ModelReply {
  readonly statusCode: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for a redirect; of an answer that is not 2xx the first 64 KB. */
  readonly body: Uint8Array;
}

/** The client's services for its model: requests under its network policy, and its clock. */
export interface ModelNetwork {
  /**
   * Sends one POST. Redirects are not followed, certificates have to verify. Rejects with
   * `BLOCKED_ADDRESS`, with what a connection fails with, and with the signal's reason.
   */
  send(request: ModelPost): Promise<ModelReply>;
  readonly clock: Clock;
}

/**
 * A language model. Adapters: `aiSdkModel`, `openAiModel`; an object of your own, or one function with
 * the signature of `generate`, is as good.
 */
export interface Model {
  /** The name in warnings and usage. */
  readonly name: string;
  /** Tokens that a request and its answer may have together. @default 100000 */
  readonly contextTokens?: number | undefined;
  /** The price, if known: a budget can refuse a request before it is sent. */
  readonly price?: ModelPrice | undefined;
  /**
   * Answers one request. Throws `PagewrightError` with `MODEL_FAILED` when it cannot; what passes by
   * itself (a rate limit, a broken connection) has been tried again before.
   */
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** Vectors of texts, in their order: texts that mean alike lie near each other. */
  embed?(texts: readonly string[], signal: AbortSignal): Promise<ModelVectors>;
  /** The same model for one client, whose network and clock it works with. Called once by `createClient`. */
  connect?(network: ModelNetwork): Model;
}

/** Vectors of texts. */
export interface ModelVectors {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: ModelUsage;
}

// The model of a client for an option that cannot do without.

/** Throws `MODEL_REQUIRED` where there is none; `instead` says what can be done without one. */
export function requireModel(model: Model | undefined, what: string, instead: string): Model {
  if (model !== undefined) return model;
  throw new PagewrightError(
    'MODEL_REQUIRED',
    `${what} is read by a model, and this client has none: createClient({ model }). ${instead}`,
  );
}

// Usage of requests: counted by the provider, or estimated.

/** The provider's counts, if any, and the texts to estimate from. */
export interface CountedUsage {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly asked: string;
  readonly answered: string;
}

/** Tokens, and money where the price is known. */
export function usageOf(
  { input, output, asked, answered }: CountedUsage,
  price: ModelPrice | undefined,
): ModelUsage {
  const inputTokens = Math.round(input ?? estimateTokens(asked));
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

/** Both together; money where either has some. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const inputTokens = one.inputTokens + other.inputTokens;
  const outputTokens = one.outputTokens + other.outputTokens;
  if (one.cost === undefined && other.cost === undefined) return { inputTokens, outputTokens };
  return { inputTokens, outputTokens, cost: (one.cost ?? 0) + (other.cost ?? 0) };
}

/** Nothing yet. */
export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0 };

// Sums the usage of several requests.

/** Added up; `cost` where the model's adapter knows prices. */
export interface ModelTotals extends ModelUsage {
  /** Requests that were answered. */
  readonly requests: number;
}

/** The totals with one more request. */
export function addRequest(totals: ModelTotals | undefined, usage: ModelUsage): ModelTotals {
  const { requests, ...used } = totals ?? { requests: 0, ...noUsage };
  return { requests: requests + 1, ...addUsage(used, usage) };
}

/** Both together; undefined when nothing was asked. */
export function addTotals(
  one: ModelTotals | undefined,
  other: ModelTotals | undefined,
): ModelTotals | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { requests: one.requests + other.requests, ...addUsage(one, other) };
}
