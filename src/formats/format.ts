/** A format reads a page and gives one value of the document. */
import type { Model, ModelUsage } from '../llm/model.ts';
import type { FormatMethods } from '../model/document.ts';
import type { ModelText, Page } from '../model/page.ts';
import type { Limits } from '../model/request.ts';
import type { Compute } from './computations.ts';
import type { RecipeQuestion } from '../extraction/learned-selectors/page-recipes.ts';
import type { RecipeReader, RecipeResult } from '../extraction/learned-selectors/recipe-page.ts';

/** The context of a format's run, beside the page and the options. */
export interface FormatContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** Bounds on what is read from one page. */
  readonly limits: Limits;
}

/** Facts about the client that the check of options needs. */
export interface OptionContext {
  /** The client has a language model. */
  readonly hasModel: boolean;
}

/** A format. Its `Value` is the type of the document's field, `Options` is the type of its object form. */
export interface Format<Name extends string = string, Value = unknown, Options = unknown> {
  /** The document's field: `links` → `document.links`. */
  readonly name: Name;
  /**
   * `page`: reads the page as parsed, before cleaning. `content`: reads the cleaned page. `capture`: does
   * not run, since the engine makes it; for built-in formats only.
   */
  readonly needs: 'page' | 'content' | 'capture';
  /**
   * True for a format that has to see each visit, such as one that compares the page with the last visit:
   * pages come from the site unless `maxAge` is given, and a recrawl also reads pages that did not
   * change or that no link leads to any more. @default false
   */
  readonly everyVisit?: boolean | undefined;
  /**
   * Checks and completes the object form `{ type: name, …options }`, without `type`.
   * Without it the format takes no options. Throw an `Error` with a message for the caller.
   */
  readonly parseOptions?: (
    options: Readonly<Record<string, unknown>>,
    context?: OptionContext,
  ) => Options;
  run(page: Page, options: Options, context: FormatContext): Value | Promise<Value>;
}

/** A built-in format that a custom format of the same name may replace. */
export interface ReplaceableFormat<Name extends string, Value, Options> extends Format<
  Name,
  Value,
  Options
> {
  readonly isReplaceable: true;
}

/** The context of a format's second step, beside the findings of the first. */
export interface FinishContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** The client's model. */
  readonly model: Model | undefined;
  /** The page as a model may read it, where the format wants it. */
  readonly modelText: ModelText | undefined;
  /** The page's markdown as the caller gets it; undefined when no format needs it. */
  readonly markdown: string | undefined;
  /** The page's language, as a language tag. */
  readonly language: string | undefined;
  /** Fields of the document beside the format's own. */
  readonly fields: Map<string, unknown>;
  /** Where a format that can do without a model says how its value was made. */
  readonly methods: FormatMethods;
  /** Adds a sentence to the document's `warning`. */
  readonly warn: (sentence: string) => void;
  /** Counts the tokens that a model request used. */
  readonly use: (usage: ModelUsage) => void;
  /** Runs work that takes time with the length of the page. */
  readonly compute: Compute;
  /** Reads the page by learned recipes; undefined where none are wanted or the page has no elements. */
  readonly readByRecipe?:
    ((reader: Omit<RecipeReader, 'signal'>) => Promise<RecipeResult | undefined>) | undefined;
}

/**
 * A built-in format whose options hold functions, such as a schema's checks: the first step runs in a
 * worker with plain options, the second finishes the value on the caller's thread.
 */
export interface TwoStepFormat<
  Name extends string = string,
  Value = unknown,
  Options = unknown,
  Found = unknown,
  PlainOptions = unknown,
> extends Format<Name, Value, Options> {
  /** The first step. Its options and its value are plain data. */
  readonly reading: Format<Name, Found, PlainOptions>;
  /** The part of the options that the first step needs. */
  plainOptions(options: Options): PlainOptions | Promise<PlainOptions>;
  /** True when the second step needs the page's markdown. */
  needsMarkdown?(options: Options): boolean;
  /** True when the second step asks a model about the page. */
  wantsModelText?(options: Options): boolean;
  /** Says, in words for the caller, which format of the same document is missing. */
  missing?(options: Options, formats: readonly FormatRequest[]): string | undefined;
  /** The question for learned recipes. */
  recipeQuestion?(options: Options): Promise<RecipeQuestion | undefined>;
  /** The second step; `url` is the page's, for messages. */
  finish(
    found: Found,
    options: Options,
    url: string,
    context?: FinishContext,
  ): Value | Promise<Value>;
}

/** A format together with its checked options: what the pipeline runs. */
export interface FormatRequest {
  readonly format: Format;
  readonly options: unknown;
}

/**
 * Defines a custom format; pass it by value: `scrape(url, { formats: ['links', wordCount] })`.
 *
 * Pages for a custom format are read on your thread, however heavy: functions cannot be sent to a worker.
 *
 * @example
 * const wordCount = defineFormat({
 *   name: 'wordCount',
 *   needs: 'content',
 *   run: (page) => page.kind === 'html' ? (page.root.textContent ?? '').split(/\s+/).length : 0,
 * });
 */
export function defineFormat<const Name extends string, Value, Options = undefined>(
  format: Format<Name, Value, Options>,
): Format<Name, Value, Options> {
  return format;
}
