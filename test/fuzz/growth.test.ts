/**
 * Fuzzes what reading costs: whatever reads a header, a URL, a line of robots.txt or an option before any
 * thread or deadline takes CPU time in proportion to the length of its input.
 */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContentType } from '../../src/parsers/content-type.ts';
import { detectMediaType } from '../../src/parsers/media-type.ts';
import { typeByExtension } from '../../src/parsers/text-kinds.ts';
import { retryAfter } from '../../src/text/retry-after.ts';
import { unknownName } from '../../src/text/unknown-name.ts';
import { refreshTarget } from '../../src/engines/http/refresh.ts';
import { redirectTarget } from '../../src/engines/http/redirect.ts';
import { RedirectCookies } from '../../src/engines/http/redirect-cookies.ts';
import { requestHeaders } from '../../src/engines/http/request-headers.ts';
import { downloadName, isDownload } from '../../src/engines/download.ts';
import { isPage } from '../../src/engines/browser/answer.ts';
import { languagesInHeader } from '../../src/engines/browser/identity/languages.ts';
import { mayBeKept } from '../../src/cache/freshness.ts';
import { readHeaderLines } from '../../src/warc/http-message.ts';
import { holdsToken, isCredentialName, isPlainHeader } from '../../src/network/credentials.ts';
import { readHostList } from '../../src/network/host-list.ts';
import { createNetworkPolicy } from '../../src/network/policy.ts';
import { bareUrl, normalizeUrl, parseUrl, resolveLink } from '../../src/url/normalize-url.ts';
import { dateInUrl } from '../../src/url/date-in-url.ts';
import { exportLink } from '../../src/url/export-link.ts';
import { isArchivePath, isAssetPath } from '../../src/url/file-type.ts';
import { fingerprint } from '../../src/url/fingerprint.ts';
import { pageFragment } from '../../src/url/page-fragment.ts';
import { pathScope } from '../../src/url/path-scope.ts';
import { readableUrl } from '../../src/url/readable-url.ts';
import { registrableDomain } from '../../src/url/registrable-domain.ts';
import { isCodeUrl, isSafeUrl, withoutCredentials } from '../../src/url/safe-url.ts';
import { Traps } from '../../src/frontier/traps.ts';
import { parseRobots } from '../../src/frontier/robots.ts';
import { readDate } from '../../src/frontier/sitemap-date.ts';
import { compileUrlPattern, regExpOfGlob } from '../../src/frontier/url-pattern.ts';
import { parseProxyUrl } from '../../src/proxies/proxy-address.ts';
import { parseSrcset } from '../../src/html/srcset.ts';
import { isEmptyImageFile, isPlaceholderUrl } from '../../src/html/lazy-images.ts';
import { selectorError } from '../../src/html/selector.ts';
import { xpathError } from '../../src/html/select-by-xpath.ts';
import { parseClientOptions } from '../../src/options/client-options.ts';
import { parseScrapeOptions } from '../../src/options/scrape-options.ts';
import { defaultLimits } from '../../src/network/limits.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { fuzzTest } from './fuzz-test.ts';

/** Reads a text; what it throws at the input is an answer too. */
type Read = (text: string) => unknown;

const at = new URL('http://h.test/a');
const head = (headers: Record<string, string>): Parameters<typeof refreshTarget>[0] => ({
  ...{ statusCode: 200, headers, locations: [], setCookies: [] },
});
const url = (text: string): URL => new URL(text, at);
const defaults = {
  ...{ formats: [], actions: [], limits: defaultLimits, userAgent: 'probe/1', headers: {} },
} as unknown as Parameters<typeof parseScrapeOptions>[1];
const client = (options: object): unknown => parseClientOptions(options as never);
const scrape = (options: object): unknown => parseScrapeOptions(options, defaults);

const headers: Readonly<Record<string, Read>> = {
  'Content-Type': readContentType,
  'the type of a body': (text) => detectMediaType(text, new Uint8Array(1), at.href),
  'Retry-After': (text) => retryAfter(text, 0),
  Refresh: (text) => refreshTarget(head({ refresh: text }), new Uint8Array(0), at),
  Location: (text) => redirectTarget({ statusCode: 301, locations: [text] }, at),
  'Content-Disposition': (text) => downloadName(at.href, { 'content-disposition': text }),
  'whether an answer is a download': (text) =>
    isDownload({ statusCode: 200, headers: { 'content-type': text, 'content-disposition': text } }),
  'whether an answer is a page': (text) =>
    isPage({ headers: { 'content-type': text, 'content-disposition': text } } as never),
  'Accept-Language': languagesInHeader,
  'Cache-Control': (text) => mayBeKept({ 'cache-control': text, vary: text }),
  'Set-Cookie': (text) => new RedirectCookies().keep([text], at),
  'lines of headers': (text) => readHeaderLines(text.split('\n')),
  'the name of a header': (text) => [isPlainHeader(text), isCredentialName(text)],
  'headers to send': (text) => requestHeaders({ cookie: text, [text]: text }, undefined),
};

const urls: Readonly<Record<string, Read>> = {
  'a URL that is typed': (text) => normalizeUrl(parseUrl(text), {}),
  'a URL in a message': bareUrl,
  'a link': (text) => resolveLink(text, at.href),
  'a base of links': (text) => resolveLink('b', text),
  'a date in a URL': (text) => dateInUrl(url(text)),
  'a share link': (text) => exportLink(url(text)),
  'the type of a path': (text) => [isAssetPath(text), isArchivePath(text), typeByExtension(text)],
  'a fingerprint': (text) => fingerprint(url(text).href, { ignoreQueryParameters: false } as never),
  'a fragment': (text) => pageFragment(text, at.href),
  'the scope of a path': (text) => pathScope(url(text))(url(text)),
  'words of a URL': (text) => readableUrl(url(text).href),
  'the domain of a host': registrableDomain,
  'whether a URL is safe': (text) => [isSafeUrl(text), isCodeUrl(text), withoutCredentials(text)],
  'whether a URL has a token': holdsToken,
  'a trap': (text) => {
    const traps = new Traps({ limit: 100, now: 0 });
    traps.readPage(at, [url(text).href]);
    return traps.refuse(url(text), at);
  },
  'the policy': (text) => createNetworkPolicy().check(url(text)),
  'a srcset': parseSrcset,
  'a placeholder': (text) => [isPlaceholderUrl(text), isEmptyImageFile(text)],
};

const robots: Readonly<Record<string, Read>> = {
  'a rule': (text) =>
    parseRobots(`User-agent: *\nDisallow: /${text}`).isAllowed(`${at.href}${text}`, 'x'),
  'lines of robots.txt': (text) => parseRobots(text).isAllowed(at.href, text.slice(0, 100)),
  'a date of a sitemap': readDate,
};

const options: Readonly<Record<string, Read>> = {
  'a host of network.allow': (text) => readHostList('allow', [text]),
  'a proxy': parseProxyUrl,
  'a selector': selectorError,
  'an XPath': xpathError,
  'URLs of a pattern': (text) => compileUrlPattern('(a|b)*c.*d+e$', true).matches(url(text)),
  'a glob': (text) => regExpOfGlob(text, true),
  'the name of an option': (text) => scrape({ [text]: 1 }),
  'a name that nobody knows': (text) => unknownName('option', text, ['formats', 'headers']),
  'a header to send': (text) => scrape({ headers: { 'x-a': text, [text]: 'a' } }),
  'selectors of an option': (text) => scrape({ includeTags: [text] }),
  'a location': (text) => scrape({ location: { country: text, languages: [text] } }),
  'a format': (text) => scrape({ formats: [text] }),
  'the user agent': (text) => client({ userAgent: text }),
  'the proxy of a client': (text) => client({ proxy: text }),
  'a client that says who is contacted': (text) => client({ network: { deny: [text] } }),
};

/** Characters of the inputs: headers and URLs have 65,536 at most. */
const lengths = [1_000, 4_000, 16_000, 64_000];

/** Milliseconds that nobody notices, whatever the length. */
const unnoticed = 40;

const tokens = [
  ...[' ', '\t', '\n', ',', ';', '=', '"', "'", '\\', '/', ':', '@', '?', '#', '&', '%', '*', '$'],
  ...[
    'a',
    'Z',
    '0',
    '1',
    '.',
    '-',
    '_',
    '+',
    '|',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '^',
    '!',
  ],
  ...['é', '€', '\u00ad', '\u3002', '\u{1f600}', '\0', '\u00a0', '%41', '%2f', '..', '//', '2024'],
  ...['http://', 'text/html', 'charset=', 'url=', 'filename=', 'q=1', 'max-age=', '/a/b', 'a=b;'],
  ...['; ', ', ', '= ', ' a', '\\"', '*a', 'a:', '\nDisallow: /', 'www.', '.co.uk', '[a]', ':not('],
];

/** A start, a part that is repeated to any length, and an end: what makes expressions go back. */
interface Shape {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

const piece = fc.constantFrom(...tokens);
const text = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.array(piece, { minLength, maxLength }).map((pieces) => pieces.join(''));
const shape: fc.Arbitrary<Shape> = fc.record({
  start: text(3),
  pump: text(3, 1),
  end: text(2),
});

async function cost(read: Read, { start, pump, end }: Shape, length: number): Promise<number> {
  const input = start + pump.repeat(Math.ceil(length / pump.length)) + end;
  // One measurement is one task of a caller.
  await turn();
  const before = cpuTime();
  try {
    await read(input);
  } catch {
    // It is told what is wrong with it.
  }
  return cpuTime() - before;
}

/** The cheapest of some runs: the first compile code, and others collect what is left. */
async function cheapest(read: Read, one: Shape, length: number): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3 && least > unnoticed; run += 1) {
    least = Math.min(least, await cost(read, one, length));
  }
  return least;
}

/** What costs more than in proportion: four times as long may take eight times as much, not sixteen. */
async function excess(read: Read, one: Shape): Promise<string | undefined> {
  for (const length of lengths) {
    const time = await cheapest(read, one, length);
    if (time <= unnoticed) continue;
    const quarter = await cheapest(read, one, length / 4);
    const again = Math.min(time, await cheapest(read, one, length));
    if (again > unnoticed && again > 8 * Math.max(quarter, unnoticed / 8)) {
      return `${Math.round(again)} ms for ${length} characters, ${Math.round(quarter)} ms for a quarter`;
    }
  }
  return undefined;
}

for (const [what, readers] of Object.entries({ headers, urls, robots, options })) {
  fuzzTest(
    `${what} are read in time that grows in proportion to their length`,
    { runs: 250, share: 2 },
    fc.asyncProperty(fc.constantFrom(...Object.keys(readers)), shape, async (name, one) => {
      expect(await excess(readers[name] as Read, one), name).toBeUndefined();
    }),
  );
}

test.each(Object.entries({ ...headers, ...urls, ...robots, ...options }))(
  'blanks without an end are read in proportion: %s',
  { timeout: 60_000 },
  async (_, read) => {
    for (const [start, end] of [
      ['text/html;', ''],
      ['a', 'x'],
      ['"', ''],
      ['a x', '='],
    ] as const) {
      expect(await excess(read, { start, pump: ' ', end })).toBeUndefined();
    }
  },
);

test('what takes time by the square of its length is found', async () => {
  const square: Read = (input) => /\s+$/.test(input);
  expect(await excess(square, { start: 'a', pump: ' ', end: 'a' })).toMatch(/ms for/);
});
