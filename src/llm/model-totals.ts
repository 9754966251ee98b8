/** What several requests of a model used together. */
import type { ModelUsage } from './model.ts';
import { addUsage, noUsage } from './usage.ts';

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
