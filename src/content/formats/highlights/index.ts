/** The highlights format: the passages of a page that answer a query, word for word. */
import { loadModule } from '../../../core/runtime/load-module.ts';
import { type FinishContext, type OptionContext, readsNothing, type Format } from '../format.ts';
import { preview, refuseUnknown, textOption } from '../../../core/checks/option-errors.ts';
import type { Highlight } from './passages.ts';

/** Options of the highlights format. */
export interface HighlightsOptions {
  /** Words or a question, in any script, 1 to 10000 characters. */
  readonly query: string;
  /** Passages at most, 1 to 100. @default 5 */
  readonly limit?: number | undefined;
}

/** The checked options. */
export interface HighlightsSettings extends HighlightsOptions {
  readonly limit: number;
  /** True when the client's model chooses. */
  readonly asksModel: boolean;
}

/**
 * Passages that answer the query, as they stand in the page's markdown and in its order: paragraphs,
 * sentences of long paragraphs, items, rows. Empty when no passage does.
 *
 * Without a model, BM25 ranks the passages by the words of the query: `metadata.highlightsMethod` is
 * `extractive`. A model (`createClient({ model })`) chooses passages by number, so that the result is
 * always text of the page: `metadata.highlightsMethod` is `model`. With a model it throws
 * `MODEL_FAILED`, `EXTRACT_INVALID` when an answer cannot be used after a second try, `PARSE_LIMIT`.
 *
 * @example
 * const { highlights } = await scrape(url, {
 *   formats: [{ type: 'highlights', query: 'how long does delivery take' }],
 * });
 * highlights[0]; // { text: 'Delivery takes two days.', start: 341, end: 365, headingPath: ['Shipping'] }
 */
export const highlights: Format<'highlights', Highlight[], HighlightsSettings, null, undefined> = {
  ...readsNothing,
  name: 'highlights',
  parseOptions: parseHighlightsOptions,
  uses: ({ asksModel }) => ({ markdown: true, model: asksModel }),
  finish,
};

function parseHighlightsOptions(
  options: Readonly<Record<string, unknown>>,
  { hasModel }: OptionContext = { hasModel: false },
): HighlightsSettings {
  const { query, limit = 5, ...unknown } = options;
  refuseUnknown(unknown, ['query', 'limit']);
  if (!isInteger(limit) || limit < 1 || limit > 100) {
    throw new Error(`limit: expected an integer from 1 to 100, got ${preview(limit)}`);
  }
  return { query: textOption('query', query), limit, asksModel: hasModel };
}

async function finish(
  _: null,
  { query, limit, asksModel }: HighlightsSettings,
  context: FinishContext,
): Promise<Highlight[]> {
  const { markdown = '', methods, compute } = context;
  methods.highlightsMethod = asksModel ? 'model' : 'extractive';
  if (!asksModel) return compute('rankedPassages', markdown, query, limit);
  const { modelReader } = await loadModule(() => import('../with-model/model-reader.ts'));
  const reader = modelReader('highlights', context);
  const { choosePassages } = await loadModule(() => import('./choose-passages.ts'));
  return choosePassages(reader, { query, limit }, markdown);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
