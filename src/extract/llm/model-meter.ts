/** Counts the use of a model by one scrape or job, and refuses requests when a budget is used up. */
import { withSignal } from '../../core/runtime/deadline.ts';
import { type ErrorCode, PagewrightError } from '../../core/runtime/errors.ts';
import { estimateTokens } from '../../content/text/estimate-tokens.ts';
import { BudgetRefusal, modelFailed } from './model-failure.ts';
import {
  addRequest,
  addUsage,
  costOf,
  type Model,
  type ModelAnswer,
  type ModelPrice,
  type ModelRequest,
  type ModelTotals,
  type ModelUsage,
  type ModelVectors,
  noUsage,
} from './model.ts';

/** The limits of a budget. */
export interface ModelBudget {
  /** Tokens, in and out. @default no limit */
  readonly tokens?: number | undefined;
  /** Money, in the currency of the model's prices. @default no limit */
  readonly cost?: number | undefined;
}

/** The amount of a request, or the rest of a budget. */
interface SpentAmount {
  readonly tokens: number;
  readonly cost: number;
}

/** A request that the budget covers. */
interface AdmittedRequest {
  readonly pledge: SpentAmount;
  /** Tokens of the request itself. */
  readonly input: number;
  readonly signal: AbortSignal;
}

const usualAnswer = 8192; // tokens reserved for an answer without `maxOutputTokens`

/**
 * A model with a counter: one for each scrape or job. A request that the rest of the budget does not cover is
 * refused with a `BudgetRefusal` (`MODEL_FAILED`) and never sent, like all requests after it: its own tokens are
 * estimated before, and its answer is limited to the rest. Concurrent requests wait for each other where both
 * might not fit, so that the budget holds for any number of them. A request that was sent and failed counts as
 * its own estimated tokens, once however often it was tried, so that a budget also ends repeated failures. Only
 * a wrong estimate and, without `maxOutputTokens`, an answer beyond 8192 tokens may exceed the budget.
 */
export class ModelMeter implements Model {
  readonly name: string;
  readonly contextTokens: number | undefined;
  readonly price: ModelPrice | undefined;
  readonly embed?: NonNullable<Model['embed']>;
  readonly #model: Model;
  readonly #budget: ModelBudget;
  readonly #onUse: (usage: ModelUsage) => unknown;
  #usage: ModelTotals;
  /** The budget that a request was refused for; after that no request is sent. */
  #over: keyof ModelBudget | undefined;
  /** Amounts reserved by requests in flight. */
  readonly #pledges = new Set<SpentAmount>();
  /** Called when one of these requests ends. */
  readonly #waiting = new Set<() => void>();

  /**
   * `onUse` is called for each answer, and each failure that counts, before the caller gets it; a job adds
   * the usage to its own totals. `spent` is the earlier usage of the budget.
   */
  constructor(
    model: Model,
    budget: ModelBudget = {},
    onUse: (usage: ModelUsage) => unknown = () => undefined,
    spent: ModelTotals = { requests: 0, ...noUsage },
  ) {
    this.name = model.name;
    this.contextTokens = model.contextTokens;
    this.price = model.price;
    this.#model = model;
    this.#budget = budget;
    this.#onUse = onUse;
    this.#usage = spent;
    if (model.embed !== undefined) this.embed = (texts, signal) => this.#embed(texts, signal);
  }

  /** The usage so far, earlier usage included. */
  get usage(): ModelTotals {
    return this.#usage;
  }

  /** `budget.tokens: 5000` once it is used up or a request was refused for it; undefined before. */
  get rule(): string | undefined {
    const { tokens, cost } = this.#left();
    const over = this.#over ?? (tokens <= 0 ? 'tokens' : cost <= 0 ? 'cost' : undefined);
    return over === undefined ? undefined : `budget.${over}: ${this.#budget[over]}`;
  }

  async generate(request: ModelRequest): Promise<ModelAnswer> {
    const { system, prompt, schema, maxOutputTokens: wanted, signal } = request;
    const text = system + prompt + (schema === undefined ? '' : JSON.stringify(schema));
    const { pledge, input, output } = await this.#admit(text, wanted ?? usualAnswer, signal);
    // Sends only a limit that no provider would refuse; above it the model has its own.
    const maxOutputTokens = output < (wanted ?? usualAnswer) ? output : wanted;
    const answer = await this.#metered({ pledge, input, signal }, () =>
      this.#model.generate({ ...request, maxOutputTokens }),
    );
    this.#refuseUnpriced(answer.usage);
    return answer;
  }

  async #embed(texts: readonly string[], signal: AbortSignal): Promise<ModelVectors> {
    const { pledge, input } = await this.#admit(texts.join('\n'), 0, signal);
    const { embed } = this.#model;
    if (embed === undefined) throw modelFailed(`The model ${this.name} has no embeddings.`);
    const given = await this.#metered({ pledge, input, signal }, () =>
      embed.call(this.#model, texts, signal),
    );
    this.#refuseUnpriced(given.usage);
    return given;
  }

  #refuseUnpriced(usage: ModelUsage): void {
    if (this.#budget.cost === undefined || usage.cost !== undefined) return;
    throw modelFailed(
      `The model ${this.name} does not report what it costs, so budget.cost cannot be enforced. Give the adapter a price.`,
    );
  }

  /** Reserves the amount that a request may use. Waits while requests in flight hold that amount. */
  async #admit(
    text: string,
    wanted: number,
    signal: AbortSignal,
  ): Promise<{ readonly pledge: SpentAmount; readonly input: number; readonly output: number }> {
    const input = estimateTokens(text);
    for (;;) {
      signal.throwIfAborted();
      const left = this.#left();
      const output = Math.min(wanted, this.#payable(input, left));
      if (this.rule !== undefined || output < Math.min(wanted, 1)) throw this.#refusal(input);
      const pledge = this.#amount(input, output);
      const held = [...this.#pledges];
      const fits = (part: keyof SpentAmount): boolean =>
        held.reduce((sum, one) => sum + one[part], pledge[part]) <= left[part];
      if (held.length === 0 || (fits('tokens') && fits('cost'))) {
        this.#pledges.add(pledge);
        return { pledge, input, output };
      }
      const change = new Promise<void>((resolve) => this.#waiting.add(resolve));
      await withSignal(change, signal);
    }
  }

  async #metered<Answer extends { readonly usage: ModelUsage }>(
    { pledge, input, signal }: AdmittedRequest,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      signal.throwIfAborted();
      const answer = await call().catch((error: unknown) => this.#failed(error, input));
      this.#usage = addRequest(this.#usage, answer.usage);
      await this.#onUse(answer.usage);
      return answer;
    } finally {
      this.#pledges.delete(pledge);
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }
  }

  /** Counts the request's own tokens if it was sent; the tokens of its answer are not known. */
  async #failed(error: unknown, inputTokens: number): Promise<never> {
    if (!isUnsent(error)) {
      const tokens = { inputTokens, outputTokens: 0 };
      const { price } = this;
      const used = price === undefined ? tokens : { ...tokens, cost: costOf(tokens, price) };
      this.#usage = { requests: this.#usage.requests, ...addUsage(this.#usage, used) };
      await this.#onUse(used);
    }
    throw error;
  }

  #left(): SpentAmount {
    const { tokens = Infinity, cost = Infinity } = this.#budget;
    const { inputTokens, outputTokens, cost: spent = 0 } = this.#usage;
    return { tokens: tokens - inputTokens - outputTokens, cost: cost - spent };
  }

  #amount(inputTokens: number, outputTokens: number): SpentAmount {
    const cost = this.price === undefined ? 0 : costOf({ inputTokens, outputTokens }, this.price);
    return { tokens: inputTokens + outputTokens, cost };
  }

  /** Tokens of an answer that the budget covers after the request; negative if not even the request fits. */
  #payable(input: number, left: SpentAmount): number {
    const byTokens = left.tokens - input;
    const cost = left.cost - this.#amount(input, 0).cost;
    const { cost: each } = this.#amount(0, 1);
    const byCost = each > 0 ? Math.floor(cost / each) : cost < 0 ? -1 : Infinity;
    return Math.min(byTokens, byCost);
  }

  #refusal(input: number): BudgetRefusal {
    const { tokens, cost } = this.#left();
    const isTokens = this.#budget.tokens !== undefined && tokens - input < 1;
    const name = (this.#over ??= isTokens || this.#budget.cost === undefined ? 'tokens' : 'cost');
    const left = Math.max(0, name === 'tokens' ? tokens : cost);
    const rule = `budget.${name}: ${this.#budget[name]}`;
    return new BudgetRefusal(
      rule,
      `The model ${this.name} was not called: of ${rule}, ${left} is left, too little for a request of about ${input} tokens. Raise it.`,
    );
  }
}

/** True if no server was reached; `callModel` keeps the connection's error as the cause. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof PagewrightError)) return false;
  // The meter of a job has refused a request from the meter of a format.
  if (error instanceof BudgetRefusal) return true;
  return [error, error.cause].some(
    (one) => one instanceof PagewrightError && unsentCodes.has(one.code),
  );
}

const unsentCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['BLOCKED_ADDRESS', 'CONNECTION_REFUSED', 'DNS'] as const),
]);
