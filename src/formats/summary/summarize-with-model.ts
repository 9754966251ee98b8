/** A page's summary in the words of a model. */
import { PagewrightError } from '../../errors.ts';
import { BudgetRefusal } from '../../llm/budget-refusal.ts';
import { markdownWords } from '../../text/markdown-words.ts';
import { condense } from '../with-model/condense.ts';
import { isWithoutWords, type ModelReader } from '../with-model/model-reader.ts';
import { shapeCheck } from '../with-model/shape-check.ts';
import { summarySchema, summarySystem, type WrittenSummary } from './summary-prompt.ts';

/**
 * On one line, without markup; `` for a page without words, of which nobody is asked. Numbers and
 * addresses that the page does not have are asked for once more, and told when they stay. Throws as
 * `condense` does.
 */
export async function summarizeWithModel(
  reader: ModelReader,
  language: string | undefined,
): Promise<string> {
  if (await isWithoutWords(reader)) return '';
  const unbackedIn = async (markdown: string, said: string): Promise<string> =>
    (await reader.compute('unbacked', { markdown, language, said })).slice(0, 10).join(', ');
  const checkOf = await shapeCheck<WrittenSummary>(summarySchema);
  const told = await condense<string>(reader, {
    schema: summarySchema,
    check: (source) =>
      checkOf<string>(async ({ summary }, isLast) => {
        // What a page made the model write must not become a picture or a link.
        const answer = markdownWords(summary ?? '');
        const unbacked = isLast ? '' : await unbackedIn(source, answer);
        if (unbacked === '') return { answer };
        return { issues: [{ path: ['summary'], message: `the text does not have ${unbacked}` }] };
      }),
    systemFor: summarySystem,
    isSilent: (summary) => summary === '',
    written: (summary) => summary,
  });
  const summary = told ?? '';
  const unbacked = await unbackedIn(reader.text.markdown, summary);
  if (unbacked !== '') {
    reader.warn(`summary: the model wrote ${unbacked}, which the page does not have.`);
  }
  return summary;
}

/** False for the end of the scrape, and for a budget that does not pay for the request. */
export function isModelFailure(error: unknown, signal: AbortSignal): error is PagewrightError {
  if (signal.aborted || error instanceof BudgetRefusal) return false;
  return error instanceof PagewrightError;
}
