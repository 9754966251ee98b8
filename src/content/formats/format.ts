/** A format reads a page and gives one value of the document. Built-in and custom formats share this interface. */
import type { ActionResults } from '../../browser/actions/action-types.ts';
import type { JsonFindings } from '../../extract/finish-extraction.ts';
import type { RecipeQuestion } from '../../extract/recipes/page-recipes.ts';
import type { RecipeReader, RecipeResult } from '../../extract/recipes/recipe-page.ts';
import type { CompiledSchema } from '../../extract/schema/json-schema.ts';
import type { Model, ModelUsage } from '../../extract/llm/model.ts';
import type { Branding } from '../../core/model/branding.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { FormatMethods } from '../../core/model/document.ts';
import type { ModelText, Page } from '../../core/model/page.ts';
import type { NetworkRequest } from '../../core/model/network-request.ts';
import type { Rendering, ScreenshotSettings } from '../../core/model/request.ts';
import type { Limits } from '../../core/model/request-options.ts';
import type { Asset, Picture, Snapshot } from '../../core/model/snapshot.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Compute } from './computations.ts';

/** The context of a format's run, beside the page and the options. */
export interface FormatContext {
  /** Aborts with the scrape. Never aborts in a worker, which is ended instead. */
  readonly signal: AbortSignal;
  /** Bounds on what is read from one page. */
  readonly limits: Limits;
}

/** Facts about the client that the check of options needs. */
export interface OptionContext {
  /** The client has a language model. */
  readonly hasModel: boolean;
}

/**
 * A format. `Value` is the type of the document's field and `Options` the type of the checked object
 * form. A format with `finish` has two steps: `run` reads the page, `finish` makes the value of what
 * `run` found.
 */
export interface Format<
  Name extends string = string,
  Value = unknown,
  Options = unknown,
  Found = Value,
  RunOptions = Options,
> {
  /** The document's field: `links` → `document.links`. */
  readonly name: Name;
  /** `page`: `run` reads the page as parsed, before cleaning. `content`: it reads the cleaned page. */
  readonly needs: 'page' | 'content';
  /**
   * The URL of the JavaScript module that exports the format: `import.meta.url` in the module itself, or
   * `import.meta.resolve('./my-format.js')`. With it `run` is called in a worker, which ends at the
   * deadline, even in the middle of a loop. Its options and its result have to be cloneable, and the
   * worker has no environment variables and no loaders. `HOOK_FAILED` where the module cannot be loaded.
   * @default `run` is called on the caller's thread
   */
  readonly worker?: string | undefined;
  /**
   * True for a format that has to see each visit, such as one that compares the page with the last visit:
   * pages come from the site whatever `maxAge` says, unless nothing may be fetched, and a recrawl also reads pages that did not
   * change or that no link leads to any more. @default false
   */
  readonly everyVisit?: boolean | undefined;
  /**
   * True for a format whose value is the content or a part of it: a page without content gets the
   * warning "The page has no content." @default false
   */
  readonly showsContent?: boolean | undefined;
  /**
   * Checks and completes the object form `{ type: name, …options }`, without `type`.
   * Without it the format takes no options. Throw an `Error` with a message for the caller.
   */
  readonly parseOptions?: (
    options: Readonly<Record<string, unknown>>,
    context?: OptionContext,
  ) => Options;
  /** What `finish` uses beside the result of `run`; called once for each request. @default nothing */
  uses?(options: Options): FormatUses;
  /** The options of `run`, plain data for a worker. @default the options */
  runOptions?(options: Options): RunOptions;
  /** Reads the page. The value of a format without `finish`. */
  run(page: Page, options: RunOptions, context: FormatContext): Found | Promise<Found>;
  /** Makes the value, on the caller's thread. */
  finish?(found: Found, options: Options, context: FinishContext): Value | Promise<Value>;
}

/** A built-in format that a custom format of the same name may replace. */
export interface ReplaceableFormat<Name extends string, Value, Options> extends Format<
  Name,
  Value,
  Options
> {
  readonly isReplaceable: true;
}

/** The `worker` of built-in formats, which a worker has without loading a module. */
export const builtInModule = 'pagewright:formats';

/** The first step of a built-in format that reads nothing of the page itself. */
export const readsNothing = {
  needs: 'page',
  worker: builtInModule,
  runOptions: () => undefined,
  run: () => null,
} as const;

/** What the second step of a format uses, all of it plain data. */
export interface FormatUses {
  /** Formats that have to be requested as well; `BAD_REQUEST` where one is missing. */
  readonly requires?: readonly RequiredFormat[] | undefined;
  /** `markdown`, also where the document does not have it. @default false */
  readonly markdown?: boolean | undefined;
  /** `model` and `modelText`; `MODEL_REQUIRED` without a model. @default false */
  readonly model?: boolean | undefined;
  /** `modelText` without a model. @default the same as `model` */
  readonly modelText?: boolean | undefined;
  /** `captured`, of an engine that renders. */
  readonly captures?: CaptureSettings | undefined;
  /** `findings`: the data for a schema, read without a model from the page before cleaning. */
  readonly schema?: SchemaUse | undefined;
  /** `readByRecipe`: learned selectors for the page. */
  readonly recipe?: RecipeUse | undefined;
  /** `visit.saysMissing`: whether the page says "not found". @default false */
  readonly missing?: boolean | undefined;
  /**
   * `body` and nothing of the page: where all formats do, the page need not be of a type that can be parsed. @default
   * false
   */
  readonly onlyBytes?: boolean | undefined;
  /**
   * `visit.files.download`: files may change although the page does not, so a recrawl reads each page anew, and error
   * pages are read without the format. @default false
   */
  readonly downloads?: boolean | undefined;
}

/** A format that another one requires in the same document. */
export interface RequiredFormat {
  readonly name: string;
  /** An option that it must not have. */
  readonly without?: string | undefined;
  /** The part that requires it. @default the name of the other format */
  readonly by?: string | undefined;
}

/** A schema to fill without a model. */
export interface SchemaUse {
  /** Undefined: nothing is searched for. */
  readonly schema: CompiledSchema | Promise<CompiledSchema> | undefined;
  /** Takes only values from selectors in the schema: a model reads the others. @default false */
  readonly onlySelectors?: boolean | undefined;
  /** Reads only pages that are not HTML: recipes read the others. @default false */
  readonly onlyText?: boolean | undefined;
}

/** A question for learned selectors. */
export interface RecipeUse extends Omit<RecipeQuestion, 'schema'> {
  readonly schema: CompiledSchema | Promise<CompiledSchema>;
}

/** Captures of an open page. Formats of one document that set the same field differently are `BAD_REQUEST`. */
export interface CaptureSettings {
  readonly screenshot?: Partial<ScreenshotSettings> | undefined;
  readonly branding?: Rendering['branding'] | undefined;
  readonly requests?: Rendering['requests'] | undefined;
}

/** Captures of an open page, as fields of the document. */
export interface CapturedFields {
  readonly screenshot?: string;
  readonly branding?: Branding;
  readonly requests?: readonly NetworkRequest[];
  readonly actions?: ActionResults;
}

/** The context of a format's second step, beside the findings of the first. */
export interface FinishContext {
  /** Aborts with the scrape. */
  readonly signal: AbortSignal;
  /** The final URL of the page. */
  readonly url: string;
  /** The page as it was received or rendered. */
  readonly body: Uint8Array;
  /** The media type that it was read as. */
  readonly mediaType: string;
  /** The client's model. */
  readonly model: Model | undefined;
  /** The page as a model may read it, where the format needs a model or this text. */
  readonly modelText: ModelText | undefined;
  /** The page's markdown as the caller gets it, but without options; undefined when no format needs it. */
  readonly markdown: string | undefined;
  /** The data for the schema that the format uses. */
  readonly findings: JsonFindings | undefined;
  /** The page's language, as a language tag. */
  readonly language: string | undefined;
  /** The captures of the page, as fields of the document. */
  readonly captured: CapturedFields;
  /** Fields of the document beside the format's own. */
  readonly fields: Map<string, unknown>;
  /** The method by which a format that can do without a model made its value. */
  readonly methods: FormatMethods;
  /** The visit and the client's storage; undefined for a format that runs without a client. */
  readonly visit: FormatVisit | undefined;
  /** Adds a sentence to the document's `warning`. */
  readonly warn: (sentence: string) => void;
  /** Counts the tokens that a model request used. */
  readonly use: (usage: ModelUsage) => void;
  /** Runs work that takes time with the length of the page. */
  readonly compute: Compute;
  /** Reads the page by learned selectors; undefined where none are requested or the page has no elements. */
  readonly readByRecipe?:
    ((reader: Omit<RecipeReader, 'signal'>) => Promise<RecipeResult | undefined>) | undefined;
}

/** The visit of a page, for a format that keeps data between visits. */
export interface FormatVisit {
  /** The client's storage. */
  readonly store: Store;
  readonly clock: Clock;
  /** The normalised URL that was requested. */
  readonly url: string;
  readonly statusCode: number;
  /** The identity that the page was requested with. */
  readonly identity: string | undefined;
  /** The crawl or batch. */
  readonly jobId: string | undefined;
  /** True when the site blocked the page, whatever its status. */
  readonly isBlocked: boolean;
  /** True for a copy from the cache that was not confirmed: nothing was visited. */
  readonly isCached: boolean;
  /** True when the body ended early. */
  readonly isCut: boolean;
  /** True in a crawl for a page that is known from before and that no link leads to. */
  readonly isHidden: boolean;
  /** Nothing of the page may be stored. */
  readonly zeroDataRetention: boolean;
  /** The screenshot. */
  readonly picture: Picture | undefined;
  /** True for a page that says "not found", where a format needs that. */
  readonly saysMissing: boolean;
  /** Redacts personal data in a value that was stored before; undefined: nothing is redacted. */
  readonly redact?: (<Value>(value: Value) => Value) | undefined;
  readonly files: PageFiles;
}

/** The files that belong to a page: their download, and the place where they are kept. */
export interface PageFiles {
  /**
   * Downloads a file that the page refers to, as the page was requested: by the same network policy, robots.txt, pace
   * and proxies, and with its headers where the file has the same origin. The clock of the page stands still. Rejects
   * for an answer of 400 and above, and for more than `maxBytes`.
   */
  download(url: string, options: DownloadOptions): Promise<DownloadedFile>;
  /** Gives a file to the client's `assets`, whose text is `path`; without them to its storage, under `key`. */
  keep(file: PageFile, options: { readonly maxJobBytes: number }): Promise<KeptFile>;
  /** Gives a file to the client's `assets`; undefined where the client has none. */
  place(file: PageFile): Promise<string | undefined>;
  /** Work for a URL that is done once in a job: later calls get the same result. */
  once<T>(url: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** A file of a page, without the facts of the page. */
export type PageFile = Omit<Asset, 'scrapeId' | 'boxes'>;

/** The bounds of a download. */
export interface DownloadOptions {
  readonly maxBytes: number;
  /** Ends the download. */
  readonly signal: AbortSignal;
}

/** A file that was downloaded. */
export interface DownloadedFile extends Pick<Snapshot, 'url' | 'body'> {
  /** By its first bytes, its Content-Type and its name. */
  readonly mediaType: string;
  /** By its bytes alone. */
  readonly sniffedType: string;
  /** Pixels, for an image. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Where a file is kept: one of the two. */
export interface KeptFile {
  readonly key?: string;
  readonly path?: string;
}

/** A format together with its checked options, as the pipeline runs it. */
export interface FormatRequest {
  readonly format: Format;
  readonly options: unknown;
  readonly uses: FormatUses;
}

/**
 * Defines a custom format; pass it by value: `scrape(url, { formats: ['links', wordCount] })`.
 *
 * Its `run` is called on your thread, however heavy the page, or in a worker with `worker`.
 *
 * @example
 * export const wordCount = defineFormat({
 *   name: 'wordCount',
 *   needs: 'content',
 *   worker: import.meta.url,
 *   run: (page) => page.kind === 'html' ? (page.root.textContent ?? '').split(/\s+/).length : 0,
 * });
 */
export function defineFormat<
  const Name extends string,
  Found,
  Value = Found,
  Options = undefined,
  RunOptions = Options,
>(
  format: Format<Name, Value, Options, Found, RunOptions>,
): Format<Name, Value, Options, Found, RunOptions> {
  return format;
}
