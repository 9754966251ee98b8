/** The options of the request for a page, and what they become. */
import { z } from 'zod';
import { headerName, headerValue, isPlainHeader } from '../../content/text/http-headers.ts';
import { countryProblem, defaultCountry } from '../checks/country-facts.ts';
import { durationSchema } from '../checks/duration.ts';
import { option, redacted } from '../checks/option.ts';
import { bodySchema, sentMethods } from './request-body.ts';

/**
 * Limits on reading a response. Data beyond a limit is an error, or left out with a warning, as
 * each limit says.
 */
export interface Limits {
  /** Bytes of a body after decompression. @default 52428800 (50 MiB) */
  readonly bodyBytes: number;
  /**
   * The highest compression ratio of a body over 10 MB. Pages reach about 150, gzip 1032 at most,
   * generated rows of equal cells in brotli or zstd far more.
   * @default 1000
   */
  readonly compressionRatio: number;
  /** Redirects followed. @default 10 */
  readonly redirects: number;
  /** Bytes of response headers. @default 65536 */
  readonly headerBytes: number;
  /** Characters of a page after decoding, markup included; the rest is cut off with a warning. @default 20000000 */
  readonly text: number;
  /** Links taken from one page; further ones are left out with a warning. @default 100000 */
  readonly links: number;
  /** Elements, texts and comments of one page; more are `PARSE_LIMIT`. @default 1000000 */
  readonly nodes: number;
  /**
   * Levels of nested elements, at most 1000; deeper elements become siblings, with a warning.
   * @default 512, as in browsers
   */
  readonly depth: number;
  /**
   * Attributes of all elements of one page; further ones are left out with a warning, as are those
   * of one element beyond its first 1,000. @default 1000000
   */
  readonly attributes: number;
}

/** Where a reader seems to be. */
export interface LocationInput {
  readonly country?: string | undefined;
  readonly languages?: readonly string[] | undefined;
}

/** The apparent location of a reader. */
export interface ReaderLocation {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** Language tags, the preferred one first; empty for the country's languages. */
  readonly languages: readonly string[];
}

/** A cookie with the rules by which it is sent. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** `example.com` for that host alone, `.example.com` for its subdomains too. */
  readonly domain: string;
  readonly path: string;
  /** Seconds since 1970; -1: it ends with the browser. */
  readonly expires: number;
  readonly httpOnly: boolean;
  /** Sent over https only. */
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
}

/** A cookie: name, value and domain; the rest as a browser has it for a session cookie of the whole site. */
export type CookieInput = Pick<Cookie, 'name' | 'value' | 'domain'> & {
  readonly [Name in keyof Omit<Cookie, 'name' | 'value' | 'domain'>]?: Cookie[Name] | undefined;
};

/**
 * The scope of the caller's headers on redirects: the same scheme, host and port, or the same
 * registrable domain.
 */
export type RedirectCredentials = 'same-origin' | 'same-site';

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

export const headersSchema: z.ZodType<
  Readonly<Record<string, string>>,
  Readonly<Record<string, string>>
> = z.record(
  z.string().regex(headerName, 'expected a header name (RFC 9110 token)'),
  z.string().regex(headerValue, 'expected a header value without control characters'),
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

/** Options about the request for a page. */
export const requestRows = {
  /**
   * Sent with the page request. A redirect to another origin drops all headers except those that
   * describe the wanted page (User-Agent, Accept, Accept-Language, …), and other origins of a crawl
   * and pages that a search finds do not get them.
   */
  headers: option(headersSchema.register(redacted), {
    cli: '--header <name: value> send this header; repeatable',
    private: 'headers of its own',
    secret: ([name = '']) => !isPlainHeader(name),
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
  cookies: option(cookiesSchema.register(redacted), {
    private: 'cookies',
    secret: ([, part]) => part === 'value',
    calls: ['changes'],
  }),
  /**
   * Accept certificates that do not verify. @default true; false for a request with credentials
   * (Authorization, Cookie, X-Api-Key and the like, a profile) or a body
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
      .register(redacted)
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
  location: option<ReaderLocation, LocationInput, 'map' | 'extract' | 'changes'>(
    z
      .strictObject({
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
      })
      .transform(({ country = defaultCountry, languages = [] }) => {
        return { country: country.toUpperCase(), languages };
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
  zeroDataRetention: option(z.boolean().default(false), {
    samePage: true,
    calls: ['extract', 'parse'],
  }),
  /** Rejects the call within 100 ms: with `CANCELLED`, or `TIMEOUT` for `AbortSignal.timeout()`. */
  signal: option(z.instanceof(AbortSignal), { samePage: true, calls: ['session.scrape', 'goto'] }),
};

/** Options about how a page is fetched, which the open page of a session is not. */
export const fetchRows = {
  /**
   * The method, `GET`, `POST`, `PUT`, `PATCH` or `DELETE`, of `scrape()` and `batchScrape()`. A page that
   * another method than GET asks for comes without a browser, and POST and PATCH are never sent twice:
   * no retry, no stealth after a refusal, unless the server has done nothing yet. @default 'GET', with a
   * body 'POST'
   */
  method: option(z.enum(['GET', ...sentMethods]), {
    cli: '<name> method of the request (default: GET, with a body POST)',
  }),
  /**
   * The body, at most 10 MB: text, bytes, `URLSearchParams`, `{ json: value }` or `{ form: fields }`. Its
   * Content-Type follows from that, unless `headers` have one; bytes have none. A redirect treats it as
   * in `fetch`, but to where `redirectCredentials` let no headers go it is `BAD_REDIRECT`. Sealed in a
   * storage by `createClient({ secret })`, else left out, as bytes and `URLSearchParams` always are.
   * @default none
   * @example body: { json: { query: 'lamps', page: 2 } }
   */
  body: option(bodySchema, { allSecret: true }),
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
   * or `zeroDataRetention`, nor for a page that says `Cache-Control: no-store`. Of the other methods only a
   * POST may be stored, and equal ones shared, where this is true. @default true for GET, else false
   */
  storeInCache: option(z.boolean(), { samePage: true, calls: ['extract'] }),
};

/** `{ country: 'DE' }` → `de-DE,de;q=0.9,en;q=0.8`. The country defaults to US. */
export function acceptLanguage(location: LocationInput): string {
  const country = (location.country ?? defaultCountry).toUpperCase();
  const languages = location.languages?.length
    ? location.languages
    : [`${new Intl.Locale(`und-${country}`).maximize().language}-${country}`];
  const tags = [
    ...new Set(languages.flatMap((tag) => [tag, tag.split('-')[0] ?? tag]).concat('en')),
  ];
  return tags
    .map((tag, index) =>
      index === 0 ? tag : `${tag};q=${Math.max(0.1, 1 - index / 10).toFixed(1)}`,
    )
    .join(',');
}
