/** Computations on whole page texts, by name: plain data in and out, so that a worker can run them. */
import { loadModule } from '../../core/runtime/load-module.ts';
import type { PartAnswer } from '../../extract/merge-extractions.ts';
import type { JsonSchema } from '../../extract/schema/json-schema.ts';
import type { TidyAnswer } from '../../extract/with-model/answer-schema.ts';

/** The functions, loaded when one is called first. Each takes time that grows with the length of the page. */
export const computations = {
  /** The passages of a text. */
  chunks: async () => (await loadModule(() => import('./chunks/cut-markdown.ts'))).cutMarkdown,
  /** True for a text that contains words. */
  hasWords: async () => {
    const { markdownWords } = await loadModule(() => import('../text/markdown-inline.ts'));
    return (markdown: string): boolean => /[\p{L}\p{N}]/u.test(markdownWords(markdown));
  },
  tokens: async () => (await loadModule(() => import('../text/estimate-tokens.ts'))).estimateTokens,
  /** The parts of a text for a model. */
  parts: async () =>
    (await loadModule(() => import('../../extract/with-model/cut-for-model.ts'))).cutForModel,
  /** Merges the answers about parts into one. */
  mergedParts: async () => {
    const { mergeParts } = await loadModule(() => import('../../extract/merge-extractions.ts'));
    const { tidyAnswer } = await loadModule(
      () => import('../../extract/with-model/answer-schema.ts'),
    );
    return (
      answers: readonly PartAnswer[],
      schema: JsonSchema,
    ): TidyAnswer & { readonly conflicts: readonly string[] } => {
      const { value, conflicts } = mergeParts(answers, schema);
      return { ...tidyAnswer(value, schema), conflicts: conflicts.map(({ path }) => path) };
    };
  },
  /** The passages that match a query best. */
  rankedPassages: async () =>
    (await loadModule(() => import('./highlights/passages.ts'))).rankPassages,
  /** The passages of a text with their numbers, in parts for a model. */
  passageParts: async () =>
    (await loadModule(() => import('./highlights/numbered-passages.ts'))).numberedParts,
  /** Passages of the model's text, by number, located in the page's markdown. */
  placedPassages: async () =>
    (await loadModule(() => import('./highlights/locate-passages.ts'))).locatePassages,
  /** Each quote as it stands in the text; undefined for a quote that is not there. */
  foundQuotes: async () => (await loadModule(() => import('./question/find-quotes.ts'))).findQuotes,
  /** Quotes of the model's text, located in the page's markdown; quotes that are not found are left out. */
  placedQuotes: async () =>
    (await loadModule(() => import('./question/find-quotes.ts'))).locateQuotes,
  /** Numbers and addresses of an answer that are not in the text. */
  unsupported: async () => {
    const { GroundingSource } = await loadModule(() => import('./with-model/grounding.ts'));
    return (markdown: string, language: string | undefined, said: string): readonly string[] =>
      new GroundingSource(markdown, language).unsupported(said);
  },
  /** Where the values of an extraction stand on the page. */
  proven: async () =>
    (await loadModule(() => import('../../extract/provenance/ground-extraction.ts')))
      .groundExtraction,
  diff: async () =>
    (await loadModule(() => import('./change-tracking/diff-markdown.ts'))).diffMarkdown,
  comparedPictures: async () =>
    (await loadModule(() => import('./change-tracking/compare-pictures.ts'))).comparePictures,
} as const;

/** The names of all computations. */
export type ComputationName = keyof typeof computations;

type Computations = {
  readonly [Name in ComputationName]: Awaited<ReturnType<(typeof computations)[Name]>>;
};

/** Runs a computation here or in a worker. Rejects with its error, and at once when the page's time is over. */
export type Compute = <Name extends ComputationName>(
  name: Name,
  ...input: Parameters<Computations[Name]>
) => Promise<Awaited<ReturnType<Computations[Name]>>>;

/** Runs a computation whose input came from a `Compute`. */
export async function runComputation(
  name: ComputationName,
  input: readonly unknown[],
): Promise<unknown> {
  const compute = (await computations[name]()) as (...given: readonly unknown[]) => unknown;
  return compute(...input);
}

/** Runs a computation where there is no worker. */
export const computeHere = (async (name: ComputationName, ...input: readonly unknown[]) =>
  // The result has the type of the computation of that name.
  runComputation(name, input)) as Compute;
