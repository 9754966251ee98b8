/** The option mainContent: which extractor finds the main content. */
import { z } from 'zod';
import { requirePackages } from '../clean/main-content/adapters/require-packages.ts';
import type { ExtractorName, MainContentExtractor } from '../model/main-content-extractor.ts';

/** Our own extractor, one of an optional package, or a function of the caller's. */
export type MainContentChoice = 'pagewright' | ExtractorName | MainContentExtractor;

/** Checks the option. */
export const mainContentSchema: z.ZodType<MainContentChoice> = z.union([
  z.enum(['pagewright', 'readability', 'defuddle']),
  z.custom<MainContentExtractor>((value) => typeof value === 'function', 'a function'),
]);

/**
 * The extractor that takes the place of ours; undefined for ours, and where no main content is to be
 * found. Throws `MISSING_DEPENDENCY` when its packages are not installed.
 */
export function chosenExtractor(
  choice: MainContentChoice | undefined,
  isAsked: boolean,
): ExtractorName | MainContentExtractor | undefined {
  if (choice === undefined || choice === 'pagewright') return undefined;
  if (typeof choice === 'string') requirePackages(choice);
  return isAsked ? choice : undefined;
}
