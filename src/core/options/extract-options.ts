/** Options of `extract()`: types, defaults and checks. */
import { z } from 'zod';
import { PagewrightError, ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import {
  type ProvenanceOptions,
  type UnverifiedChoice,
  unverifiedChoices,
  verifies,
} from '../../extract/provenance/provenance.ts';
import type { RecipeChoice } from '../../extract/recipes/recipe.ts';
import {
  type CompiledSchema,
  compileSchema,
  type SchemaInput,
} from '../../extract/schema/compile-schema.ts';
import {
  type JsonMode,
  type ModelChoice,
  parseModelQuestion,
} from '../../content/formats/json-options.ts';
import type { WebhookEvent, WebhookSettings } from '../model/webhook.ts';
import { check } from '../checks/check.ts';
import { bareUrl } from '../url/normalize-url.ts';
import {
  concurrencyRow,
  concurrencyWarnings,
  extractBudgetSchema,
  startUrl,
} from './job-options.ts';
import { type Input, option, type Output, schemaOf, takenBy } from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import {
  type PageOptionsOf,
  pageRows,
  type PageSettings,
  parsePageOptions,
  scrapeOptionNames,
} from './scrape-options.ts';
import {
  type ExtractSearchOptions,
  parseExtractSearch,
  type SearchDefaults,
  type SearchSettings,
} from './search-options.ts';
import { extractEvents, parseWebhook, type WebhookOption } from './webhook-options.ts';

/** Options of `extract()`, besides those whose type depends on others. */
export const extractRows = {
  /**
   * The pages. A URL that ends in `/*` stands for all pages of the site below it, found by `map()`.
   * @default pages that the client's search engine finds for `search.query` or the `prompt`
   */
  urls: option<readonly (string | URL)[], readonly (string | URL)[]>(
    z.array(z.union([z.string(), z.instanceof(URL)])).min(1),
  ),
  /** The search for pages, without `urls`. `BAD_REQUEST` without an engine. @default 5 pages */
  // Checked by parseExtractSearch.
  search: option(z.custom<ExtractSearchOptions>()),
  /**
   * Leave out entries that are not URLs and list them in `invalidURLs` of the job and its result; false
   * throws `BAD_REQUEST` with all of them, and so does a list without any URL. @default true
   */
  ignoreInvalidURLs: option(z.boolean().default(true)),
  /**
   * The data to find, in words, for the client's model; `MODEL_REQUIRED` without one. If a URL that
   * ends in `/*` has more than `limit` pages, the best matches by title, URL and description are
   * read.
   */
  // Checked by parseChoice, as the next two.
  prompt: option(z.custom<string>()),
  /**
   * The reader of the pages: `model` the client's model alone; `markup` no model, but selectors,
   * structured data, tables and labels; `auto` the model if the client has one, but values from
   * selectors in the schema take precedence, and if they give everything no model is asked.
   * @default 'auto'
   */
  mode: option(z.custom<JsonMode>()),
  /**
   * Read pages by learned selectors: `learn` asks the model once for each page template, and uses
   * its answer, proven and stored, for all others; `use` takes stored recipes only; or recipes of
   * your own. Needs a schema. `result.recipes` reports the use. @default the model reads each page
   */
  recipe: option(z.custom<RecipeChoice>()),
  /**
   * Called with the partial data of a page while the model writes it: neither complete nor
   * validated. Only with a model that streams. If it throws, that page fails with `HOOK_FAILED`.
   */
  onPartial: option(
    z.custom<(partial: unknown, url: string) => void>(
      (value) => typeof value === 'function',
      'expected a function of the data so far and the URL',
    ),
  ),
  /** The most pages read for each URL that ends in `/*`. @default 100 */
  limit: option(z.int().min(1).default(100), {
    cli: '<count> maximum pages for each URL that ends in /* (default: 100)',
  }),
  /** For `/*`: include other hosts of the same registrable domain. @default false */
  includeSubdomains: option(z.boolean().default(false), {
    cli: 'for /*: include other hosts of the same domain',
  }),
  /** For `/*`: do not read the site's sitemaps. @default false */
  ignoreSitemap: option(z.boolean().default(false), { cli: 'for /*: do not read sitemaps' }),
  /** The most pages in flight, as far as the client's `maxConcurrency` allows. @default 8 */
  maxConcurrency: concurrencyRow,
  /**
   * Limits of the job: when one is used up, the job ends as completed with the data of the pages
   * read so far. `skipped` of the result lists the others, and its warning names the limit. If no
   * page was read it rejects with `EXTRACT_INVALID`. @default no limits
   */
  budget: option(extractBudgetSchema.default({}), {
    cli: '<name=number,…> stop when one is used up: seconds, bytes, credits, pages',
  }),
  /** Ends the job; `await job` then rejects with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal)),
  /** Where the job's events are sent as they happen: a URL, or an object with options. */
  // Checked by parseWebhook.
  webhook: option(z.custom<WebhookOption<Exclude<WebhookEvent, 'page'>>>()),
};

/** Options of `extract()`. */
export interface ExtractOptions<
  Schema extends SchemaInput | undefined = SchemaInput | undefined,
  Proven extends boolean = boolean,
>
  extends Input<typeof extractRows>, Pick<ProvenanceOptions, 'unverified'> {
  /**
   * The data to find: a zod 3 or 4 schema, any Standard Schema that yields JSON Schema, or JSON
   * Schema. Optional with a `prompt`: then the data is any JSON object, of the type `unknown`.
   */
  readonly schema?: Schema | undefined;
  /** Add the source of each value, page and position, in `result.provenance`. @default false */
  readonly provenance?: Proven | undefined;
  /**
   * Options for fetching the pages; formats and cleaning other than
   * `redact` do not apply here. With a model `timeout`,
   * which covers its answer, defaults to 60000.
   */
  readonly scrapeOptions?: PageOptionsOf<'extract'> | undefined;
}

/** One entry of `urls`: a page, or the site below a URL. */
export interface ExtractTarget {
  readonly url: string;
  readonly below: boolean;
}

/** Checked extract options. */
export interface ExtractSettings extends Pick<
  Output<typeof extractRows>,
  'onPartial' | 'limit' | 'includeSubdomains' | 'ignoreSitemap' | 'budget' | 'signal'
> {
  readonly targets: readonly ExtractTarget[];
  /** The search for pages, in place of `targets`. */
  readonly search: SearchSettings | undefined;
  /** As the caller gave them. */
  readonly invalidUrls: readonly string[];
  /** Undefined only with a prompt, for a model. */
  readonly schema: CompiledSchema | Promise<CompiledSchema> | undefined;
  readonly choice: ModelChoice;
  readonly provenance: boolean;
  readonly unverified: UnverifiedChoice;
  readonly maxConcurrency: number;
  readonly page: PageSettings;
  /** Sentences about the options, for the job's warning. */
  readonly warnings: readonly string[];
  readonly webhook: WebhookSettings | undefined;
}

/** Checks the argument of `extract()`; throws at once. */
export function parseExtractOptions(options: unknown, defaults: SearchDefaults): ExtractSettings {
  const given = check('extract', extractSchema, options, {
    hintFor: optionHints('extract()', {
      all: scrapeOptionNames,
      taken: Object.keys(extractPageRows),
    }),
  });
  const choice = parseChoice(given, defaults.model !== undefined);
  const page = parsePageOptions(
    'extract',
    { ...pageOptions(given.scrapeOptions), formats: verifies(given) ? ['markdown'] : [] },
    defaults,
  );
  const isPatient = choice.asksModel && given.scrapeOptions?.['timeout'] === undefined;
  return {
    ...given,
    ...parsePages(given, defaults),
    schema: given.schema === undefined ? undefined : parseSchema(given.schema as SchemaInput),
    choice,
    maxConcurrency: given.maxConcurrency ?? 8,
    warnings: concurrencyWarnings(given, defaults.concurrency),
    page: isPatient ? { ...page, timeout: modelTimeout } : page,
    webhook: parseWebhook('extract', given.webhook, extractEvents),
  };
}

const checkedRows = {
  ...extractRows,
  schema: option(
    z.custom(
      (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
      'expected a zod schema, a Standard Schema or a JSON Schema object',
    ),
  ),
  provenance: option(z.boolean().default(false)),
  unverified: option(z.enum(unverifiedChoices).default('keep')),
  scrapeOptions: option(z.looseObject({})),
};

const extractSchema = schemaOf(checkedRows);

type GivenOptions = Output<typeof checkedRows>;

/** The timeout for a page that a model reads, in milliseconds. */
const modelTimeout = 60_000;

function parseChoice(
  { prompt, mode, recipe, schema, onPartial }: GivenOptions,
  hasModel: boolean,
): ModelChoice {
  const refuse = (message: string): ValidationError => {
    const name = /^(?:prompt|mode|recipe|onPartial)(?=:)/.exec(message)?.[0] ?? 'schema';
    return new ValidationError('extract', [{ path: [name], message }]);
  };
  let choice: ModelChoice;
  try {
    choice = parseModelQuestion(
      'extract',
      { prompt, mode, recipe, hasSchema: schema !== undefined },
      hasModel,
    );
  } catch (error) {
    throw error instanceof PagewrightError ? error : refuse((error as Error).message);
  }
  if (onPartial !== undefined && choice.recipe !== undefined) {
    throw refuse('onPartial: a recipe reads a page in one step; leave one of them out');
  }
  if (onPartial === undefined || choice.asksModel) return choice;
  throw refuse('onPartial: it reports what a model writes, and no model is used; leave it out');
}

/**
 * Errors of a schema are reported at once, as far as they are known without loading its library.
 */
function parseSchema(input: SchemaInput): CompiledSchema | Promise<CompiledSchema> {
  try {
    const schema = compileSchema(input);
    // It is awaited when the job runs; until then a failure must not count as unhandled.
    if (schema instanceof Promise) schema.catch(() => undefined);
    return schema;
  } catch (error) {
    throw error instanceof ValidationError ? new ValidationError('extract', error.issues) : error;
  }
}

function parsePages(
  { urls, search, prompt, ignoreInvalidURLs }: GivenOptions,
  defaults: SearchDefaults,
): Pick<ExtractSettings, 'targets' | 'invalidUrls' | 'search'> {
  if (urls === undefined) {
    if (search === undefined && prompt === undefined) {
      const message =
        'urls: expected a list of URLs; or give a prompt or search: { query } to find pages';
      throw new ValidationError('extract', [{ path: ['urls'], message }]);
    }
    return { targets: [], invalidUrls: [], search: parseExtractSearch(search, prompt, defaults) };
  }
  if (search !== undefined) {
    const message = 'search: urls already names the pages; leave one of them out';
    throw new ValidationError('extract', [{ path: ['search'], message }]);
  }
  return { ...parseTargets(urls.map(String), ignoreInvalidURLs), search: undefined };
}

/** Leaves out entries that are not URLs, unless none is left. */
function parseTargets(
  urls: readonly string[],
  ignoreInvalidUrls: boolean,
): Pick<ExtractSettings, 'targets' | 'invalidUrls'> {
  const targets: ExtractTarget[] = [];
  const invalidUrls: string[] = [];
  const issues: ValidationIssue[] = [];
  for (const [index, url] of urls.entries()) {
    try {
      targets.push(targetSchema(url));
    } catch (error) {
      // A URL with a password is valid: its own error says what to change.
      if (!(error instanceof PagewrightError) || error instanceof ValidationError) throw error;
      invalidUrls.push(bareUrl(url));
      issues.push({ path: ['urls', index], message: `urls[${index}]: ${error.message}` });
    }
  }
  const areRefused = issues.length > 0 && !ignoreInvalidUrls;
  if (areRefused || targets.length === 0) throw new ValidationError('extract', issues);
  return { targets, invalidUrls };
}

function targetSchema(url: string): ExtractTarget {
  const below = url.endsWith('/*');
  const remedy = 'use scrapeOptions.headers.Authorization';
  return { url: startUrl('extract', below ? url.slice(0, -1) : url, remedy), below };
}

/** The page options that `extract()` takes. */
export const extractPageRows = takenBy('extract', pageRows);

/** Options for the content of the document do not apply: there is no document. */
function pageOptions(options: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(extractPageRows, name)) continue;
    const message = `scrapeOptions.${name}: extract takes only ${Object.keys(extractPageRows).join(', ')}`;
    throw new ValidationError('extract', [{ path: ['scrapeOptions', name], message }]);
  }
  return options;
}
