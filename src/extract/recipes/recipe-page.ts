/** A page as input for recipes: plain data, so that a worker can read it. */
import type { Model, ModelUsage } from '../llm/model.ts';
import type { InstructionAttempt, UnreadStyles } from '../../core/model/page.ts';
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { RecipeReport } from './recipe.ts';

/** The requested parts of the page. */
export interface RecipeReadingRequest {
  /** Selector schemas to try. */
  readonly candidates: readonly JsonSchema[];
  /** Characters of the outline for a model; 0 for no outline. */
  readonly outline: number;
  /** Return the text for a model if the page is not HTML, so that recipes do not apply. */
  readonly asksModel: boolean;
}

/** The result of one selector schema. */
export interface TriedSchema {
  readonly extraction: PageExtraction;
  /** How many elements the selectors of single values matched, by path. */
  readonly matches: Readonly<Record<string, number>>;
}

/** The parts that were read. */
export interface RecipeReading {
  /** One result for each candidate; undefined for one that takes too long on this page. */
  readonly tried: readonly (TriedSchema | undefined)[];
  /** Names of elements: classes, ids, labels. Pages of one template share most of them. */
  readonly names: readonly string[];
  /** The nesting of elements, without names: it survives a renaming. */
  readonly shape: readonly string[];
  readonly outline?: MarkupOutline | undefined;
  readonly attempts: readonly InstructionAttempt[];
  readonly unreadStyles: UnreadStyles;
  /** The page after hooks, if there are any. */
  readonly html?: string | undefined;
}

/** A page for a model that writes selectors: visible content, with the names of its elements. */
export interface MarkupOutline {
  /** Simplified HTML. */
  readonly html: string;
  /** True when repeated rows, or the end, were left out. */
  readonly isShortened: boolean;
}

/** A page that was read, and can be read again. */
export interface RecipePage {
  readonly url: string;
  /** True for an error page of the site: nothing is learned from it. */
  readonly isError: boolean;
  /** The first reading, with the initial candidates. */
  readonly reading: RecipeReading;
  read(request: Pick<RecipeReadingRequest, 'candidates' | 'outline'>): Promise<RecipeReading>;
}

// The reader of a page by recipes, and its result.

/** The model that reads, and the callbacks. */
export interface RecipeReader {
  readonly model: Model | undefined;
  readonly signal: AbortSignal;
  readonly warn: (sentence: string) => void;
  readonly use: (usage: ModelUsage) => void;
}

/** The result for a page. */
export interface RecipeResult {
  readonly extraction: PageExtraction;
  readonly report: RecipeReport;
}
