/** The option mainContent: which extractor finds the main content. */
import { z } from 'zod';
import { requirePackages } from '../clean/main-content/adapters/require-packages.ts';
import { ValidationError } from '../errors.ts';
import type { ExtractorName, MainContentExtractor } from '../model/main-content-extractor.ts';

/** Our own extractor, one of an optional package, or a function of the caller's. */
export type MainContentChoice = 'pagewright' | ExtractorName | MainContentExtractor;

/** Checks the option. */
export const mainContentSchema: z.ZodType<MainContentChoice> = z.union([
  z.enum(['pagewright', 'readability', 'defuddle']),
  z.custom<MainContentExtractor>((value) => typeof value === 'function', 'a function'),
]);

/**
 * The extractor that takes the place of ours; undefined for ours. Throws `MISSING_DEPENDENCY` when
 * its packages are not installed, and `BAD_REQUEST` when it would never be asked.
 */
export function chosenExtractor(
  subject: string,
  { mainContent = 'pagewright', onlyMainContent, includeTags }: ContentOptions,
): ExtractorName | MainContentExtractor | undefined {
  if (mainContent === 'pagewright') return undefined;
  const isChosen = includeTags !== undefined && includeTags.length > 0;
  if (onlyMainContent === false || isChosen) {
    const other = isChosen ? 'includeTags' : 'onlyMainContent: false';
    const message = `mainContent: with ${other} no main content is looked for; leave out one of the two`;
    throw new ValidationError(subject, [{ path: ['mainContent'], message }]);
  }
  if (typeof mainContent === 'string') requirePackages(mainContent);
  return mainContent;
}

/** What decides whether main content is looked for. */
interface ContentOptions {
  readonly mainContent?: MainContentChoice | undefined;
  readonly onlyMainContent?: boolean | undefined;
  readonly includeTags?: readonly string[] | undefined;
}
