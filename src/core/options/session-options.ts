/** Options of `client.open()` and of the calls of a session: types, defaults and checks. */
import { z } from 'zod';
import { compact } from '../runtime/compact.ts';
import { ValidationError } from '../runtime/errors.ts';
import type { Format } from '../../content/formats/format.ts';
import type { FormatInput } from '../../content/formats/index.ts';
import { check } from '../checks/check.ts';
import {
  type Facet,
  type Input,
  option,
  type Output,
  schemaOf,
  split,
  takenBy,
} from '../checks/option.ts';
import { fetchRows } from '../model/request-options.ts';
import {
  type PageOptionsOf,
  pageRows,
  type PageSettings,
  parseScrapeOptions,
  type ScrapeDefaults,
  scrapeOptionNames,
  type ScrapeOptions,
} from './scrape-options.ts';
import { durationSchema } from '../checks/duration.ts';

/** Options of single calls. */
type OfCalls = 'formats' | 'actions' | 'signal';

const sessionRows = {
  /** Milliseconds without a call after which the session is closed, 1000 to 86400000. @default 300000 (5 minutes) */
  idleTimeout: option(durationSchema(1000, 86_400_000).default(300_000)),
};

/** Options of `client.open()`. Those about the content of documents hold for each scrape of the session. */
export interface OpenOptions
  extends Omit<ScrapeOptions, OfCalls | keyof typeof fetchRows>, Input<typeof sessionRows> {
  /** Ends the opening: it rejects with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `session.scrape()`: they replace those of `open()`. The `timeout` counts from the call's turn. */
export type SessionScrapeOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
> = Pick<ScrapeOptions<Inputs, Custom>, 'formats' | keyof PageOptionsOf<'session.scrape'>>;

/** Options of `session.goto()`. The `timeout` counts from the call's turn. */
export type GotoOptions = PageOptionsOf<'goto'>;

type CallOptions = Readonly<Record<string, unknown>>;

/** Checked options of a session. */
export interface SessionSettings extends Output<typeof sessionRows> {
  /** For the first page. */
  readonly page: PageSettings;
  /** Those of the whole session as they were given, for its calls. */
  readonly given: CallOptions;
}

/** Checks the options of `open()`; `defaults` are those of all pages of the client. */
export function parseOpenOptions(
  options: unknown,
  defaults: CallOptions,
  client: ScrapeDefaults,
): SessionSettings {
  const own = checked('open', options, { ...openRows, ...sessionRows }, 'session.scrape()');
  const [session, page] = split(own, sessionRows);
  const given = { ...split(defaults, openRows)[0], ...page };
  return {
    page: parseScrapeOptions({ ...given, engine: 'browser' }, client, 'open', sessionOptionNames),
    ...check('open', schemaOf(sessionRows), session),
    // Each call has its own of these.
    given: split(given, gotoRows)[1],
  };
}

/** Checks the options of `session.scrape()`; `defaults` are those of all pages of the client. */
export function parseSessionScrape(
  options: unknown,
  session: CallOptions,
  defaults: CallOptions,
  client: ScrapeDefaults,
): PageSettings {
  const given = checked('session.scrape', options, scrapeRows, 'client.open()');
  return parseScrapeOptions(
    { ...split(defaults, scrapeRows)[0], ...session, ...given },
    client,
    'session.scrape',
  );
}

/** Checks the options of `session.goto()`. */
export function parseGotoOptions(
  options: unknown,
  session: CallOptions,
  defaults: CallOptions,
  client: ScrapeDefaults,
): PageSettings {
  const given = checked('session.goto', options, gotoRows, 'client.open()');
  return parseScrapeOptions(
    { ...split(defaults, gotoRows)[0], ...session, ...given },
    client,
    'session.goto',
  );
}

const sessionOptionNames = Object.keys(sessionRows);

const scrapeRows = { formats: true, ...takenBy('session.scrape', pageRows) };

const gotoRows = takenBy('goto', pageRows);

/** The options of `client.open()`: those of fetching pages do not apply to its one open page. */
export const openRows: Facet = split(pageRows, { ...fetchRows, actions: true })[1];

/** Rejects options of other calls; unknown names are left to the schema. */
function checked(subject: string, options: unknown, allowed: object, owner: string): CallOptions {
  const given = check(subject, z.looseObject({}), options ?? {});
  const wrong = scrapeOptionNames.filter((name) => name in given && !Object.hasOwn(allowed, name));
  const known = wrong.filter((name) => given[name] !== undefined);
  if (known.length === 0) return compact<CallOptions>(given);
  const issues = known.map((name) => {
    const advice = Object.hasOwn(fetchRows, name)
      ? 'a session has one open page in a browser; leave it out'
      : `it is an option of ${owner}`;
    return { path: [name], message: `${name}: ${advice}` };
  });
  throw new ValidationError(subject, issues);
}
