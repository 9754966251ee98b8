/** The data of a page that a model reads, with what selectors found. */
import type { PageExtraction } from '../extract-without-model.ts';
import { askPage, type PageQuestion } from './ask-page.ts';
import { warnOfText } from './attempt-warning.ts';
import { isAllSelected, withSelected } from './selector-leaves.ts';

/** What the page gives, not validated. No model is asked where selectors gave everything. */
export async function extractWithModel(
  selected: PageExtraction,
  question: PageQuestion,
): Promise<PageExtraction> {
  if (question.prompt === undefined && isAllSelected(selected)) return selected;
  warnOfText(question.text, question.warn);
  return withSelected(await askPage(question), selected);
}
