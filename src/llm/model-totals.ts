/** What several requests of a model used together. */
import type { ModelUsage } from './model.ts';

/** Added up. */
export interface ModelTotals {
  /** Requests that were answered. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Where the model's adapter knows prices. */
  readonly cost?: number;
}

/** The totals with one more request. */
export function addUsage(totals: ModelTotals | undefined, usage: ModelUsage): ModelTotals {
  const { requests, inputTokens, outputTokens, cost } = totals ?? {
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
  };
  return {
    requests: requests + 1,
    inputTokens: inputTokens + usage.inputTokens,
    outputTokens: outputTokens + usage.outputTokens,
    ...(cost === undefined && usage.cost === undefined
      ? {}
      : { cost: (cost ?? 0) + (usage.cost ?? 0) }),
  };
}
