/**
 * Fuzzes time: what reads a header, a URL, a line of robots.txt, an option, a mail or the text of a page takes time in
 * proportion to its length.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  forbidsStoring,
  isFresh,
  variesByAnything,
} from '../../src/core/fetch/cache/http-caching.ts';
import {
  documentResponseOf,
  htmlHeaders,
  isHtmlPage,
} from '../../src/browser/chromium/document-response.ts';
import { isAdHost } from '../../src/browser/chromium/blocking/request-filter.ts';
import { cookiesOf } from '../../src/browser/chromium/identity/apply-headers.ts';
import { languagesInHeader } from '../../src/browser/chromium/identity/emulation.ts';
import { downloadName, downloadWarnings, isDownload } from '../../src/core/http/download.ts';
import { RedirectCookies } from '../../src/core/http/follow-redirects.ts';
import { redirectTarget } from '../../src/core/http/redirect.ts';
import { refreshTarget } from '../../src/core/http/refresh.ts';
import { requestHeaders } from '../../src/core/http/request-headers.ts';
import { challengeOf } from '../../src/core/fetch/challenge-page.ts';
import { cutForModel } from '../../src/extract/with-model/cut-for-model.ts';
import { cutMarkdown } from '../../src/content/formats/chunks/cut-markdown.ts';
import { numberedParts } from '../../src/content/formats/highlights/numbered-passages.ts';
import { rankPassages, readPassages } from '../../src/content/formats/highlights/passages.ts';
import { parseRobots } from '../../src/core/frontier/robots/robots.ts';
import { scopeOf } from '../../src/core/frontier/admission.ts';
import { CrawlerTraps } from '../../src/core/frontier/traps/crawler-traps.ts';
import { parseAddress } from '../../src/core/http/network/host-list.ts';
import { createNetworkPolicy } from '../../src/core/http/network/policy.ts';
import { headersForHop, holdsToken } from '../../src/core/http/network/credentials.ts';
import { compilePatterns, startUrl } from '../../src/core/options/job-options.ts';
import { parseWebhook } from '../../src/core/options/webhook-options.ts';
import { readEmail } from '../../src/documents/mail/read-email.ts';
import { readContentType } from '../../src/content/parsers/media-type.ts';
import { parseProxyUrl } from '../../src/core/http/proxies/proxy.ts';
import { maskText } from '../../src/core/http/network/mask-secrets.ts';
import { Redactor } from '../../src/content/text/redactor.ts';
import { decodeText } from '../../src/content/text/decode.ts';
import { retryAfter, tidyHeader } from '../../src/content/text/http-headers.ts';
import { dateInUrl, readableUrl } from '../../src/core/url/readable-url.ts';
import { exportLink } from '../../src/core/url/export-link.ts';
import { fingerprint } from '../../src/core/url/fingerprint.ts';
import { bareUrl, normalizeUrl, parseUrl, quoteUrl } from '../../src/core/url/normalize-url.ts';
import { registrableDomain, withoutDots } from '../../src/core/url/registrable-domain.ts';
import { isCodeUrl, withoutCredentials } from '../../src/core/url/links.ts';
import { readHttpMessage } from '../../src/entries/export/warc/read-record.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { fuzzTest } from './fuzz-test.ts';

const home = new URL('https://example.test/');
const empty = new Uint8Array(0);

/** Readers of one text. What they say of it, and whether they throw, is not looked at here. */
type Readers = Readonly<Record<string, (text: string) => unknown>>;

const headerReaders: Readers = {
  tidyHeader,
  readContentType,
  downloadName: (value) => downloadName(home.href, { 'content-disposition': value }),
  isDownload: (value) =>
    isDownload({
      statusCode: 200,
      headers: { 'content-type': value, 'content-disposition': `inline;${value}` },
    }),
  retryAfter: (value) => retryAfter(value, 0),
  freshness: (value) => {
    const headers = {
      'cache-control': value,
      vary: value,
      expires: value,
      date: value,
      age: value,
    };
    const snapshot = { url: home.href, statusCode: 200, headers, body: empty };
    const page = { snapshot, askedAt: 0, cachedAt: 0 } as unknown as Parameters<typeof isFresh>[0];
    return [forbidsStoring(headers), variesByAnything(headers), isFresh(page, 1)];
  },
  refresh: (value) =>
    refreshTarget(
      {
        statusCode: 200,
        headers: { refresh: value, 'content-type': value },
        locations: [],
        setCookies: [],
      },
      empty,
      home,
    ),
  location: (value) => redirectTarget({ statusCode: 302, locations: [value] }, home),
  setCookie: async (value) => {
    const cookies = new RedirectCookies();
    await cookies.keep([value], home);
    return cookies.header(home, value);
  },
  challenge: (value) =>
    challengeOf({
      statusCode: 403,
      headers: { 'content-type': value, 'cf-mitigated': value },
      body: Buffer.from('<p>'),
    }),
  inBrowser: (value) => {
    const answer = documentResponseOf({
      requestId: '1',
      frameId: '1',
      resourceType: 'Document',
      request: { url: home.href },
      responseHeaders: [{ name: 'Content-Type', value }],
    });
    return [isHtmlPage(answer), htmlHeaders(answer)];
  },
  archived: (value) => readHttpMessage(Buffer.from(`HTTP/1.1 200 OK\r\nX: ${value}\r\n\r\n`)),
  charsetInMarkup: (value) =>
    decodeText(Buffer.from(`${value}\u00ff`, 'latin1'), undefined, 'html'),
};

const urlReaders: Readers = {
  parseUrl: (text) => normalizeUrl(parseUrl(text), { ignoreQueryParameters: false }),
  bareUrl,
  quoteUrl,
  withoutCredentials,
  isCodeUrl,
  readableUrl,
  fingerprint: (text) =>
    fingerprint(text, { ignoreQueryParameters: false, deduplicateSimilarURLs: true }),
  withoutDots,
  registrableDomain,
  isAdHost,
  parseAddress,
  policy: (text) => createNetworkPolicy().check(new URL(text)),
  dateInUrl: (text) => dateInUrl(new URL(text)),
  exportLink: (text) => exportLink(new URL(text)),
  holdsToken,
  headersForHop: (text) => headersForHop({ a: 'b' }, home, new URL(text), 'same-site'),
  scope: (text) => scopeOf([new URL(text)]),
  traps: (text) => {
    const traps = new CrawlerTraps({ limit: 10, now: 0 });
    traps.readPage(home, [text]);
    return traps.refuse(new URL(text), home);
  },
  downloadWarnings: (text) => downloadWarnings(new Map([[text, text]])),
};

const lineReaders: Readers = {
  robots: (text) => {
    const robots = parseRobots(`User-agent: *\nDisallow: ${text}\n${text}\nSitemap: ${text}`);
    return robots.isAllowed(`https://example.test/${encodeURI(text)}`, 'Examplebot');
  },
};

const optionReaders: Readers = {
  headers: (text) => requestHeaders({ [text.slice(0, 5)]: text, [text]: text }, text),
  cookie: (text) => cookiesOf(text, home, 'same-site'),
  acceptLanguage: languagesInHeader,
  startUrl: (text) => startUrl('crawl', text, 'leave it out'),
  webhook: (text) => parseWebhook('crawl', text, ['page']),
  proxy: parseProxyUrl,
  allow: (text) => createNetworkPolicy({ allow: [text], deny: [`*.${text}`] }),
  robotsUserAgent: (text) => parseRobots('User-agent: *\nDisallow: /').isAllowed(home.href, text),
  // RE2 takes 7 µs for a character of a pattern.
  includePaths: (text) =>
    compilePatterns('crawl', ['includePaths'], [text.slice(0, text.length / 8)], true),
};

/** A text as the whole of a page, and as one wide part of it above many small ones. */
const markdownReaders: Readers = Object.fromEntries(
  Object.entries({
    highlights: (text: string) => rankPassages(text, 'how long does delivery take', 5),
    numberedParts: (text: string) => numberedParts(text, 2000),
    cutForModel: (text: string) => cutForModel(text, 2000),
    chunks: (text: string) =>
      cutMarkdown({ markdown: text, ids: [], url: home.href }, { maxTokens: 500, overlap: 50 }),
  }).flatMap(([reader, read]) => [
    [reader, read],
    [
      `${reader} below a wide header`,
      (text) => {
        const half = text.slice(0, text.length / 2).replace(/[\n|]/g, ' ');
        return read(`| a ${half} |\n|---|\n${'| a |\n'.repeat(text.length / 12)}`);
      },
    ],
    [
      `${reader} below a long heading`,
      (text) => read(`# a ${text.slice(0, text.length / 2)}\n\n${'a\n\n'.repeat(text.length / 6)}`),
    ],
  ]),
);

const mailContext = {
  mediaType: 'message/rfc822',
  limits: { nodes: 1_000_000, depth: 500 },
} as unknown as Parameters<typeof readEmail>[1];

const mailReader =
  (before: string, after = '\n\nHi') =>
  (text: string): unknown => {
    const mail = { url: home.href, body: Buffer.from(`${before}${text}${after}`) };
    return readEmail(mail as unknown as Parameters<typeof readEmail>[0], mailContext);
  };

const mailReaders: Readers = {
  subject: mailReader('Subject: '),
  to: mailReader('To: '),
  type: mailReader('Content-Type: '),
  fields: mailReader(''),
  body: mailReader('Subject: a\n\n'),
  flowed: mailReader('Content-Type: text/plain; format=flowed; delsp=yes\n\n'),
  html: mailReader('Content-Type: text/html\n\n'),
  parts: mailReader('Content-Type: multipart/mixed; boundary=b\n\n--b\n', '\n--b--'),
  name: mailReader(
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename="',
    '"\n\nx\n--b--',
  ),
};

const secretReaders: Readers = {
  maskText,
  redact: (text) =>
    new Redactor(['email', 'phone', 'card', 'iban', 'ip', 'ssn'], home.href).text(text),
  redactUrl: (text) => new Redactor(['email', 'phone'], home.href).url(text),
};

const marks = [
  ' ',
  '\t',
  '.',
  ',',
  ';',
  '=',
  '"',
  '\\',
  '/',
  '-',
  '%',
  '@',
  ':',
  '*',
  '$',
  '#',
  '?',
  '&',
  'a',
  '1',
  'ä',
  '[',
  ']',
  '(',
  '<',
  '>',
  "'",
  '|',
  '_',
  '~',
  '%41',
  'ab1',
];
const headerWords = [
  'text/html',
  'charset=',
  'filename="',
  "filename*=utf-8''",
  'max-age=',
  '0;url=',
  'Mon, ',
  'http://',
  'Path=/',
  'Expires=',
  'attachment;',
  '<meta ',
  '<!--',
  '\t ',
  '; ',
  ', ',
  '= ',
];
const urlWords = [
  'http://',
  'https://a.test/',
  '//',
  '/../',
  '/2024/01',
  '?a=1',
  '&a[]=',
  ';jsessionid=',
  'xn--',
  'www.',
  '[::',
  '%25',
  '/index.html',
  '#!/',
  'user:word@',
  'a.b.',
  'co.uk',
];
const lineWords = ['Disallow: ', 'User-agent: ', 'Sitemap: ', 'Allow: ', '\n', '\r', '/*', '*$'];
const optionWords = ['a=b; ', 'de-', ';q=0.', 'compatible;', '*.', '10.0.0.0/', '.*', '(a', '\\d'];

const markdownWords = ['| a ', '|---', '\n', '# ', '- ', '> ', '```', '[a](b)', 'A word. ', '\n\n'];
const mailWords = [
  '=?utf-8?Q?a?= ',
  '<a@b.test>, ',
  'a: b\n',
  '\n ',
  '--b\n',
  '>',
  '\n',
  'Content-Type: message/rfc822\n\n',
  '; a*0=b',
  '<p>',
  '<b>',
];
const secretWords = [
  '?token=',
  '%3Ftoken%3D',
  '"api key":"',
  '\\u0026',
  '<b>',
  '&#97;',
  'a@b.test',
  '+49 30 ',
];

/** The numbers of times that a piece is repeated, in characters. */
const lengths = [2_000, 16_000, 60_000];

/** Milliseconds for a text of so many characters: a linear reader takes a tenth, one that is not a second. */
const allowed = (length: number): number => 20 + length / 500;

async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
  const start = cpuTime();
  try {
    await read(text);
  } catch {
    // Most of these texts are refused.
  }
  return cpuTime() - start;
}

function growing(
  readers: Readers,
  words: readonly string[],
  /** How often a reader may take the time of one of a header. */
  share = 1,
): fc.IRawProperty<unknown> {
  const piece = fc.oneof(fc.constantFrom(...marks), fc.constantFrom(...words, ...marks));
  const few = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
  const some = fc.array(piece, { minLength: 1, maxLength: 2 }).map((pieces) => pieces.join(''));
  const start = fc.oneof(few, fc.constantFrom(...words));
  const name = fc.constantFrom(...Object.keys(readers));
  return fc.asyncProperty(name, start, some, few, async (reader, head, repeated, tail) => {
    const read = readers[reader] as (text: string) => unknown;
    for (const length of lengths) {
      const text = head + repeated.repeat(length / repeated.length) + tail;
      let time = await timeOf(read, text);
      // Once more, and again: the first time compiles, and memory is tidied up in between.
      for (let turn = 0; turn < 2 && time > share * allowed(text.length); turn++) {
        time = Math.min(time, await timeOf(read, text));
      }
      if (time > share * allowed(text.length)) {
        throw new Error(`${reader} took ${Math.round(time)} ms for ${text.length} characters`);
      }
    }
  });
}

const budget = { runs: 1_000, share: 2 };

fuzzTest('headers are read in linear time', budget, growing(headerReaders, headerWords));
fuzzTest('URLs are read in linear time', budget, growing(urlReaders, urlWords));
fuzzTest('lines of robots.txt are read in linear time', budget, growing(lineReaders, lineWords));
fuzzTest('options are read in linear time', budget, growing(optionReaders, optionWords));
/** These make a page of a text, or many passages. */
const heavy = { ...budget, stall: 3_000 };

fuzzTest('markdown is cut in linear time', heavy, growing(markdownReaders, markdownWords, 10));
fuzzTest('mails are read in linear time', heavy, growing(mailReaders, mailWords, 10));
fuzzTest('secrets are found in linear time', heavy, growing(secretReaders, secretWords, 10));

test('a wide header of a table is not read again with each of its rows', async () => {
  const table = `| ${'a b '.repeat(7_500)}|\n|---|\n${'| a |\n'.repeat(5_000)}`;
  const heads = readPassages(table).reduce((sum, { head = '' }) => sum + head.length, 0);
  expect(heads).toBeLessThanOrEqual(5_001 * 1_000);
  const parts = await cutForModel(table, 2_000);
  expect(parts.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(2 * table.length);
  expect(await rankPassages(table, 'a', 1)).toHaveLength(1);
});
