/** Computations on whole page texts, by name: plain data in and out, so that a worker can run them. */
import type { PictureBox } from '../../core/model/snapshot.ts';
import type { VisualChange } from './change-tracking/compare-pictures.ts';
import type { Chunk, MarkdownSource } from './chunks/cut-markdown.ts';
import type { MarkdownDiff } from './change-tracking/diff-markdown.ts';
import type { Highlight } from './highlights/passages.ts';
import type { NumberedPart } from './highlights/numbered-passages.ts';
import type { JsonSchema } from '../../extract/schema/json-schema.ts';
import type { PartAnswer } from '../../extract/merge-extractions.ts';
import type {
  GroundableExtraction,
  GroundedExtraction,
} from '../../extract/provenance/ground-extraction.ts';
import type { QuotedPage, UnverifiedChoice } from '../../extract/provenance/provenance.ts';
import type { TextPart } from '../../extract/with-model/cut-for-model.ts';
import type { TidyAnswer } from '../../extract/with-model/answer-schema.ts';
import { loadModule } from '../../core/runtime/load-module.ts';
import type { AnswerQuote } from './question/find-quotes.ts';

interface MarkdownInput {
  readonly markdown: string;
}

/** Each computation takes time that grows with the length of the page. */
export const computations = {
  /** The passages of a text; see `cutMarkdown`. */
  chunks: async ({
    source,
    maxTokens,
    overlap,
  }: {
    readonly source: MarkdownSource;
    readonly maxTokens: number;
    readonly overlap: number;
  }): Promise<Chunk[]> => {
    const { cutMarkdown } = await loadModule(() => import('./chunks/cut-markdown.ts'));
    return cutMarkdown(source, { maxTokens, overlap });
  },
  /** True for a text that contains words. */
  hasWords: async ({ markdown }: MarkdownInput): Promise<boolean> => {
    const { markdownWords } = await loadModule(() => import('../text/markdown-inline.ts'));
    return /[\p{L}\p{N}]/u.test(markdownWords(markdown));
  },
  tokens: async ({ markdown }: MarkdownInput): Promise<number> => {
    const { estimateTokens } = await loadModule(() => import('../text/estimate-tokens.ts'));
    return estimateTokens(markdown);
  },
  /** The parts of a text for a model; see `cutForModel`. */
  parts: async ({
    markdown,
    room,
  }: MarkdownInput & { readonly room: number }): Promise<readonly TextPart[]> => {
    const { cutForModel } = await loadModule(
      () => import('../../extract/with-model/cut-for-model.ts'),
    );
    return cutForModel(markdown, room);
  },
  /** Merges the answers about parts into one. */
  mergedParts: async ({
    answers,
    schema,
  }: {
    readonly answers: readonly PartAnswer[];
    readonly schema: JsonSchema;
  }): Promise<TidyAnswer & { readonly conflicts: readonly string[] }> => {
    const { mergeParts } = await loadModule(() => import('../../extract/merge-extractions.ts'));
    const { tidyAnswer } = await loadModule(
      () => import('../../extract/with-model/answer-schema.ts'),
    );
    const { value, conflicts } = mergeParts(answers, schema);
    return { ...tidyAnswer(value, schema), conflicts: conflicts.map(({ path }) => path) };
  },
  /** The passages that match a query best. */
  rankedPassages: async ({
    markdown,
    query,
    limit,
  }: MarkdownInput & { readonly query: string; readonly limit: number }): Promise<Highlight[]> => {
    const { rankPassages } = await loadModule(() => import('./highlights/passages.ts'));
    return rankPassages(markdown, query, limit);
  },
  /** The passages of a text with their numbers, in parts for a model. */
  passageParts: async ({
    markdown,
    room,
  }: MarkdownInput & { readonly room: number }): Promise<readonly NumberedPart[]> => {
    const { numberedParts } = await loadModule(() => import('./highlights/numbered-passages.ts'));
    return numberedParts(markdown, room);
  },
  /** Passages of the model's text, by number, located in the page's markdown. */
  placedPassages: async ({
    markdown,
    modelMarkdown,
    numbers,
  }: MarkdownInput & {
    readonly modelMarkdown: string;
    readonly numbers: readonly number[];
  }): Promise<Highlight[]> => {
    const { locatePassages } = await loadModule(() => import('./highlights/locate-passages.ts'));
    return locatePassages(numbers, modelMarkdown, markdown);
  },
  /** Each quote as it stands in the text; undefined for a quote that is not there. */
  foundQuotes: async ({
    markdown,
    quotes,
  }: MarkdownInput & { readonly quotes: readonly string[] }): Promise<
    readonly (string | undefined)[]
  > => {
    const { findQuotes } = await loadModule(() => import('./question/find-quotes.ts'));
    return findQuotes(quotes, markdown);
  },
  /** Quotes of the model's text, located in the page's markdown; quotes that are not found are left out. */
  placedQuotes: async ({
    page,
    modelMarkdown,
    quotes,
  }: {
    readonly page: QuotedPage;
    readonly modelMarkdown: string;
    readonly quotes: readonly string[];
  }): Promise<readonly AnswerQuote[]> => {
    const { locateQuotes } = await loadModule(() => import('./question/find-quotes.ts'));
    return locateQuotes(quotes, modelMarkdown, page);
  },
  /** Numbers and addresses of an answer that are not in the text. */
  unsupported: async ({
    markdown,
    language,
    said,
  }: MarkdownInput & { readonly language: string | undefined; readonly said: string }): Promise<
    readonly string[]
  > => {
    const { GroundingSource } = await loadModule(() => import('./with-model/grounding.ts'));
    return new GroundingSource(markdown, language).unsupported(said);
  },
  /** See `proveExtraction`. */
  proven: async ({
    extraction,
    schema,
    page,
    unverified,
  }: {
    readonly extraction: GroundableExtraction;
    readonly schema: JsonSchema;
    readonly page: QuotedPage;
    readonly unverified: UnverifiedChoice;
  }): Promise<GroundedExtraction<GroundableExtraction>> => {
    const { groundExtraction } = await loadModule(
      () => import('../../extract/provenance/ground-extraction.ts'),
    );
    return groundExtraction(extraction, schema, page, unverified);
  },
  /** See `diffMarkdown`. */
  diff: async ({
    previous,
    current,
  }: {
    readonly previous: string;
    readonly current: string;
  }): Promise<{ readonly diff: MarkdownDiff; readonly warning?: string }> => {
    const { diffMarkdown } = await loadModule(() => import('./change-tracking/diff-markdown.ts'));
    return diffMarkdown(previous, current);
  },
  /** See `comparePictures`. */
  comparedPictures: async ({
    previous,
    current,
    ignored,
  }: {
    readonly previous: Uint8Array;
    readonly current: Uint8Array;
    readonly ignored: readonly PictureBox[];
  }): Promise<VisualChange> => {
    const { comparePictures } = await loadModule(
      () => import('./change-tracking/compare-pictures.ts'),
    );
    return comparePictures(previous, current, ignored);
  },
} as const;

/** The names of all computations. */
export type ComputationName = keyof typeof computations;

/** Runs a computation here or in a worker. Rejects with its error, and at once when the page's time is over. */
export type Compute = <Name extends ComputationName>(
  name: Name,
  input: Parameters<(typeof computations)[Name]>[0],
) => Promise<ComputationResult<Name>>;

type ComputationResult<Name extends ComputationName> = Awaited<
  ReturnType<(typeof computations)[Name]>
>;

/** Runs a computation where there is no worker. */
export const computeHere: Compute = (name, input) => {
  const compute = computations[name] as (
    given: typeof input,
  ) => Promise<ComputationResult<typeof name>>;
  return compute(input);
};
