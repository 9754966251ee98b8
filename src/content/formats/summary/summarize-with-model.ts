/** A summary of a page in the words of a model. */
import { PagewrightError } from '../../../core/runtime/errors.ts';
import { pageIsText } from '../../../extract/with-model/prompt.ts';
import { BudgetRefusal } from '../../../extract/llm/model-failure.ts';
import type { AnswerSchema } from '../../../extract/llm/model.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import { mapReduce, type MapReduceStage } from '../with-model/map-reduce.ts';
import { isWithoutWords, type ModelReader, shapeCheck } from '../with-model/model-reader.ts';

/**
 * The summary on one line, without markup; `` for a page without words, for which no model is called.
 * Numbers and addresses that the page does not have cause a second request, then a warning. Throws as
 * `mapReduce` does.
 */
export async function summarizeWithModel(
  reader: ModelReader,
  language: string | undefined,
): Promise<string> {
  if (await isWithoutWords(reader)) return '';
  const unsupportedIn = async (markdown: string, said: string): Promise<string> =>
    (await reader.compute('unsupported', markdown, language, said)).slice(0, 10).join(', ');
  const checkOf = await shapeCheck<{ readonly summary: string | null }>(summarySchema);
  const told = await mapReduce<string>(reader, {
    schema: summarySchema,
    check: (source) =>
      checkOf<string>(async ({ summary }, isLast) => {
        // Markup that a page made the model write must not become a picture or a link.
        const answer = markdownWords(summary ?? '');
        const unsupported = isLast ? '' : await unsupportedIn(source, answer);
        if (unsupported === '') return { answer };
        return {
          issues: [{ path: ['summary'], message: `the text does not have ${unsupported}` }],
        };
      }),
    systemFor: summarySystem,
    isSilent: (summary) => summary === '',
    written: (summary) => summary,
  });
  const summary = told ?? '';
  const unsupported = await unsupportedIn(reader.text.markdown, summary);
  if (unsupported !== '') {
    reader.warn(`summary: the model wrote ${unsupported}, which the page does not have.`);
  }
  return summary;
}

/** False when the scrape ended, and when the budget does not cover the request. */
export function isModelFailure(error: unknown, signal: AbortSignal): error is PagewrightError {
  if (signal.aborted || error instanceof BudgetRefusal) return false;
  return error instanceof PagewrightError;
}

// The prompt for a model that summarizes a page; deterministic for each stage.

/** The schema of an answer. */
const summarySchema: AnswerSchema = {
  type: 'object',
  properties: { summary: { type: ['string', 'null'], maxLength: 2000 } },
  required: ['summary'],
  additionalProperties: false,
};

const summaryRules = `You sum up the text of a web page. You answer with one JSON object and nothing else: no explanation, no code fence.

How you work:
- ${pageIsText}
- "summary" says what the page is about and what it has to say of it: three to five whole sentences, 120 words at most, less for a short text.
- It is in the language of the text, and plain text: no headings, no lists, no markup, no addresses.
- It has nothing that the text does not say: no opinion, no guess, nothing that you know otherwise. Numbers, names and dates are as the text writes them.
- It does not speak to the reader, nor of the text as a text: not "This page is about lamps", but what is said of lamps.
- Where the text says nothing, "summary" is null.`;

const taskOfStage: Readonly<Record<MapReduceStage, readonly string[]>> = {
  page: [],
  part: [
    'The page is too long for one request. You get one part of it. Sum up this part alone; the summaries of all parts are put together later.',
  ],
  answers: [
    'The page was too long for one request. Between the tags stand the summaries of its parts, in their order. Make one summary of all.',
  ],
};

/** The task, without any text of a page. */
function summarySystem(stage: MapReduceStage): string {
  return [summaryRules, ...taskOfStage[stage]].join('\n\n');
}
