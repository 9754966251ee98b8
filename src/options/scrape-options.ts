/** What a caller may say about one page: types, defaults and checks. */
import { z } from 'zod';
import type { Action } from '../actions/action.ts';
import { PagewrightError, ValidationError } from '../errors.ts';
import type { Format, FormatRequest } from '../formats/format.ts';
import type { FormatInput } from '../formats/index.ts';
import type { ClientConcurrency } from '../fetching/host-health.ts';
import { selectorError } from '../html/selector.ts';
import { asksModel } from '../formats/index.ts';
import type { Model } from '../llm/model.ts';
import {
  defaultPdfReading,
  type Limits,
  type PdfReading,
  type RedirectCredentials,
  type ScrapeRequest,
} from '../model/request.ts';
import type { OcrEngine } from '../ocr/ocr-engine.ts';
import { headerName, headerValue } from '../text/header-syntax.ts';
import { acceptLanguage } from './accept-language.ts';
import {
  type ArchiveParserOptions,
  archiveParserSchema,
  archiveReading,
  parserName,
} from './archive-reading.ts';
import { type CacheUseOptions, cacheUse, cacheUseShape } from './cache-use.ts';
import { check } from '../text/check.ts';
import { chosenExtractor, type MainContentChoice, mainContentSchema } from './main-content.ts';
import { optionHints } from './option-hints.ts';
import { parseFormats } from './parse-formats.ts';
import {
  parseRendering,
  readerLocation,
  type RenderingOptions,
  renderingShape,
} from './rendering.ts';

/** Options of `scrape()`, and of each page of a crawl. */
export interface ScrapeOptions<
  Inputs extends readonly FormatInput<Custom>[] = readonly FormatInput[],
  Custom extends readonly Format[] = readonly [],
>
  extends RenderingOptions, CacheUseOptions {
  /** What the document holds: names, objects with options, or formats of your own. @default ['markdown'] */
  // `Inputs` is what it is; the rest tells the compiler what functions among the options get.
  readonly formats?: Inputs | readonly FormatInput<Custom>[] | undefined;
  /** Keep the main content only; false gives the whole page. @default true */
  readonly onlyMainContent?: boolean | undefined;
  /**
   * What finds the main content: our own extractor, that of an optional package (`readability` needs
   * `@mozilla/readability`, `defuddle` needs `defuddle`, both need `linkedom`), or a function of
   * yours, which gets the cleaned page as HTML and gives HTML. Where it finds nothing, the whole page
   * is given with a warning; `HOOK_FAILED` when it throws. `BAD_REQUEST` together with
   * `onlyMainContent: false` or `includeTags`, where no main content is looked for.
   * @default 'pagewright'
   */
  readonly mainContent?: MainContentChoice | undefined;
  /** Keep only what matches these CSS selectors, in document order. */
  readonly includeTags?: readonly string[] | undefined;
  /** Remove what matches these CSS selectors; wins over `includeTags`. */
  readonly excludeTags?: readonly string[] | undefined;
  /**
   * Sent with the page request. All but those that say how a page is wanted (User-Agent, Accept,
   * Accept-Language, …) are dropped by a redirect to another origin, and are not sent to other origins of a crawl.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * What the headers stay with: the origin (scheme, host and port, or its https), or with `same-site` all
   * hosts of its registrable domain. @default 'same-origin'
   */
  readonly redirectCredentials?: RedirectCredentials | undefined;
  /**
   * Accept certificates that do not verify. @default true; false for a request with credentials
   * (Authorization, Cookie, X-Api-Key and the like, a profile)
   */
  readonly skipTlsVerification?: boolean | undefined;
  /**
   * Milliseconds for the whole scrape, at least 1000, but for the time that it waits until other requests of
   * the client end; a stealth retry gets 120000.
   * @default 30000, with a format that asks a model 60000
   */
  readonly timeout?: number | undefined;
  /**
   * Further attempts, 0 to 10, after failures that pass: a lost connection, 408, 429, 5xx. They come
   * after growing gaps, and after what Retry-After asks for. A page of a job waits out up to ten rate
   * limits (429 or 503 with Retry-After) besides, unless this is 0. @default 2
   */
  readonly retries?: number | undefined;
  /**
   * `'pdf'` or `{ type: 'pdf', … }` reads PDFs, and without it the file is given as base64; `'archive'` reads ZIP, TAR and gzip
   * files, each document in them under a heading with its path. Other files are read or refused
   * whatever is given here. @default ['pdf']
   */
  readonly parsers?:
    readonly ('pdf' | PdfParserOptions | 'archive' | ArchiveParserOptions)[] | undefined;
  /**
   * Fetch the file behind a share link: a Google document as docx, a sheet as xlsx, slides as pptx;
   * files of Google Drive, Dropbox, OneDrive and SharePoint; the source behind a GitHub, GitLab or
   * Bitbucket page. `metadata.sourceURL` stays the link. Other URLs are fetched as they are.
   * @default false
   */
  readonly exportShareLinks?: boolean | undefined;
  /** Replace `data:` images by `<Base64-Image-Removed>`; the alt text stays. @default true */
  readonly removeBase64Images?: boolean | undefined;
  /** How much of a response is read; the client's limits where not given. */
  readonly limits?: Partial<Limits> | undefined;
  /** Rejects the call with `CANCELLED` within 100 ms. */
  readonly signal?: AbortSignal | undefined;
}

/** PDF options of `parsers`. */
export interface PdfParserOptions {
  readonly type: 'pdf';
  /**
   * `auto` reads the text of pages, and the pictures of those without any with the client's `ocr`;
   * without one they are named in a warning. `fast` reads text only. `ocr` reads every page by its
   * picture, where that takes half of the page; `OCR_REQUIRED` when the client has no `ocr`.
   * @default 'auto'
   */
  readonly mode?: 'auto' | 'fast' | 'ocr' | undefined;
  /** Pages from the first that are read, each for a credit; all where not given. */
  readonly maxPages?: number | undefined;
  /** Write `<!-- page 3 -->` into the markdown where page 3 begins. @default false */
  readonly pageMarkers?: boolean | undefined;
}

/** What the client brings to the check: its own formats, limits and default headers. */
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
 * Checks scrape options; `subject` heads the message of a `ValidationError`. `others` are options of the
 * same call that are checked elsewhere.
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
  const formats = parseFormats(subject, given.formats ?? ['markdown'], defaults.formats, hasModel);
  const timeout = given.timeout ?? (formats.some(asksModel) ? 60_000 : 30_000);
  refuseLongWait(subject, given, timeout);
  return {
    formats,
    clean: {
      onlyMainContent: given.onlyMainContent ?? true,
      extractor: chosenExtractor(subject, given),
      includeTags: given.includeTags ?? [],
      excludeTags: given.excludeTags ?? [],
      removeBase64Images: given.removeBase64Images ?? true,
      blockAds: given.blockAds ?? true,
    },
    headers: {
      ...(location === undefined ? {} : { 'accept-language': acceptLanguage(location) }),
      ...lowerCaseKeys(given.headers ?? {}),
    },
    redirectCredentials: given.redirectCredentials,
    skipTlsVerification: given.skipTlsVerification,
    timeout,
    stealthTimeout: given.timeout === undefined ? 120_000 : undefined,
    retries: given.retries ?? 2,
    proxy: given.proxy ?? 'auto',
    country: location === undefined ? undefined : readerLocation(location).country,
    limits: { ...defaults.limits, ...definedOnly(given.limits ?? {}) },
    ...parseRendering(subject, { given, formats, customActions: defaults.actions }),
    mayRender: given.engine !== 'http',
    cache: cacheUse(given, formats),
    zeroDataRetention: given.zeroDataRetention ?? false,
    pdf: pdfReading(given.parsers),
    archive: archiveReading(given.parsers),
    exportShareLinks: given.exportShareLinks ?? false,
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  };
}

/** Checks the `scrapeOptions` of a job: what is wrong has its path there. */
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

const selectors = z.array(
  z.string().superRefine((selector, context) => {
    const problem = selectorError(selector);
    if (problem !== undefined) {
      context.addIssue(`${JSON.stringify(selector)} is not a CSS selector: ${problem}`);
    }
  }),
);

const limit = z.int().min(1).optional();

/** The limits a caller may set, on the client and per call. */
export const limitsSchema: z.ZodType<Partial<Limits>> = z.strictObject({
  bodyBytes: limit,
  compressionRatio: limit,
  redirects: z.int().min(0).optional(),
  headerBytes: limit,
  text: limit,
  links: limit,
  nodes: limit,
  // Deeper trees would overflow the stack of what writes markdown.
  depth: z.int().min(1).max(1000).optional(),
  attributes: limit,
} satisfies Record<keyof Limits, z.ZodType>) as z.ZodType<Partial<Limits>>;

const headers = z.record(
  z.string().regex(headerName, 'expected a header name (RFC 9110 token)'),
  z.string().regex(headerValue, 'expected a header value without control characters'),
);

const scrapeSchema = z.strictObject({
  formats: z.array(z.unknown()).optional(),
  onlyMainContent: z.boolean().optional(),
  mainContent: mainContentSchema.optional(),
  includeTags: selectors.optional(),
  excludeTags: selectors.optional(),
  ...cacheUseShape,
  headers: headers.optional(),
  redirectCredentials: z.enum(['same-origin', 'same-site']).optional(),
  skipTlsVerification: z.boolean().optional(),
  timeout: z
    .int()
    .min(1000)
    .max(2 ** 31 - 1)
    .optional(),
  retries: z.int().min(0).max(10).optional(),
  parsers: z
    .array(
      z.union(
        [
          z.literal('pdf'),
          z.strictObject({
            type: z.literal('pdf'),
            mode: z.enum(['auto', 'fast', 'ocr']).optional(),
            maxPages: z.int().min(1).optional(),
            pageMarkers: z.boolean().optional(),
          }),
          archiveParserSchema,
        ],
        'expected "pdf", "archive" or an object with one of them as its type',
      ),
    )
    .optional(),
  exportShareLinks: z.boolean().optional(),
  removeBase64Images: z.boolean().optional(),
  ...renderingShape,
  limits: limitsSchema.optional(),
  signal: z.instanceof(AbortSignal).optional(),
} satisfies Record<keyof ScrapeOptions, z.ZodType>);

/** The names of the scrape options. */
export const scrapeOptionNames: readonly string[] = Object.keys(scrapeSchema.shape);

type Given = z.output<typeof scrapeSchema>;

/** There has to be time for the page itself. */
function refuseLongWait(subject: string, { waitFor = 0 }: Given, timeout: number): void {
  if (waitFor <= timeout / 2) return;
  const message = `waitFor: ${waitFor} ms is more than half of timeout (${timeout} ms)`;
  throw new ValidationError(subject, [{ path: ['waitFor'], message }]);
}

/** No OCR is built in. */
function refuseMissingEngine({ parsers }: Given, ocr: OcrEngine | undefined): void {
  if (
    ocr === undefined &&
    parsers?.some(
      (parser) => typeof parser === 'object' && parser.type === 'pdf' && parser.mode === 'ocr',
    ) === true
  ) {
    throw new PagewrightError(
      'OCR_REQUIRED',
      "parsers with mode: 'ocr' reads the pictures of a PDF, and this client has nobody who does: createClient({ ocr }). mode: 'auto' reads its text and names the pages without any.",
    );
  }
}

function pdfReading(parsers: Given['parsers'] = ['pdf']): PdfReading | undefined {
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

function definedOnly<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
