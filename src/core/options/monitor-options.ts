/** Options of `monitor()`: types, defaults and checks. */
import { z } from 'zod';
import { ValidationError } from '../runtime/errors.ts';
import type { SchemaInput } from '../../extract/schema/compile-schema.ts';
import {
  parseTrackingOptions,
  type TrackingSettings,
} from '../../content/formats/change-tracking/tracking-options.ts';
import { requireModel } from '../../extract/llm/model.ts';
import type { WebhookSettings } from '../model/webhook.ts';
import { check } from '../checks/check.ts';
import { type Input, list, option, required, schemaOf } from '../checks/option.ts';
import type { Redaction } from '../../content/text/redactor.ts';
import { uuidOf } from '../runtime/identifiers.ts';
import { type CrawlOptions, type CrawlSettings, parseCrawlOptions } from './crawl-options.ts';
import { siteRows } from './job-options.ts';
import type { ScrapeDefaults, ScrapeOptions } from './scrape-options.ts';
import { parseWebhook, type WebhookOptions } from './webhook-options.ts';
import { durationSchema } from '../checks/duration.ts';

/** 366 days. */
const longest = 31_622_400_000;

const targetRows = {
  /**
   * Values to compare in place of the text, by a zod schema, a Standard Schema or JSON Schema, as in the format
   * `json`: a page is reported when they change, field by field. If they cannot be read, the text is compared.
   */
  schema: option(z.custom<SchemaInput>()),
  /** Describes the values of `schema` for the client's model; `MODEL_REQUIRED` without one. */
  prompt: option(z.string()),
  /** Regular expressions, as text or RegExp: their matches in the markdown are not compared. */
  ignore: option(list(z.union([z.string(), z.instanceof(RegExp)]), 100)),
  /** The time between two looks at this target. @default that of the monitor */
  every: option(durationSchema(1000, longest)),
};

/** Options of both kinds of target. */
interface TargetOptions
  extends Input<typeof targetRows>, Pick<CrawlOptions, 'ignoreRobotsTxt' | 'delay'> {
  /** How its pages are requested and cleaned. `excludeTags` leaves elements out of the comparison. */
  readonly scrapeOptions?: Omit<ScrapeOptions, 'formats' | 'signal'> | undefined;
}

/** One page. */
export interface MonitoredPage extends TargetOptions {
  readonly url: string | URL;
}

/** The pages of a site, as `crawl()` finds them. */
export interface MonitoredSite
  extends
    TargetOptions,
    Pick<
      CrawlOptions,
      | 'includePaths'
      | 'excludePaths'
      | 'regexOnFullURL'
      | 'maxDiscoveryDepth'
      | 'crawlEntireDomain'
      | 'allowSubdomains'
      | 'sitemap'
      | 'ignoreQueryParameters'
      | 'maxConcurrency'
    > {
  readonly crawl: string | URL;
  /** Pages at most, up to 10000. @default 100 */
  readonly limit?: number | undefined;
}

/** What a monitor watches; a URL is one page. */
export type MonitorTarget = string | URL | MonitoredPage | MonitoredSite;

/** A checked target. */
export interface TargetSettings {
  /** The same for the same page or site, whatever its other options. */
  readonly key: string;
  /** Normalised. */
  readonly url: string;
  readonly isSite: boolean;
  /** Milliseconds. */
  readonly every: number | undefined;
  readonly crawlOptions: Readonly<Record<string, unknown>>;
  readonly tracking: TrackingSettings;
  /** What is taken out of pages; of versions that were stored without it, too. */
  readonly redact: readonly Redaction[] | undefined;
}

/** Checked options. */
export interface MonitorSettings {
  readonly id: string;
  readonly targets: readonly TargetSettings[];
  /** Milliseconds. */
  readonly jitter: number;
  readonly goal: string | undefined;
  readonly webhook: WebhookSettings | undefined;
  readonly notifyUnchanged: boolean;
  readonly volatileAfter: number;
  /** Milliseconds. */
  readonly timeout: number;
}

const address = z.union([z.string(), z.instanceof(URL)]);

const checkedRows = {
  ...targetRows,
  // Checked as in crawl().
  scrapeOptions: option(
    z.looseObject({
      formats: z.undefined('a monitor compares markdown and the values of schema').optional(),
    }),
  ),
  ignoreRobotsTxt: option(z.boolean()),
  delay: option(z.unknown()),
};

const pageSchema = schemaOf({ url: required(address), ...checkedRows });

const siteSchema = schemaOf({
  crawl: required(address),
  limit: option(z.int().min(1).max(10_000).default(100)),
  ...siteRows,
  maxDiscoveryDepth: option(z.int()),
  crawlEntireDomain: option(z.boolean()),
  allowSubdomains: option(z.boolean()),
  sitemap: option(z.enum(['include', 'skip', 'only'])),
  ignoreQueryParameters: option(z.boolean()),
  maxConcurrency: option(z.int()),
  ...checkedRows,
});

/** The `id` of a monitor. */
export const monitorIdSchema: z.ZodType<string, string> = z
  .string()
  .regex(/^[\w-][\w.-]{0,99}$/, 'expected 1 to 100 letters, digits, ".", "_" or "-"');

/** The rows of `monitor()`; its `targets` are beside them. */
export const monitorRows = {
  /**
   * Names the monitor in the client's `storage`, letters, digits, `.`, `_` and `-`: the same id opens it again and
   * gives it these options. @default made of the targets
   */
  id: option(monitorIdSchema, {
    cli: '<name> name in the store; alone it opens a stored monitor (default: by URLs)',
  }),
  /** Time between two rounds, 1 second to 366 days. @default rounds by `check()` only */
  every: option(durationSchema(1000, longest), {
    cli: '<time> time between two rounds, such as 30s, 15m, 6h, 1d (default: 1h)',
  }),
  /**
   * Up to this time is added to each round by chance, so that monitors do not ask a site at once; needs an `every`.
   * @default 0
   */
  jitter: option(durationSchema(0, longest).default(0), {
    cli: '<time> add up to this time to each round by chance',
  }),
  /**
   * What matters, in words: the client's model then says which changes do, and why. Others stay in the digest
   * and notify nobody. `MODEL_REQUIRED` without a model. @default every change matters
   */
  goal: option(
    z
      .string()
      .max(2000)
      .refine((text) => /\S/.test(text), 'expected some words'),
    { cli: '<words> what matters: the model says which changes do' },
  ),
  /** Gets each digest that a loop gets, as the event `monitor.check.completed`. */
  // Checked by parseWebhook.
  webhook: option(z.custom<string | URL | Omit<WebhookOptions, 'events'>>(), {
    cli: '<url> send each digest with news to this URL',
  }),
  /** Also give rounds without news to loops and the webhook. @default false */
  notifyUnchanged: option(z.boolean().default(false), {
    cli: '--unchanged also print and send rounds without news',
  }),
  /**
   * A page whose text changed in so many rounds, with at most one unchanged round between two changes, is volatile:
   * it is counted, not reported, until two rounds in a row find it unchanged. Values of a `schema` are always
   * reported. false: report it always. @default 5
   */
  volatileAfter: option<number | false, number | false | undefined>(
    z.union([z.literal(false), z.int().min(2).max(1000)]).default(5),
  ),
  /** Versions kept of each page, 1 to 1000; `client.changes(url, { tag })` reads them. @default 10 */
  historyLimit: option(z.int().min(1).max(1000).default(10)),
  /** Time for one round; targets that are not done by then fail with `TIMEOUT`. @default '1h' */
  timeout: option(durationSchema(1000, longest).default(3_600_000)),
  /** Stops the monitor in this process, as `stop()` does. */
  signal: option(z.instanceof(AbortSignal)),
};

/** Options of `monitor()`. */
export interface MonitorOptions extends Input<typeof monitorRows> {
  /** Pages and sites, 1 to 1000. */
  readonly targets: readonly MonitorTarget[];
}

// Each target is checked by the schema of its kind, whose messages are better than those of a union.
const targets = required(z.array(z.unknown()).min(1).max(1000));

const monitorSchema = schemaOf({ targets, ...monitorRows });

/** The client's part of the check: its defaults over the options of a crawl. */
type WithDefaults = (options: unknown) => unknown;

/** Checks them; throws `BAD_REQUEST`, `INVALID_URL` and `MODEL_REQUIRED`. */
export function parseMonitorOptions(
  options: unknown,
  parts: ScrapeDefaults,
  withDefaults: WithDefaults,
): MonitorSettings {
  const {
    targets,
    every,
    historyLimit,
    volatileAfter,
    webhook,
    signal: _,
    ...data
  } = check('monitor', monitorSchema, options);
  if (data.goal !== undefined) {
    requireModel(parts.model, 'goal', 'Without a goal every change matters.');
  }
  const checked = targets.map((target, index) => {
    return targetSettings(target, { index, every, historyLimit, parts, withDefaults });
  });
  if (data.jitter > 0 && checked.every((target) => target.every === undefined)) {
    const message = 'jitter: there is no schedule to add it to; set every';
    throw new ValidationError('monitor', [{ path: ['jitter'], message }]);
  }
  const keys = checked.map(({ key }) => key);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice >= 0) throw wrongTarget(twice, `${keys[twice] ?? ''} is already watched`);
  const { id = uuidOf(keys.sort().join('\n')) } = data;
  return {
    ...data,
    id,
    goal: data.goal,
    volatileAfter: volatileAfter === false ? Infinity : volatileAfter,
    webhook: parseWebhook('monitor', webhook, []),
    targets: checked.map((target) => {
      return { ...target, tracking: { ...target.tracking, tag: monitorTag(id) } };
    }),
  };
}

/** The tag of the versions of a monitor's pages, for `client.changes()`. */
function monitorTag(id: string): string {
  return `monitor:${id}`;
}

interface TargetContext {
  readonly index: number;
  readonly every: number | undefined;
  readonly historyLimit: number;
  readonly parts: ScrapeDefaults;
  readonly withDefaults: WithDefaults;
}

function targetSettings(target: unknown, context: TargetContext): TargetSettings {
  const { index, historyLimit, parts } = context;
  const at = { at: ['targets', index] };
  const isUrl = typeof target === 'string' || target instanceof URL;
  const given: unknown = isUrl ? { url: target } : target;
  const isSite = typeof given === 'object' && given !== null && 'crawl' in given;
  const checked = isSite
    ? check('monitor', siteSchema, given, at)
    : { ...check('monitor', pageSchema, given, at), ...onePage };
  const { schema, prompt, ignore = [], every = context.every, scrapeOptions, ...crawl } = checked;
  const { url: page, crawl: site, ...rules } = { url: undefined, crawl: undefined, ...crawl };
  try {
    const patterns = { historyLimit, ignore: { patterns: ignore } };
    const values = schema === undefined ? undefined : { type: 'json', schema, prompt };
    if (values === undefined && prompt !== undefined) {
      throw new Error('prompt: it describes the values of a schema; add one');
    }
    const tracking = parseTrackingOptions(
      { modes: values ? ['git-diff', 'json'] : ['git-diff'], schema, prompt, ...patterns },
      { hasModel: parts.model !== undefined },
    );
    const formats = values === undefined ? ['markdown'] : ['markdown', values];
    const crawlOptions = { ...rules, scrapeOptions: { ...scrapeOptions, formats } };
    const settings = crawlSettings(site ?? page, crawlOptions, context);
    const { url, pageSettings } = settings;
    if (settings.zeroDataRetention) {
      throw new Error(
        'zeroDataRetention: a monitor stores the versions of its pages; leave it out',
      );
    }
    return {
      key: `${isSite ? 'site' : 'page'} ${url}`,
      url,
      isSite,
      every,
      crawlOptions,
      tracking,
      redact: pageSettings(url).clean.redact,
    };
  } catch (error) {
    throw error instanceof ValidationError || !(error instanceof Error) || 'code' in error
      ? error
      : wrongTarget(index, error.message);
  }
}

/** A page is the crawl of its URL alone, so that a later round asks only whether it has changed. */
const onePage = { limit: 1, maxDiscoveryDepth: 0, sitemap: 'skip' } as const;

function crawlSettings(
  url: unknown,
  options: unknown,
  { parts, withDefaults }: TargetContext,
): CrawlSettings {
  return parseCrawlOptions(url, withDefaults(options), parts);
}

function wrongTarget(index: number, message: string): ValidationError {
  const issue = { path: ['targets', index], message: `targets[${index}]: ${message}` };
  return new ValidationError('monitor', [issue]);
}

/** The options with each schema as JSON, which a store takes and other processes read. */
export async function withPlainSchemas(
  options: MonitorOptions,
  { targets }: MonitorSettings,
): Promise<MonitorOptions> {
  const plain = options.targets.map(async (target, index) => {
    const schema = await targets[index]?.tracking.schema;
    if (schema === undefined || typeof target === 'string' || target instanceof URL) return target;
    return { ...target, schema: schema.jsonSchema };
  });
  return { ...options, targets: await Promise.all(plain) };
}
