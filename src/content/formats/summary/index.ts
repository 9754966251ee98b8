/** The summary format: the content of a page in a few sentences. */
import { loadModule } from '../../../core/runtime/load-module.ts';
import type { Page } from '../../../core/model/page.ts';
import { refuseUnknown } from '../../../core/checks/option-errors.ts';
import { builtInModule, type FinishContext, type OptionContext, type Format } from '../format.ts';

/** The checked options of the summary format. */
export interface SummaryOptions {
  /** True when the client's model writes the summary. @default false */
  readonly asksModel?: boolean;
}

/**
 * Without a model: three to five sentences of the page's prose, 120 words at most, in their order; for a
 * short page its text; of a page that lists products or articles its heading and the first names. Works in
 * every language: `metadata.summaryMethod` is `extractive`. With a model
 * (`createClient({ model })`): as many sentences in its own words, about the visible text of the page:
 * `metadata.summaryMethod` is `model`, and numbers that the page does not have are listed in `warning`.
 *
 * Empty, with a warning, for a page without prose. Where the model fails, or its answer cannot be used
 * after a second try, the page's own sentences are given, with a warning and the method `extractive`.
 */
export const summary: Format<
  'summary',
  string,
  SummaryOptions | undefined,
  string,
  SummaryOptions
> = {
  name: 'summary',
  needs: 'content',
  worker: builtInModule,
  parseOptions: parseSummaryOptions,
  uses: (options) => ({ model: options?.asksModel === true }),
  runOptions: (options = {}) => options,
  run: extract,
  finish,
};

function parseSummaryOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: false },
): SummaryOptions {
  refuseUnknown(options, []);
  return { asksModel: hasModel };
}

/** The extractive summary is made even if the model is called, because the model may fail. */
async function extract(page: Page, { asksModel = false }: SummaryOptions): Promise<string> {
  const { summarize } = await loadModule(() => import('./summarize.ts'));
  const text = summarize(page);
  // The parser has already warned of an empty response.
  const isTold = !/\S/.test(page.source) || page.warnings.includes(nothingToSumUp);
  if (!asksModel && text === '' && !isTold) page.warnings.push(nothingToSumUp);
  return text;
}

async function finish(
  found: string,
  options: SummaryOptions | undefined,
  context: FinishContext,
): Promise<string> {
  context.methods.summaryMethod = 'extractive';
  if (options?.asksModel !== true) return found;
  const { modelReader } = await loadModule(() => import('../with-model/model-reader.ts'));
  const reader = modelReader('summary', context);
  const { isModelFailure, summarizeWithModel } = await loadModule(
    () => import('./summarize-with-model.ts'),
  );
  let text = found;
  try {
    text = await summarizeWithModel(reader, context.language);
    context.methods.summaryMethod = 'model';
  } catch (error) {
    if (!isModelFailure(error, reader.signal)) throw error;
    reader.warn(`summary: made of the page's own sentences, as the model failed: ${error.message}`);
  }
  if (text === '') reader.warn(nothingToSumUp);
  return text;
}

const nothingToSumUp = 'The page has no text that a summary could be made of.';
