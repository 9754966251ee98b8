/** Options of one page: types, defaults and checks. */
import { z } from 'zod';
import type { Action } from '../../browser/actions/action.ts';
import { compact } from '../runtime/compact.ts';
import { PagewrightError, ValidationError } from '../runtime/errors.ts';
import type { ClientConcurrency } from '../fetch/host-gate.ts';
import {
  type AssetOptions,
  assets,
  parseAssetOptions,
} from '../../content/formats/assets/index.ts';
import type { Format, FormatRequest } from '../../content/formats/format.ts';
import { type FormatInput, type FormatList, pageAsksModel } from '../../content/formats/index.ts';
import { selectorError } from '../../content/html/selector.ts';
import { lowerCaseNames } from '../../content/text/http-headers.ts';
import type { Model } from '../../extract/llm/model.ts';
import type { ExtractorName, MainContentExtractor } from '../model/page.ts';
import { type OptionalPackage, requirePackages } from '../runtime/optional-packages.ts';
import {
  type ArchiveReading,
  type CacheUse,
  defaultPdfReading,
  type PdfReading,
  type ScrapeRequest,
} from '../model/request.ts';
import { acceptLanguage, fetchRows, type Limits, requestRows } from '../model/request-options.ts';
import type { OcrEngine } from '../model/ocr-engine.ts';
import { check, formatPath } from '../checks/check.ts';
import { personalDataKinds } from '../../content/text/personal-data.ts';
import type { RedactFunction, Redaction } from '../../content/text/redactor.ts';
import {
  type Facet,
  type Input,
  list,
  option,
  type Output,
  schemaOf,
  split,
  type Taken,
} from '../checks/option.ts';
import { optionHints } from './option-hints.ts';
import { parseFormats } from './parse-formats.ts';
import { parseRendering, renderingRows } from './rendering-options.ts';

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
  includeTags: option(selectorsSchema.default([]), {
    cli: '<selectors> keep only what these CSS selectors match; repeatable',
    calls: ['parse', 'session.scrape'],
  }),
  /** Remove elements that match these CSS selectors; wins over `includeTags`. */
  excludeTags: option(selectorsSchema.default([]), {
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

const cleanRows = split(contentRows, { mainContent: true, parsers: true, assets: true })[1];

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
  const call = /[ .]scrapeOptions$/.test(subject) ? 'scrapeOptions' : `${subject}()`;
  const context = { others, hintFor: optionHints(call) };
  const given = check(subject, scrapeSchema, options ?? {}, context);
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
  const sent = sentRequest(subject, given, rendering.requires);
  const timeout = given.timeout ?? (pageAsksModel({ formats, ...rendering }) ? 60_000 : 30_000);
  refuseUnredacted(subject, given, formats, rendering);
  return {
    ...split(given, { ...requestRows, ...fetchRows })[0],
    formats,
    clean: {
      ...split(given, cleanRows)[0],
      extractor: chosenExtractor(subject, given),
      redact: hasRedactions(given) ? given.redact : undefined,
    },
    headers: {
      ...(location === undefined ? {} : { 'accept-language': acceptLanguage(location) }),
      ...(given.body?.contentType === undefined ? {} : { 'content-type': given.body.contentType }),
      ...lowerCaseNames(given.headers ?? {}),
    },
    timeout,
    stealthTimeout: given.timeout === undefined ? 120_000 : undefined,
    limits: { ...defaults.limits, ...compact<Partial<Limits>>(given.limits ?? {}) },
    ...rendering,
    ...sent,
    mayRender: given.engine !== 'http',
    cache: cacheUse({ ...given, ...sent }, formats),
    pdf: pdfSettings(given.parsers),
    archive: archiveSettings(given.parsers),
  };
}

/** Checks the `scrapeOptions` of a job, or of its part `at`: the paths of issues start there. */
export function parsePageOptions(
  job: string,
  options: unknown,
  defaults: ScrapeDefaults,
  at: readonly (string | number)[] = ['scrapeOptions'],
): PageSettings {
  const subject = `${job}: ${formatPath(at)}`;
  try {
    return parseScrapeOptions(options, defaults, subject);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const issues = error.issues.map(({ path, message }) => ({
      path: [...at, ...path],
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

/** The method, GET being none, and what it requires of an engine. */
function sentRequest(
  subject: string,
  { method: given, body, exportShareLinks }: GivenScrapeOptions,
  requires: PageSettings['requires'],
): { readonly method: PageSettings['method'] } & Pick<PageSettings, 'requires'> {
  const method = given ?? (body === undefined ? 'GET' : 'POST');
  const refuse = (name: string, problem: string): never => {
    throw new ValidationError(subject, [{ path: [name], message: `${name}: ${problem}` }]);
  };
  if (method === 'GET') {
    if (body !== undefined) refuse('body', 'a GET has none; leave out method, or set another one');
    return { method: undefined, requires };
  }
  const name = given === undefined ? 'body' : 'method';
  if (/ (?:scrape|\S*scrapeOptions)$/.test(subject)) {
    refuse(name, 'only scrape() and batchScrape() send another request than GET; leave it out');
  }
  const asking = [...requires].filter(([capability]) => capability !== 'stealth');
  if (asking.length > 0) {
    const options = asking.map(([, option]) => option).join(', ');
    refuse(name, `a browser opens pages with GET, and ${options} needs one; leave out one of them`);
  }
  if (exportShareLinks) {
    refuse(name, 'exportShareLinks would send it to another URL; leave out one of them');
  }
  return { method, requires: new Map([...requires, ['method', `${name} (${method})`]]) };
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
  const names = [
    ...(picture === undefined ? [] : [`the format ${picture.format.name}`]),
    ...(raw === undefined ? [] : [`the format ${raw.format.name}`]),
    ...(step === undefined ? [] : [`the action ${step.type}`]),
    ...(pdfSettings(given.parsers) === undefined ? ['parsers without "pdf"'] : []),
  ];
  if (names.length === 0) return;
  const message = `redact: ${names.join(', ')} would return the page or file unchanged, personal data included; leave out one of the two`;
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

const defaultMaxAge = 2 * 24 * 60 * 60 * 1000;

/**
 * Reads the options. A private page is neither stored nor read from the cache; one that is redacted is not stored.
 */
function cacheUse(
  given: Omit<GivenScrapeOptions, 'method'> & Pick<PageSettings, 'method'>,
  formats: readonly FormatRequest[],
): CacheUse {
  const { method, minAge, zeroDataRetention, storeInCache = method === undefined } = given;
  const values: Readonly<Record<string, unknown>> = given;
  const [own] = Object.entries<Facet[string]>(pageRows).flatMap(([name, row]) =>
    Object.keys(values[name] ?? {}).length > 0 ? (row.private ?? []) : [],
  );
  const isShared = method === undefined || (method === 'POST' && storeInCache);
  const obstacle = own ?? (isShared ? undefined : `the method ${method}`);
  const isOnly = given.cacheOnly || minAge !== undefined;
  // Changes since the last time are checked at the site: a copy would be the same as itself.
  const isEveryVisit = !isOnly && formats.some(({ format }) => format.everyVisit === true);
  const maxAge = isEveryVisit ? 0 : (given.maxAge ?? (isOnly ? Infinity : defaultMaxAge));
  return {
    maxAge: obstacle === undefined ? maxAge : 0,
    minAge,
    isOnly,
    store: storeInCache && !zeroDataRetention && !hasRedactions(given),
    obstacle,
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
  const isChosen = includeTags.length > 0;
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
