/** Options of a client and of the calls that only a client has: types, defaults and checks. */
import { z } from 'zod';
import type { Engine } from '../model/engine.ts';
import { messageOf, PagewrightError, ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import { type FormatInput } from '../../content/formats/index.ts';
import { atOnce } from '../runtime/at-once.ts';
import { check } from '../checks/check.ts';
import { type ClientDefaults, defaultsSchema } from './client-defaults.ts';
import { boundHooks } from './job-options.ts';
import { type ClientEngines, clientRows } from './client-rows.ts';
import { optionHints } from './option-hints.ts';
import { type Input, option, schemaOf, takenBy } from '../checks/option.ts';
import { type PageOptionsOf, pageRows, scrapeOptionNames } from './scrape-options.ts';

/** Options of `createClient()`. */
export interface ClientOptions<
  Custom extends readonly Format[] = readonly Format[],
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput<Custom>[],
> extends Input<Omit<typeof clientRows, 'formats'>> {
  /**
   * Options that the calls of the client take where they do not say otherwise, by verb. They are checked at once.
   * @example createClient({ defaults: { scrape: { formats: ['links'], timeout: 10_000 } } })
   * @default none
   */
  readonly defaults?: ClientDefaults<Custom, Inputs> | undefined;
  /** Formats of your own, requested by name. One called `markdown` replaces the built-in one. */
  readonly formats?: Custom | undefined;
}

/**
 * Types the default export of `pagewright.config.ts`, the config file of the command line, and returns it as it is.
 * @example
 * export default defineConfig({
 *   userAgent: 'acme-bot/1.0 (+https://acme.example/bot)',
 *   defaults: { crawl: { limit: 50, delay: 1 } },
 * });
 */
export function defineConfig<
  const Custom extends readonly Format[] = readonly [],
  const Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput<Custom>[],
>(config: ClientOptions<Custom, Inputs>): ClientOptions<Custom, Inputs> {
  return config;
}

/** Checks the options of `createClient()`; throws at once. */
export function parseClientOptions<Custom extends readonly Format[]>(
  options: ClientOptions<Custom>,
  subject = 'createClient',
): ClientOptions<Custom> {
  const checked = check(subject, clientSchema, options, {
    hintFor: optionHints(`${subject}()`, { all: scrapeOptionNames, taken: [] }),
  }) as ClientOptions<Custom>;
  return { ...checked, hooks: boundHooks(options) };
}

const clientSchema = schemaOf({ ...clientRows, defaults: option(defaultsSchema) })
  .superRefine(({ fleet, storage }, context) => {
    if (fleet === undefined || storage?.replace !== undefined) return;
    const message =
      'workers need a storage that they share with this process and that has replace(): redisStore(), s3Store(), sqliteStore() or fileStore()';
    context.addIssue({ code: 'custom', path: ['fleet'], message });
  })
  .superRefine(({ browser, network }, context) => {
    if (typeof browser !== 'object' || browser.context === undefined) return;
    if (network?.trustBrowser === true) return;
    const message =
      'the network policy cannot be enforced for a browser context; pass its browser ' +
      '(browser: { browser }), or trust it: network: { trustBrowser: true }';
    context.addIssue({ code: 'custom', path: ['browser', 'context'], message });
  })
  .superRefine(({ browser, network, proxy, hosts = {} }, context) => {
    if (browser === false || network?.trustBrowser !== true) return;
    const one = 'a browser with network.trustBrowser has one proxy for all hosts';
    for (const [name, rule] of Object.entries(hosts)) {
      if (rule.proxy === undefined) continue;
      const message = `${one}; leave it out, or set browser: false`;
      context.addIssue({ code: 'custom', path: ['hosts', name, 'proxy'], message });
    }
    if (proxy !== 'environment') return;
    const message = `${one}, not that of 'environment'; pass the URL of the proxy, or browser: false`;
    context.addIssue({ code: 'custom', path: ['proxy'], message });
  })
  .superRefine(({ stealth, tls }, context) => {
    if (stealth !== 'impit' || tls === undefined) return;
    for (const name of ['ca', 'cert', 'pfx'] as const) {
      if (tls[name] === undefined) continue;
      const message = `impit cannot use it; leave stealth out, or tls.${name}`;
      context.addIssue({ code: 'custom', path: ['tls', name], message });
    }
  });

// The engines of a client.

/** The engines, the caller's first. Throws `BAD_REQUEST` when the function returns none. */
export function clientEngines(
  chosen: ClientEngines | undefined,
  builtIn: readonly Engine[],
): readonly Engine[] {
  if (typeof chosen !== 'function') return [...(chosen ?? []), ...builtIn];
  const engines = enginesOf(chosen, builtIn);
  if (Array.isArray(engines) && engines.every(isEngine)) return engines;
  const message = 'engines: the function must return a list of engines, objects with fetch()';
  throw new ValidationError('createClient', [{ path: ['engines'], message }]);
}

function enginesOf(
  chosen: (builtIn: readonly Engine[]) => unknown,
  builtIn: readonly Engine[],
): unknown {
  try {
    return atOnce(chosen(builtIn));
  } catch (error) {
    if (error instanceof PagewrightError) throw error;
    const message = `engines: the function failed: ${messageOf(error)}`;
    throw new ValidationError('createClient', [{ path: ['engines'], message }]);
  }
}

function isEngine(value: unknown): value is Engine {
  return typeof (value as Partial<Engine> | null)?.fetch === 'function';
}

// Options for the history of a page.

const changesRows = {
  /** The tag of the scrapes. @default the history without a tag */
  tag: option(z.string().min(1).max(200)),
  /** The `identity` option of the format. @default derived from `scrapeOptions` */
  identity: option(z.string().min(1).max(200)),
  /**
   * The request settings of the scrapes: histories are kept apart by them.
   * @default a visitor without headers, cookies, profile, actions and location
   */
  scrapeOptions: option<object, PageOptionsOf<'changes'>>(schemaOf(takenBy('changes', pageRows))),
};

/** Options of `changes()`. */
export interface ChangesOptions extends Input<typeof changesRows> {}

/** Checks them; throws `ValidationError`. */
export function parseChangesOptions(options: unknown): ChangesOptions {
  return check('changes', schemaOf(changesRows), options ?? {});
}

// The arguments of `jobs.remove()` and `recipes.remove()`.

/** The `id` of a job. */
export const jobIdSchema: z.ZodType<string> = z.string('expected the id of a job').min(1);

/** An entry of `document.assets`. */
export const assetSchema: z.ZodType<{ readonly key?: string | undefined }> = z.looseObject(
  { key: z.string().optional() },
  'expected an entry of document.assets',
);

/** The `id` of a recipe. */
export const recipeIdSchema: z.ZodType<string> = z.string('expected the id of a recipe').min(1);
