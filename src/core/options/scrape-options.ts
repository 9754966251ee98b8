/** Options of one page: types, defaults and checks. */
import { z } from 'zod';
import type { Action } from '../../browser/actions/action.ts';
import { compact } from '../runtime/compact.ts';
import { PagewrightError, ValidationError } from '../runtime/errors.ts';
import type { ClientConcurrency } from '../fetch/host-throttle.ts';
import {
  type AssetOptions,
  assets,
  parseAssetOptions,
} from '../../content/formats/assets/index.ts';
import type { Format, FormatRequest } from '../../content/formats/format.ts';
import { type FormatInput, type FormatList, pageAsksModel } from '../../content/formats/index.ts';
import { selectorError } from '../../content/html/selector.ts';
import type { Model } from '../../extract/llm/model.ts';
import type { ExtractorName, MainContentExtractor } from '../model/page.ts';
import { type OptionalPackage, requirePackages } from '../runtime/optional-packages.ts';
import {
  type ArchiveReading,
  type CacheUse,
  type Cookie,
  defaultPdfReading,
  type Limits,
  type PdfReading,
  type ScrapeRequest,
} from '../model/request.ts';
import type { OcrEngine } from '../model/ocr-engine.ts';
import { check } from '../checks/check.ts';
import { countryProblem } from '../checks/country-facts.ts';
import { personalDataKinds } from '../../content/text/personal-data.ts';
import type { RedactFunction, Redaction } from '../../content/text/redactor.ts';
import { headerName, headerValue } from '../../content/text/http-headers.ts';
import { type Input, list, option, type Output, schemaOf, type Taken } from './option.ts';
import { optionHints } from './option-hints.ts';
import { parseFormats } from './parse-formats.ts';
import {
  acceptLanguage,
  parseRendering,
  type ReaderLocation,
  readerLocation,
  renderingRows,
} from './rendering-options.ts';
import { durationSchema } from '../checks/duration.ts';

/** A cookie: name, value and domain; the rest as a browser has it for a session cookie of the whole site. */
export type CookieInput = Pick<Cookie, 'name' | 'value' | 'domain'> & {
  readonly [Name in keyof Omit<Cookie, 'name' | 'value' | 'domain'>]?: Cookie[Name] | undefined;
};

/** PDF options of `parsers`. */
export interface PdfParserOptions {
  readonly type: 'pdf';
  /**
   * `auto` reads the text of pages, and pages without text with the client's `ocr`; without one
   * they are named in a warning. `fast` reads text only. `ocr` reads every page whose picture takes
   * half of it or more by OCR; `OCR_REQUIRED` when the client has no `ocr`.
   * @default 'auto'
   */
  readonly mode?: 'auto' | 'fast' | 'ocr' | undefined;
  /** Number of pages to read, from the first, one credit each; all by default. */
  readonly maxPages?: number | undefined;
  /** Write `<!-- page 3 -->` into the markdown at the start of page 3. @default false */
  readonly pageMarkers?: boolean | undefined;
}

/** Archive options of `parsers`. */
export interface ArchiveParserOptions {
  readonly type: 'archive';
  /** The most files read, at least 1; further ones are left out with a warning. @default 1000 */
  readonly maxFiles?: number | undefined;
}

/** The built-in extractor, one of an optional package, or the caller's function. */
type MainContentChoice = 'pagewright' | ExtractorName | MainContentExtractor;

const selectorsSchema = list(
  z.string().superRefine((selector, context) => {
    const problem = selectorError(selector);
    if (problem !== undefined) {
      context.addIssue(`${JSON.stringify(selector)} is not a CSS selector: ${problem}`);
    }
  }),
);

const limitSchema = z.int().min(1).optional();

/** The limits a caller may set, on the client and per call. */
export const limitsSchema: z.ZodType<Partial<Limits>, Partial<Limits>> = z.strictObject({
  bodyBytes: limitSchema,
  compressionRatio: limitSchema,
  redirects: z.int().min(0).optional(),
  headerBytes: limitSchema,
  text: limitSchema,
  links: limitSchema,
  nodes: limitSchema,
  // Deeper trees would overflow the stack of the markdown serializer.
  depth: z.int().min(1).max(1000).optional(),
  attributes: limitSchema,
} satisfies Record<keyof Limits, z.ZodType>) as z.ZodType as z.ZodType<
  Partial<Limits>,
  Partial<Limits>
>;

const headersSchema: z.ZodType<
  Readonly<Record<string, string>>,
  Readonly<Record<string, string>>
> = z.record(
  z.string().regex(headerName, 'expected a header name (RFC 9110 token)'),
  z.string().regex(headerValue, 'expected a header value without control characters'),
);

/** An entry of `parsers`. */
type ParserChoice = 'pdf' | PdfParserOptions | 'archive' | ArchiveParserOptions;

const parserSchema: z.ZodType<ParserChoice, ParserChoice> = z.union(
  [
    z.literal('pdf'),
    z.strictObject({
      type: z.literal('pdf'),
      mode: z.enum(['auto', 'fast', 'ocr']).optional(),
      maxPages: z.int().min(1).optional(),
      pageMarkers: z.boolean().optional(),
    }),
    z.literal('archive'),
    z.strictObject({ type: z.literal('archive'), maxFiles: z.int().min(1).optional() }),
  ],
  'expected "pdf", "archive" or an object with one of them as its type',
);

const mainContentSchema: z.ZodType<MainContentChoice, MainContentChoice> = z.union([
  z.enum(['pagewright', 'readability', 'defuddle']),
  z.custom<MainContentExtractor>((value) => typeof value === 'function', 'a function'),
]);

/** A kind of personal data, or a function that finds data of its own. */
const redactionSchema: z.ZodType<Redaction, Redaction> = z.union(
  [z.enum(personalDataKinds), z.custom<RedactFunction>((value) => typeof value === 'function')],
  `expected ${personalDataKinds.map((kind) => `"${kind}"`).join(', ')} or a function`,
);

const cookiesSchema: z.ZodType<Cookie[], readonly CookieInput[]> = z
  .array(
    z.strictObject({
      name: z.string().regex(headerName, 'expected a cookie name (RFC 6265)'),
      value: z.string().regex(/^[\x20-\x3a\x3c-\x7e]*$/, 'expected printable ASCII without ";"'),
      domain: z.string().regex(/^[^\s/:;,]+$|^\[[\da-f:]+\]$/i, 'expected a host name'),
      path: z
        .string()
        .regex(/^\/[^;\s]*$/, 'expected a path')
        .default('/'),
      expires: z.number().min(-1).default(-1),
      httpOnly: z.boolean().default(false),
      secure: z.boolean().default(false),
      sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
    }),
  )
  .max(1000);

/** Options about the content of a document. */
export const contentRows = {
  /** Keep the main content only; false gives the whole page. @default true */
  onlyMainContent: option(z.boolean().default(true), {
    cli: 'keep the whole page, with navigation and footer',
    calls: ['parse', 'session.scrape'],
  }),
  /**
   * The extractor of the main content: the built-in one, one of an optional package (`readability`
   * needs `@mozilla/readability`, `defuddle` needs `defuddle`, both need `linkedom`), or a function
   * of yours from the cleaned page as HTML to HTML. If it finds nothing, the whole page is returned
   * with a warning; `HOOK_FAILED` when it throws. `BAD_REQUEST` together with
   * `onlyMainContent: false` or `includeTags`, which skip the main content.
   * @default 'pagewright'
   */
  mainContent: option(mainContentSchema.default('pagewright'), {
    cli: '<name> extractor of the main content; the others need an installed package (default: pagewright)',
    calls: ['parse', 'session.scrape'],
  }),
  /** Keep only elements that match these CSS selectors, in document order. */
  includeTags: option(selectorsSchema, {
    cli: '<selectors> keep only what these CSS selectors match; repeatable',
    calls: ['parse', 'session.scrape'],
  }),
  /** Remove elements that match these CSS selectors; wins over `includeTags`. */
  excludeTags: option(selectorsSchema, {
    cli: '<selectors> remove what these CSS selectors match; repeatable',
    calls: ['parse', 'session.scrape'],
  }),
  /** Replace `data:` images by `<Base64-Image-Removed>`; the alt text stays. @default true */
  removeBase64Images: option(z.boolean().default(true), {
    cli: 'keep embedded images as data: URLs',
    calls: ['parse', 'session.scrape'],
  }),
  /**
   * `'pdf'` or `{ type: 'pdf', … }` reads PDFs; without it the file is returned as base64.
   * `'archive'` reads ZIP, TAR and gzip files, each document in them under a heading with its path.
   * Other files do not depend on this option. @default ['pdf']
   */
  parsers: option(list(parserSchema).default(['pdf']), { calls: ['parse', 'session.scrape'] }),
  /**
   * Take personal data out of the page before hooks, formats, models and stores get it: kinds, which
   * become `[email]`, `[phone]` and so on, and functions that find data of your own.
   * `metadata.redactions` counts them. The page is not stored in the cache. `BAD_REQUEST` together
   * with what shows the page as it is: screenshots, the actions `screenshot` and `pdf`, and `parsers`
   * without PDFs. @default []
   * @example redact: ['email', 'phone', 'card', 'iban', 'ip', 'ssn']
   */
  redact: option(list(redactionSchema).default([]), {
    cli: `<kind,…> take out personal data: ${personalDataKinds.join(', ')}`,
    calls: ['map', 'extract', 'parse', 'session.scrape'],
  }),
  /**
   * Block ads, trackers and consent pop-ups, and remove their remains from a page. @default true
   */
  blockAds: option(z.boolean().default(true), {
    cli: 'keep content of ad networks and consent managers',
    calls: ['parse'],
  }),
  /**
   * Download images and linked files of the page: `document.assets` lists them, `client.readAsset()` gives their
   * bytes. They are kept in the client's storage with their job, of single pages for its `jobRetention`; or where the
   * client's `assets` puts them. A file that cannot be had is an `error` in the list. `BAD_REQUEST` together with
   * `redact`, which takes nothing out of files, and with `zeroDataRetention`. @default none
   * @example assets: { images: true, files: ['pdf'] }
   */
  assets: option(z.record(z.string(), z.unknown()) as z.ZodType<AssetOptions, AssetOptions>),
};

/** Options about the request for a page. */
export const requestRows = {
  /**
   * Sent with the page request. A redirect to another origin drops all headers except those that
   * describe the wanted page (User-Agent, Accept, Accept-Language, …), and other origins of a crawl
   * and pages that a search finds do not get them.
   */
  headers: option(headersSchema, {
    cli: '--header <name: value> send this header; repeatable',
    calls: ['map', 'extract', 'changes'],
  }),
  /**
   * The scope of the headers: the origin (scheme, host and port, or its https), or with `same-site`
   * all hosts of its registrable domain. @default 'same-origin'
   */
  redirectCredentials: option(z.enum(['same-origin', 'same-site']), {
    cli: '<scope> which redirects keep --header (default: same-origin)',
    calls: ['map', 'extract'],
  }),
  /**
   * Sent by their own rules, on redirects too: each to the domain, path and scheme that it belongs to, and to no
   * other site of a crawl. `session.cookies()` gives those of a browser. At most 1000. Sealed in a storage by
   * `createClient({ secret })`, else left out.
   * @default none
   */
  cookies: option(cookiesSchema, { calls: ['changes'] }),
  /**
   * Accept certificates that do not verify. @default true; false for a request with credentials
   * (Authorization, Cookie, X-Api-Key and the like, a profile)
   */
  skipTlsVerification: option(z.boolean(), {
    cli: 'accept invalid certificates (default, except with credentials in --header) / reject invalid certificates',
    calls: ['map', 'extract'],
  }),
  /**
   * `stealth` looks like a reader's browser (5 credits); `basic` never does. `auto` tries stealth once
   * where a page refuses with 403 or a challenge, unless the request has a user agent of your own (`userAgent`
   * of the client, a User-Agent header): then the refusal is the answer. @default 'auto'
   */
  proxy: option(
    z
      .enum(['basic', 'stealth', 'auto'], {
        error: ({ input }) =>
          typeof input === 'string' && /^\w+:\/\/|:\d/.test(input)
            ? "expected 'basic', 'stealth' or 'auto', the kind of proxy to use for this page; give the server to the client: createClient({ proxy: 'http://…' })"
            : undefined,
      })
      .default('auto'),
    {
      cli: { stealth: '--stealth look like a browser from the first request' },
      samePage: true,
      calls: ['map', 'extract'],
    },
  ),
  /**
   * The reader's apparent location, `{ country, languages }`: Accept-Language; in a browser time zone and
   * geolocation too.
   * The country is an ISO 3166-1 alpha-2 code in either case, or XK; another one is `BAD_REQUEST`.
   * @default the time zone of the US and the languages of the browser; US when given without a country
   */
  location: option<ReaderLocation, ReaderLocation, 'map' | 'extract' | 'changes'>(
    z.strictObject({
      country: z
        .string()
        .superRefine((code, context) => {
          const problem = countryProblem(code);
          if (problem !== undefined) context.addIssue(problem);
        })
        .optional(),
      languages: z
        .array(z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'expected a language tag'))
        .optional(),
    }),
    {
      cli: {
        country:
          '--location <country> ISO 3166-1 alpha-2 code, such as DE; sets Accept-Language and, in a browser, time zone and position',
        languages: '--languages <tag,…> languages of Accept-Language, in order',
      },
      calls: ['map', 'extract', 'changes'],
    },
  ),
  /**
   * Milliseconds for the whole scrape, without the time that it waits for other
   * requests of the client to end; a stealth retry gets 120000.
   * @default 30000, with a format that asks a model 60000
   */
  timeout: option(durationSchema(1), {
    cli: '<time> time limit for one page (default: 30s)',
    samePage: true,
    calls: ['extract', 'parse', 'session.scrape', 'goto'],
  }),
  /**
   * Retries, 0 to 10, after temporary failures: a lost connection, 408, 429, 5xx. They use
   * exponential backoff, and respect Retry-After. A page of a job also waits out up to ten rate
   * limits (429 or 503 with Retry-After), unless this is 0. @default 2
   */
  retries: option(z.int().min(0).max(10).default(2), {
    cli: '<count> retries after transient failures (default: 2)',
    samePage: true,
    calls: ['map', 'extract', 'goto'],
  }),
  /** Limits on the data read of a response. @default the client's limits */
  limits: option(limitsSchema, { calls: ['extract', 'parse', 'session.scrape'] }),
  /** Store no data of this scrape. @default false */
  zeroDataRetention: option(z.boolean().default(false), { calls: ['extract', 'parse'] }),
  /** Rejects the call within 100 ms: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal), { calls: ['session.scrape', 'goto'] }),
};

/** Options about how a page is fetched, which the open page of a session is not. */
export const fetchRows = {
  /**
   * `http` never opens a browser, `browser` always; `auto` begins with a plain GET and opens one if
   * an option or the page needs it: `metadata.engineReason` says why.
   * @default 'auto'
   */
  engine: option(z.enum(['auto', 'http', 'browser']).default('auto'), {
    cli: '<name> use no browser, always a browser, or one if the page needs it (default: auto)',
    calls: ['extract'],
  }),
  /**
   * Fetch the file behind a share link: a Google document as docx, a sheet as xlsx, slides as pptx;
   * files of Google Drive, Dropbox, OneDrive and SharePoint; the source behind a GitHub, GitLab or
   * Bitbucket page. `metadata.sourceURL` stays the link. Other URLs are fetched unchanged.
   * @default false
   */
  exportShareLinks: option(z.boolean().default(false), {
    cli: 'fetch the file behind a share link: Google Docs, Drive, Dropbox, OneDrive, GitHub',
  }),
  /**
   * A cached copy newer than this many ms is used without a request; 0 always fetches. With
   * `cacheOnly` or `minAge` a copy may have any age by default; the format changeTracking fetches
   * always. @default 172800000 (2 days)
   */
  maxAge: option(durationSchema(0, Number.MAX_SAFE_INTEGER), {
    cli: '<time> with --cache: use copies newer than this; 0 for none (default: 2 days)',
    samePage: true,
    calls: ['extract'],
  }),
  /** Cache only: a copy at least this many ms old, else `CACHE_MISS`; nothing is fetched. */
  minAge: option(durationSchema(0, Number.MAX_SAFE_INTEGER), { calls: ['extract'] }),
  /** Send no request; without a cached copy `CACHE_MISS`. @default false */
  cacheOnly: option(z.boolean().default(false), {
    cli: 'with --cache: send no requests',
    calls: ['extract'],
  }),
  /**
   * Store this page for later calls. Never done with `headers`, `cookies`, `actions`, a `profile`, `redact`,
   * or `zeroDataRetention`, nor for a page that says `Cache-Control: no-store`. @default true
   */
  storeInCache: option(z.boolean().default(true), { samePage: true, calls: ['extract'] }),
};

/** The rows of a page; `formats` depends on the formats of the client. */
export const pageRows = { ...contentRows, ...requestRows, ...fetchRows, ...renderingRows };

/** Options of `scrape()`, and of each page of a crawl. */
export interface ScrapeOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
>
  extends
    Input<typeof contentRows>,
    Input<typeof requestRows>,
    Input<typeof fetchRows>,
    Input<typeof renderingRows> {
  /**
   * The content of the document: names, objects with options, or formats of your own. @default
   * ['markdown']
   */
  // `Inputs` is the literal type; the rest tells the compiler the arguments of functions among the
  // options.
  readonly formats?: FormatList<Inputs, Custom> | readonly FormatInput<Custom>[] | undefined;
}

/** The options of `scrape()` that another call takes; `formats` is not among them. */
export type PageOptionsOf<Call extends string> = Input<Taken<typeof pageRows, Call>>;

const scrapeRows = { formats: option(z.array(z.unknown()).default(['markdown'])), ...pageRows };

const scrapeSchema = schemaOf(scrapeRows);

/** The names of the scrape options. */
export const scrapeOptionNames: readonly string[] = Object.keys(scrapeRows);

type GivenScrapeOptions = Output<typeof scrapeRows>;

/** The client's part of the check: its own formats, limits and default headers. */
export interface ScrapeDefaults {
  readonly formats: readonly Format[];
  readonly actions: readonly Action[];
  readonly limits: Limits;
  readonly userAgent: string;
  readonly model?: Model | undefined;
  readonly ocr?: OcrEngine | undefined;
  readonly concurrency?: ClientConcurrency;
}

/** Checked options: a request that lacks only its URL. */
export type PageSettings = Omit<ScrapeRequest<FormatRequest>, 'sourceUrl' | 'url' | 'content'>;

/**
 * Checks scrape options; `subject` heads the message of a `ValidationError`. `others` are options
 * of the same call that are checked elsewhere.
 */
export function parseScrapeOptions(
  options: unknown,
  defaults: ScrapeDefaults,
  subject = 'scrape',
  others: readonly string[] = [],
): PageSettings {
  const call = subject.endsWith(' scrapeOptions') ? 'scrapeOptions' : `${subject}()`;
  const place = { others, hintFor: optionHints(call) };
  const given = check(subject, scrapeSchema, options ?? {}, place);
  refuseMissingEngine(given, defaults.ocr);
  const { location } = given;
  const hasModel = defaults.model !== undefined;
  const formats = [
    ...parseFormats(subject, given.formats, defaults.formats, hasModel),
    ...assetsRequest(subject, given),
  ];
  const rendering = parseRendering(subject, {
    given,
    formats,
    customActions: defaults.actions,
    hasModel,
  });
  const timeout = given.timeout ?? (pageAsksModel({ formats, ...rendering }) ? 60_000 : 30_000);
  refuseUnredacted(subject, given, formats, rendering);
  return {
    formats,
    clean: {
      onlyMainContent: given.onlyMainContent,
      extractor: chosenExtractor(subject, given),
      includeTags: given.includeTags ?? [],
      excludeTags: given.excludeTags ?? [],
      removeBase64Images: given.removeBase64Images,
      blockAds: given.blockAds,
      redact: hasRedactions(given) ? given.redact : undefined,
    },
    headers: {
      ...(location === undefined ? {} : { 'accept-language': acceptLanguage(location) }),
      ...lowerCaseKeys(given.headers ?? {}),
    },
    redirectCredentials: given.redirectCredentials,
    cookies: given.cookies,
    skipTlsVerification: given.skipTlsVerification,
    timeout,
    stealthTimeout: given.timeout === undefined ? 120_000 : undefined,
    retries: given.retries,
    proxy: given.proxy,
    country: location === undefined ? undefined : readerLocation(location).country,
    limits: { ...defaults.limits, ...compact<Partial<Limits>>(given.limits ?? {}) },
    ...rendering,
    mayRender: given.engine !== 'http',
    cache: cacheUse(given, formats),
    zeroDataRetention: given.zeroDataRetention,
    pdf: pdfSettings(given.parsers),
    archive: archiveSettings(given.parsers),
    exportShareLinks: given.exportShareLinks,
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  };
}

/** Checks the `scrapeOptions` of a job: the paths of issues start there. */
export function parsePageOptions(
  job: string,
  options: unknown,
  defaults: ScrapeDefaults,
): PageSettings {
  const subject = `${job}: scrapeOptions`;
  try {
    return parseScrapeOptions(options, defaults, subject);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const issues = error.issues.map(({ path, message }) => ({
      path: ['scrapeOptions', ...path],
      message,
    }));
    throw new ValidationError(subject, issues);
  }
}

/** The settings of a page whose endpoints are looked for; it is rendered if an option that needs that is named. */
export function withEndpoints(page: PageSettings, option?: string): PageSettings {
  const rendering = { ...page.rendering, endpoints: true as const };
  if (option === undefined) return { ...page, rendering };
  return { ...page, rendering, requires: new Map([...page.requires, ['requests', option]]) };
}

/** The option `assets` as a format, which fills the field of its name. */
function assetsRequest(
  subject: string,
  { assets: options, redact, zeroDataRetention }: GivenScrapeOptions,
): FormatRequest[] {
  if (options === undefined) return [];
  const problem =
    redact.length > 0
      ? 'assets: files are stored unchanged, personal data included; leave out redact or assets'
      : zeroDataRetention
        ? 'assets: zeroDataRetention stores nothing; leave out one of the two'
        : undefined;
  if (problem !== undefined) {
    throw new ValidationError(subject, [{ path: ['assets'], message: problem }]);
  }
  const checked = parseAssetOptions(subject, options);
  return [{ format: assets, options: checked, uses: { downloads: true } }];
}

/** Pictures, printed pages and bytes of files cannot be redacted. */
function refuseUnredacted(
  subject: string,
  given: GivenScrapeOptions,
  formats: readonly FormatRequest[],
  { rendering: { actions = [] } }: Pick<PageSettings, 'rendering'>,
): void {
  if (!hasRedactions(given)) return;
  const picture = formats.find(({ uses }) => uses.captures?.screenshot !== undefined);
  const raw = formats.find(({ uses }) => uses.onlyBytes === true);
  const step = actions.find(({ showsPage, asksModel }) => showsPage === true || asksModel === true);
  const shown = [
    ...(picture === undefined ? [] : [`the format ${picture.format.name}`]),
    ...(raw === undefined ? [] : [`the format ${raw.format.name}`]),
    ...(step === undefined ? [] : [`the action ${step.type}`]),
    ...(pdfSettings(given.parsers) === undefined ? ['parsers without "pdf"'] : []),
  ];
  if (shown.length === 0) return;
  const message = `redact: ${shown.join(', ')} would return the page or file unchanged, personal data included; leave out one of the two`;
  throw new ValidationError(subject, [{ path: ['redact'], message }]);
}

function hasRedactions({ redact }: Pick<GivenScrapeOptions, 'redact'>): boolean {
  return redact.length > 0;
}

/** No OCR is built in. */
function refuseMissingEngine({ parsers }: GivenScrapeOptions, ocr: OcrEngine | undefined): void {
  if (
    ocr === undefined &&
    parsers.some(
      (parser) => typeof parser === 'object' && parser.type === 'pdf' && parser.mode === 'ocr',
    )
  ) {
    throw new PagewrightError(
      'OCR_REQUIRED',
      "parsers with mode: 'ocr' need an OCR engine, and none is configured: pass createClient({ ocr }). mode: 'auto' reads the text of a PDF and names its pages without text.",
    );
  }
}

function pdfSettings(parsers: readonly ParserChoice[]): PdfReading | undefined {
  const chosen = parsers.findLast((parser) => parserName(parser) === 'pdf');
  if (chosen === undefined) return undefined;
  const { mode, maxPages, pageMarkers }: Partial<PdfParserOptions> =
    typeof chosen === 'object' && chosen.type === 'pdf' ? chosen : {};
  return {
    mode: mode ?? defaultPdfReading.mode,
    maxPages,
    pageMarkers: pageMarkers ?? defaultPdfReading.pageMarkers,
  };
}

function lowerCaseKeys(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

const defaultMaxAge = 2 * 24 * 60 * 60 * 1000;

/**
 * Reads the options. A page requested with custom headers or cookies is neither stored nor read from the
 * cache; one that is redacted is not stored.
 */
function cacheUse(given: GivenScrapeOptions, formats: readonly FormatRequest[]): CacheUse {
  const { minAge, zeroDataRetention, storeInCache } = given;
  const { headers = {}, cookies = [] } = given;
  const isPrivate = Object.keys(headers).length > 0 || cookies.length > 0;
  const isOnly = given.cacheOnly || minAge !== undefined;
  // Changes since the last time are checked at the site: a copy would be the same as itself.
  const isEveryVisit = !isOnly && formats.some(({ format }) => format.everyVisit === true);
  const maxAge = isEveryVisit ? 0 : (given.maxAge ?? (isOnly ? Infinity : defaultMaxAge));
  return {
    maxAge: isPrivate ? 0 : maxAge,
    minAge,
    isOnly,
    store: storeInCache && !zeroDataRetention && !isPrivate && !hasRedactions(given),
  };
}

const packagesOf = {
  readability: ['@mozilla/readability', 'linkedom'],
  defuddle: ['defuddle', 'linkedom'],
} as const satisfies Readonly<Record<ExtractorName, readonly OptionalPackage[]>>;

/**
 * The extractor that replaces the built-in one; undefined for the built-in one. Throws
 * `MISSING_DEPENDENCY` without its packages, and `BAD_REQUEST` when it would never
 * be called.
 */
function chosenExtractor(
  subject: string,
  { mainContent, onlyMainContent, includeTags }: GivenScrapeOptions,
): ExtractorName | MainContentExtractor | undefined {
  if (mainContent === 'pagewright') return undefined;
  const isChosen = includeTags !== undefined && includeTags.length > 0;
  if (!onlyMainContent || isChosen) {
    const other = isChosen ? 'includeTags' : 'onlyMainContent: false';
    const message = `mainContent: with ${other} no main content is extracted; leave out one of the two`;
    throw new ValidationError(subject, [{ path: ['mainContent'], message }]);
  }
  if (typeof mainContent === 'string') {
    requirePackages(`mainContent: '${mainContent}'`, ...packagesOf[mainContent]);
  }
  return mainContent;
}

const defaultMaxFiles = 1000;

/** The last entry counts; undefined if archives are not read. */
function archiveSettings(parsers: readonly ParserChoice[]): ArchiveReading | undefined {
  const chosen = parsers.findLast((parser) => parserName(parser) === 'archive');
  if (chosen === undefined) return undefined;
  const maxFiles =
    typeof chosen === 'object' && chosen.type === 'archive' ? chosen.maxFiles : undefined;
  return { maxFiles: maxFiles ?? defaultMaxFiles };
}

/** `pdf`, in either notation. */
function parserName(parser: ParserChoice): string {
  return typeof parser === 'string' ? parser : parser.type;
}
