/** Who reads a page by recipes, and what comes of it. */
import type { Model, ModelUsage } from '../../../llm/model.ts';
import type { PageExtraction } from '../extract-without-model.ts';
import type { RecipeReport } from './recipe-report.ts';

/** Who reads, and who is told. */
export interface RecipeReader {
  readonly model: Model | undefined;
  readonly signal: AbortSignal;
  readonly warn: (sentence: string) => void;
  readonly use: (usage: ModelUsage) => void;
}

/** What came of it. */
export interface RecipeResult {
  readonly extraction: PageExtraction;
  readonly report: RecipeReport;
}
