/** What a caller may say to `extract()`: types, defaults and checks. */
import { z } from 'zod';
import { PagewrightError, ValidationError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import type { UnverifiedChoice } from '../formats/json/provenance/provenance.ts';
import {
  type ProvenanceOptions,
  unverifiedChoices,
  verifies,
} from '../formats/json/provenance/provenance-options.ts';
import { type CompiledSchema, compileSchema, type SchemaInput } from '../formats/json/schema.ts';
import type { WebhookEvent, WebhookSettings } from '../model/webhook.ts';
import { startUrl } from './start-url.ts';
import { check } from './check.ts';
import {
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  type ScrapeOptions,
} from './scrape-options.ts';
import { extractEvents, parseWebhook, type WebhookOption } from './webhook-options.ts';

/** Options of `extract()`. */
export interface ExtractOptions<
  Schema extends SchemaInput = SchemaInput,
  Custom extends readonly Format[] = readonly [],
  Proven extends boolean = boolean,
> extends Pick<ProvenanceOptions, 'unverified'> {
  /** The pages. A URL that ends in `/*` stands for the pages of the site below it, found by `map()`. */
  readonly urls: readonly (string | URL)[];
  /** What to find: a zod 3 or 4 schema, any Standard Schema that yields JSON Schema, or JSON Schema. */
  readonly schema: Schema;
  /** Tell for each value where on which page it is, in `result.provenance`. @default false */
  readonly provenance?: Proven | undefined;
  /** Pages read at most for each URL that ends in `/*`. @default 100 */
  readonly limit?: number | undefined;
  /** For `/*`: pages on other hosts of the same registrable domain too. @default false */
  readonly includeSubdomains?: boolean | undefined;
  /** For `/*`: do not read the site's sitemaps. @default false */
  readonly ignoreSitemap?: boolean | undefined;
  /** Pages fetched at the same time. @default 8 */
  readonly maxConcurrency?: number | undefined;
  /** How the pages are fetched; formats and cleaning play no part here. */
  readonly scrapeOptions?:
    | Pick<
        ScrapeOptions<readonly [], Custom>,
        | 'headers'
        | 'timeout'
        | 'skipTlsVerification'
        | 'location'
        | 'limits'
        | 'engine'
        | 'proxy'
        | 'retries'
        | 'maxAge'
        | 'minAge'
        | 'cacheOnly'
        | 'storeInCache'
      >
    | undefined;
  /** Ends the job; `await job` then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
  /** Where the job's events are sent as they happen: a URL, or more about it. */
  readonly webhook?: WebhookOption<Exclude<WebhookEvent, 'page'>> | undefined;
}

/** One entry of `urls`: a page, or the site below a URL. */
export interface ExtractTarget {
  readonly url: string;
  readonly below: boolean;
}

/** Checked extract options. */
export interface ExtractSettings {
  readonly targets: readonly ExtractTarget[];
  readonly schema: CompiledSchema | Promise<CompiledSchema>;
  readonly provenance: boolean;
  readonly unverified: UnverifiedChoice;
  readonly limit: number;
  readonly includeSubdomains: boolean;
  readonly ignoreSitemap: boolean;
  readonly maxConcurrency: number;
  readonly page: PageSettings;
  readonly signal: AbortSignal | undefined;
  readonly webhook: WebhookSettings | undefined;
}

/** Checks the argument of `extract()`; throws at once. */
export function parseExtractOptions(options: unknown, defaults: ScrapeDefaults): ExtractSettings {
  const { prompt } = (options ?? {}) as { prompt?: unknown };
  if (prompt !== undefined) {
    throw new PagewrightError(
      'MODEL_REQUIRED',
      'extract: prompt needs a model, which this version does not bring. Describe the data by a schema.',
    );
  }
  const given = check('extract', extractSchema, options);
  return {
    targets: given.urls.map((url) => target(String(url))),
    schema: parseSchema(given.schema as SchemaInput),
    provenance: given.provenance ?? false,
    unverified: given.unverified ?? 'keep',
    limit: given.limit ?? 100,
    includeSubdomains: given.includeSubdomains ?? false,
    ignoreSitemap: given.ignoreSitemap ?? false,
    maxConcurrency: given.maxConcurrency ?? 8,
    page: parseScrapeOptions(
      { ...pageOptions(given.scrapeOptions), formats: verifies(given) ? ['markdown'] : [] },
      defaults,
      'extract: scrapeOptions',
    ),
    signal: given.signal,
    webhook: parseWebhook('extract', given.webhook, extractEvents),
  };
}

const extractSchema = z.strictObject({
  urls: z.array(z.union([z.string(), z.instanceof(URL)])).min(1),
  schema: z.custom(
    (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
    'expected a zod schema, a Standard Schema or a JSON Schema object',
  ),
  provenance: z.boolean().optional(),
  unverified: z.enum(unverifiedChoices).optional(),
  limit: z.int().min(1).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreSitemap: z.boolean().optional(),
  maxConcurrency: z.int().min(1).max(1000).optional(),
  scrapeOptions: z.looseObject({}).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  // Checked by parseWebhook.
  webhook: z.unknown().optional(),
} satisfies Record<keyof ExtractOptions, z.ZodType>);

/** What is wrong with a schema is said at once, as far as it can be told without loading its library. */
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

function target(url: string): ExtractTarget {
  const below = url.endsWith('/*');
  const remedy = 'give scrapeOptions.headers.Authorization';
  return { url: startUrl('extract', below ? url.slice(0, -1) : url, remedy), below };
}

const pageOptionNames = new Set([
  'headers',
  'timeout',
  'skipTlsVerification',
  'location',
  'limits',
  'engine',
  'proxy',
  'retries',
  'maxAge',
  'minAge',
  'cacheOnly',
  'storeInCache',
]);

/** Options that say what the document holds have no meaning where there is no document. */
function pageOptions(options: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  for (const name of Object.keys(options)) {
    if (pageOptionNames.has(name)) continue;
    const message = `scrapeOptions.${name}: extract takes only ${[...pageOptionNames].join(', ')}`;
    throw new ValidationError('extract', [{ path: ['scrapeOptions', name], message }]);
  }
  return options;
}
