/** A format reads a page and gives one value of the document. */
import type { Model, ModelUsage } from '../llm/model.ts';
import type { FormatMethods } from '../model/document.ts';
import type { ModelText, Page } from '../model/page.ts';
import type { Limits } from '../model/request.ts';
import type { Compute } from './computations.ts';
import type { RecipeQuestion } from '../extraction/learned-selectors/page-recipes.ts';
import type { RecipeReader, RecipeResult } from '../extraction/learned-selectors/recipe-page.ts';

/** What a format is told beside the page and its options. */
export interface FormatContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** How much is taken from one page. */
  readonly limits: Limits;
}

/** What the check of options is told of the client. */
export interface OptionContext {
  /** The client has a language model. */
  readonly hasModel: boolean;
}

/** A format. Its `Value` is the type of the document's field, `Options` those of its object form. */
export interface Format<Name extends string = string, Value = unknown, Options = unknown> {
  /** The document's field: `links` → `document.links`. */
  readonly name: Name;
  /**
   * `page`: reads the page as parsed, before cleaning. `content`: reads the cleaned page. `capture`: is
   * not run, since the engine makes it; of the built-in formats only.
   */
  readonly needs: 'page' | 'content' | 'capture';
  /**
   * True for a format that has to see each visit, such as one that compares the page with the last one:
   * pages come from the site unless `maxAge` is given, and a recrawl reads those too that did not
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

/** A built-in format that one of the client's with the same name may replace. */
export interface ReplaceableFormat<Name extends string, Value, Options> extends Format<
  Name,
  Value,
  Options
> {
  readonly isReplaceable: true;
}

/** What a second step is told beside what the first one found. */
export interface FinishContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** The client's. */
  readonly model: Model | undefined;
  /** The page as a model may read it, where the format wants it. */
  readonly modelText: ModelText | undefined;
  /** The page's markdown as the caller gets it; undefined when nobody needs it. */
  readonly markdown: string | undefined;
  /** The page's, as a language tag. */
  readonly language: string | undefined;
  /** Fields of the document beside the format's own. */
  readonly fields: Map<string, unknown>;
  /** Where a format that can do without a model says how its value was made. */
  readonly methods: FormatMethods;
  /** Adds a sentence to the document's `warning`. */
  readonly warn: (sentence: string) => void;
  /** Counts what a request of the model used. */
  readonly use: (usage: ModelUsage) => void;
  /** Does what takes time with the length of the page. */
  readonly compute: Compute;
  /** Reads the page by learned recipes; undefined where none are wanted, or it has no elements. */
  readonly readByRecipe?:
    ((reader: Omit<RecipeReader, 'signal'>) => Promise<RecipeResult | undefined>) | undefined;
}

/**
 * A format of ours whose options hold functions, such as a schema's checks: the page is read with
 * what can be sent to a thread, and the value is finished where the caller is.
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
  /** What is missing among the formats of the same document, in words for the caller. */
  missing?(options: Options, formats: readonly FormatRequest[]): string | undefined;
  /** What is to be read by learned recipes. */
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
 * Makes a format of your own; hand it over by value: `scrape(url, { formats: ['links', wordCount] })`.
 *
 * A page that it reads is read on your thread, however heavy: functions cannot be sent to another.
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
