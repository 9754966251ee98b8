/** The summary format: what a page is about, in a few sentences. */
import type { Page } from '../../model/page.ts';
import type { FinishContext, OptionContext, TwoStepFormat } from '../format.ts';

/** Who writes it. */
export interface SummaryOptions {
  /** The client's model. @default false */
  readonly asksModel?: boolean;
}

/**
 * Without a model three to five sentences of the page's prose, 120 words at most, in their order; of a
 * short page its text. Works in every language: `metadata.summaryMethod` is `extractive`. With a model
 * (`createClient({ model })`) as many sentences in its words, of what readers see of the page:
 * `metadata.summaryMethod` is `model`, and numbers that the page does not have are told in `warning`.
 *
 * Empty, with a warning, for a page without prose. With a model it throws `MODEL_FAILED`,
 * `EXTRACT_INVALID` when the model's answer cannot be used after a second try, and `PARSE_LIMIT`.
 */
export const summary: TwoStepFormat<
  'summary',
  string,
  SummaryOptions | undefined,
  string,
  SummaryOptions
> = {
  name: 'summary',
  needs: 'content',
  parseOptions: parseSummaryOptions,
  run: (page) => extract(page, {}),
  reading: { name: 'summary', needs: 'content', run: extract },
  plainOptions: (options = {}) => options,
  wantsModelText: (options) => options?.asksModel === true,
  finish,
};

function parseSummaryOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: false },
): SummaryOptions {
  const [unexpected] = Object.keys(options);
  if (unexpected !== undefined) throw new Error(`it takes no option "${unexpected}"`);
  return { asksModel: hasModel };
}

async function extract(page: Page, { asksModel = false }: SummaryOptions): Promise<string> {
  if (asksModel) return '';
  const { summarize } = await import('./summarize.ts');
  const text = summarize(page);
  // An empty response was told by its parser.
  if (text === '' && /\S/.test(page.source) && !page.warnings.includes(nothingToSumUp)) {
    page.warnings.push(nothingToSumUp);
  }
  return text;
}

async function finish(
  found: string,
  options: SummaryOptions | undefined,
  url: string,
  context?: FinishContext,
): Promise<string> {
  if (options?.asksModel !== true) return found;
  const { modelReader } = await import('../with-model/model-reader.ts');
  const reader = modelReader('summary', url, context);
  const { summarizeWithModel } = await import('./summarize-with-model.ts');
  const written = await summarizeWithModel(reader, context?.language);
  if (written === '') reader.warn(nothingToSumUp);
  return written;
}

const nothingToSumUp = 'The page has no text that a summary could be made of.';
