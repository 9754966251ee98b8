/** What the caller is told of text that speaks to models. */
import type { InstructionAttempt } from '../../../model/model-text.ts';

/** One sentence with the quotes, or undefined when there are none. */
export function attemptWarning(attempts: readonly InstructionAttempt[]): string | undefined {
  if (attempts.length === 0) return undefined;
  const quotes = attempts.map(
    ({ quote, isHidden }) =>
      `${JSON.stringify(quote)} (${isHidden ? 'hidden, not sent' : 'visible, sent as text of the page'})`,
  );
  return `The page has text that looks like instructions to a model: ${quotes.join('; ')}.`;
}
