/** What requests used: counted by the provider, or estimated where it does not count. */
import { estimateTokens } from '../text/estimate-tokens.ts';
import type { ModelPrice, ModelUsage } from './model.ts';

/** What a provider may have counted, and the texts to estimate from. */
export interface Counted {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly asked: string;
  readonly answered: string;
}

/** Tokens, and money where the price is known. */
export function usageOf(
  { input, output, asked, answered }: Counted,
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
