/** A page as it is read for recipes: plain data, so that a worker can read it. */
import type { Model, ModelUsage } from '../../llm/model.ts';
import type { InstructionAttempt, UnreadStyles } from '../../model/page.ts';
import type { PageExtraction } from '../heuristics/extract-without-model.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { RecipeReport } from './recipe.ts';

/** What is wanted of the page. */
export interface RecipeWish {
  /** Selector schemas to be tried. */
  readonly candidates: readonly JsonSchema[];
  /** Characters of the outline that a model may read; 0: none is wanted. */
  readonly outline: number;
  /** Give the text for a model where the page is no HTML and recipes say nothing. */
  readonly asksModel: boolean;
  /** Fill the plan's schema only where the page is no HTML. */
  readonly isInsteadOfSchema?: boolean | undefined;
}

/** What one selector schema gave. */
export interface TriedSchema {
  readonly extraction: PageExtraction;
  /** How many elements the selectors of single values matched, by path. */
  readonly matches: Readonly<Record<string, number>>;
}

/** What was read. */
export interface RecipeReading {
  /** One for each candidate; undefined for one that takes too long on this page. */
  readonly tried: readonly (TriedSchema | undefined)[];
  /** Names of elements: classes, ids, labels. A template's pages have mostly the same. */
  readonly names: readonly string[];
  /** How elements are nested, without names: it outlasts a renaming. */
  readonly shape: readonly string[];
  readonly outline?: PageOutline | undefined;
  readonly attempts: readonly InstructionAttempt[];
  readonly unreadStyles: UnreadStyles;
  /** The page as hooks left it, where there are any. */
  readonly html?: string | undefined;
}

/** A page for a model that writes selectors: what readers see, with the names of its elements. */
export interface PageOutline {
  /** Simplified HTML. */
  readonly html: string;
  /** Rows that are like those before them were left out, or the end. */
  readonly isShortened: boolean;
}

/** A page that was read, and can be read again. */
export interface RecipePage {
  readonly url: string;
  /** From the site, with an error: nothing is learned from it. */
  readonly isError: boolean;
  /** The first reading, with the candidates that there were. */
  readonly reading: RecipeReading;
  read(wish: Pick<RecipeWish, 'candidates' | 'outline'>): Promise<RecipeReading>;
}

// The reader of a page by recipes, and its result.

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
