/** The data of a page that a model reads, with what selectors found. */
import type { PageExtraction } from '../extract-without-model.ts';
import { askPage, type PageQuestion } from './ask-page.ts';
import { attemptWarning } from './attempt-warning.ts';
import { isAllSelected, withSelected } from './selector-leaves.ts';

/** What the page gives, not validated. No model is asked where selectors gave everything. */
export async function extractWithModel(
  selected: PageExtraction,
  question: PageQuestion,
): Promise<PageExtraction> {
  if (question.prompt === undefined && isAllSelected(selected)) return selected;
  const warning = attemptWarning(question.text.attempts);
  if (warning !== undefined) question.warn(warning);
  return withSelected(await askPage(question), selected);
}
