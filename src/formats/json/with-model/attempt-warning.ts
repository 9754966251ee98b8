/** What the caller is told of a text that a model reads. */
import type { ModelText, UnreadStyles } from '../../../model/model-text.ts';

/** Tells of text that speaks to models, and of text that readers may not see. */
export function warnOfText(
  { attempts, unreadStyles }: Pick<ModelText, 'attempts' | 'unreadStyles'>,
  warn: (sentence: string) => void,
): void {
  if (attempts.length > 0) {
    const quotes = attempts.map(
      ({ quote, isHidden }) =>
        `${JSON.stringify(quote)} (${isHidden ? 'hidden, not sent' : 'visible, sent as text of the page'})`,
    );
    warn(`The page has text that looks like instructions to a model: ${quotes.join('; ')}.`);
  }
  const unread = unreadText(unreadStyles);
  if (unread !== undefined) {
    warn(
      `${unread}: text that they hide may have been sent to the model. The browser engine knows them.`,
    );
  }
}

/** Undefined where all style sheets are known. */
export function unreadText({ files, rules }: UnreadStyles): string | undefined {
  if (files) return 'The style sheets of the page in files of their own were not read';
  return rules ? 'Style rules of the page that take too long were left out' : undefined;
}
