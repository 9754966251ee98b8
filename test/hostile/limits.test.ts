/** How much a server may make its visitor read, and how long it may take. */
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import {
  type Behaviour,
  drip,
  endless,
  endlessHeaders,
  gzipBomb,
  hang,
  huge,
  raw,
  redirectLoop,
  redirectTo,
} from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Routes, Scenario } from './scenario.ts';

const megabyte = 1024 * 1024;
const tooLarge = {
  code: 'BODY_TOO_LARGE',
  message: /larger than \d+ bytes.*Raise limits\.bodyBytes/,
} as const;
const tooSlow = { code: 'TIMEOUT', message: /took longer than 1000 ms\. Raise timeout/ } as const;
const tooMany = { code: 'TOO_MANY_REDIRECTS', message: /Raise limits\.redirects/ } as const;

const bytes = (body: Buffer, headers: Record<string, string>): Behaviour => {
  return ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);
  };
};

/** A block again and again, until the client goes. */
const again = (coding: string, block: Buffer, start = Buffer.alloc(0)): Behaviour => {
  return async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': coding });
    response.on('error', () => undefined).write(start);
    while (!response.destroyed) {
      response.write(block);
      await sleep(1);
    }
  };
};
const many = (block: Buffer): Buffer => Buffer.concat(Array.from({ length: 2_000 }, () => block));
/** A block of deflate that holds nothing. */
const noBytes = Buffer.from('000000ffff', 'hex');

/** Redirects a number of times. */
const steps = (count: number): Routes => ({
  '*': ({ url, response }) => {
    const step = Number(url.slice(1));
    if (step < count) response.writeHead(302, { location: `/${step + 1}` }).end();
    else response.end('<p>There</p>');
  },
});

/** An abort by the caller after 100 ms. */
function aborted(name: string, site: Routes): Scenario {
  return {
    name,
    site,
    act: async ({ client, site: server }) => {
      const started = performance.now();
      const outcome: unknown = await client
        .scrape(server.url('/'), { signal: AbortSignal.timeout(100) })
        .catch((error: unknown) => (error as { code?: string }).code);
      return { outcome, soon: performance.now() - started < 2000 };
    },
    expect: { value: { outcome: 'TIMEOUT', soon: true } },
  };
}

runScenarios([
  {
    name: 'a body that is declared too large is refused before it is read',
    site: { '/': huge({ bytes: 10 * megabyte }) },
    options: { limits: { bodyBytes: megabyte } },
    expect: tooLarge,
  },
  {
    name: 'a body that is not declared is cut off at the limit',
    site: { '/': huge({ bytes: 10 * megabyte, declared: false }) },
    options: { limits: { bodyBytes: megabyte } },
    expect: tooLarge,
  },
  {
    name: 'a body of exactly the limit is read',
    site: { '/': bytes(Buffer.from('<p>12345</p>'), {}) },
    options: { limits: { bodyBytes: 12 } },
    expect: { document: { markdown: '12345' } },
  },
  {
    name: 'a body of one byte more is refused',
    site: { '/': bytes(Buffer.from('<p>12345</p>\n'), {}) },
    options: { limits: { bodyBytes: 12 } },
    expect: tooLarge,
  },
  {
    name: 'a body that never ends is cut off at the default limit',
    site: { '/': endless() },
    expect: { code: 'BODY_TOO_LARGE', message: /52428800 bytes/ },
  },
  {
    name: 'a limit of the client counts where the call has none',
    client: { network: { allow: ['127.0.0.1'] }, limits: { bodyBytes: 1000 } },
    site: { '/': huge({ bytes: 2000 }) },
    expect: tooLarge,
  },
  {
    name: 'a small gzip body that unpacks to 500 MB is stopped',
    site: { '/': gzipBomb({ bytes: 500 * megabyte }) },
    expect: { code: 'BODY_TOO_LARGE', message: /Raise limits\.bodyBytes/ },
  },
  {
    name: 'a small brotli body that unpacks to 60 MB is stopped',
    site: {
      '/': bytes(brotliCompressSync(Buffer.alloc(60 * megabyte, 'a')), {
        'content-encoding': 'br',
      }),
    },
    expect: { code: 'DECOMPRESSION', message: /Raise limits\.compressionRatio/ },
  },
  ...(
    [
      ['members of gzip', 'gzip', gzipSync(''), undefined],
      ['blocks of deflate', 'deflate', noBytes, Buffer.from('789c', 'hex')],
      ['blocks of raw deflate', 'deflate', noBytes, deflateRawSync('<p>A').subarray(0, -1)],
      ['members of gzip in gzip', 'gzip, gzip', gzipSync(gzipSync('')), undefined],
    ] as const
  ).map(([what, coding, block, start]): Scenario => ({
    name: `${what} without an end that hold nothing are counted`,
    site: { '/': again(coding, many(block), start) },
    options: { limits: { bodyBytes: megabyte }, timeout: 15_000 },
    expect: tooLarge,
  })),
  {
    name: 'data that does not compress may be larger than the body',
    site: {
      '/': bytes(gzipSync(Buffer.alloc(megabyte, 'a'), { level: 0 }), {
        'content-encoding': 'gzip',
      }),
    },
    options: { limits: { bodyBytes: megabyte } },
    expect: { document: { markdown: 'a'.repeat(megabyte) } },
  },
  {
    name: 'a gzip body in a gzip body is counted unpacked',
    site: {
      '/': bytes(gzipSync(gzipSync(Buffer.alloc(5 * megabyte, 'a'))), {
        'content-encoding': 'gzip, gzip',
      }),
    },
    options: { limits: { bodyBytes: megabyte } },
    expect: tooLarge,
  },
  {
    name: 'a length that no body has is refused',
    site: { '/': raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999999\r\n\r\n<p>' }) },
    expect: { code: 'BODY_TOO_LARGE', message: /Raise limits\.bodyBytes/ },
  },
  {
    name: 'headers beyond the limit are refused',
    site: { '/': { headers: { 'x-long': 'a'.repeat(20_000) }, body: '<p>x</p>' } },
    options: { limits: { headerBytes: 16_000 } },
    expect: { code: 'PROTOCOL_ERROR', message: /Raise limits\.headerBytes/ },
  },
  {
    name: 'headers within the limit are read',
    site: { '/': { headers: { 'x-long': 'a'.repeat(20_000) }, body: '<p>x</p>' } },
    expect: { document: { markdown: 'x' } },
  },
  {
    name: 'headers that never end are refused at the limit',
    site: { '/': endlessHeaders() },
    expect: { code: 'PROTOCOL_ERROR', message: /Raise limits\.headerBytes/ },
  },
  {
    name: 'headers that come very slowly end with the deadline',
    site: { '/': endlessHeaders({ ms: 100 }) },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  {
    name: 'twenty thousand headers are refused at the limit',
    site: {
      '/': raw({
        bytes: `HTTP/1.1 200 OK\r\n${'aaa: bbb\r\n'.repeat(20_000)}content-length: 0\r\n\r\n`,
      }),
    },
    expect: { code: 'PROTOCOL_ERROR', message: /Raise limits\.headerBytes/ },
  },
  {
    name: 'ten redirects are followed',
    site: steps(10),
    visit: '/0',
    expect: { document: { markdown: 'There', url: '/10' } },
  },
  { name: 'the eleventh redirect is refused', site: steps(11), visit: '/0', expect: tooMany },
  {
    name: 'a limit of no redirects refuses the first',
    site: steps(1),
    visit: '/0',
    options: { limits: { redirects: 0 } },
    expect: tooMany,
  },
  {
    name: 'a page that redirects to itself is a loop',
    site: { '/': redirectLoop() },
    expect: { code: 'TOO_MANY_REDIRECTS', message: /redirects in a loop/ },
  },
  {
    name: 'two pages that redirect to each other are a loop',
    site: { '/': redirectTo({ location: '/b' }), '/b': redirectTo({ location: '/' }) },
    expect: { code: 'TOO_MANY_REDIRECTS', message: /redirects in a loop/ },
  },
  {
    name: 'redirects to ever new URLs end at the limit',
    site: {
      '*': ({ url, response }) => {
        response.writeHead(302, { location: `${url}a` }).end();
      },
    },
    expect: tooMany,
  },
  {
    name: 'a redirect to the same page with another cookie each time ends at the limit',
    site: {
      '/': ({ response }) => {
        const cookie = `n=${performance.now()}; Path=/`;
        response.writeHead(302, { location: '/', 'set-cookie': cookie }).end();
      },
    },
    expect: tooMany,
  },
  {
    name: 'a redirect with a huge body is followed without reading it',
    site: {
      '/': ({ response }) => {
        response.writeHead(302, { location: '/next', 'content-length': String(90 * megabyte) });
        response.write(Buffer.alloc(megabyte));
      },
      '/next': '<p>There</p>',
    },
    expect: { document: { markdown: 'There', url: '/next' } },
  },
  {
    name: 'a redirect without a place to go is the page',
    site: { '/': { status: 302, body: '<p>Moved</p>' } },
    expect: { document: { markdown: 'Moved', statusCode: 302 } },
  },
  {
    name: 'a redirect to javascript: is refused',
    site: { '/': redirectTo({ location: 'javascript:alert(1)' }) },
    expect: { code: 'BAD_REDIRECT', message: /not http or https.*Scrape the page/ },
  },
  {
    name: 'a redirect to a file is refused',
    site: { '/': redirectTo({ location: 'file:///etc/passwd' }) },
    expect: { code: 'BAD_REDIRECT', message: /not http or https/ },
  },
  {
    name: 'a redirect to a data URL is refused',
    site: { '/': redirectTo({ location: 'data:text/html,hello' }) },
    expect: { code: 'BAD_REDIRECT', message: /not http or https/ },
  },
  {
    name: 'a redirect to an invalid URL is refused',
    site: { '/': redirectTo({ location: 'http://[bad' }) },
    expect: { code: 'BAD_REDIRECT', message: /an invalid URL.*Scrape the page/ },
  },
  {
    name: 'a redirect to two places is refused',
    site: {
      '/': raw({
        bytes: 'HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n',
      }),
    },
    expect: { code: 'BAD_REDIRECT', message: /several places at once/ },
  },
  {
    name: 'a meta refresh to the page itself ends, as a page or an error',
    site: { '/': '<meta http-equiv="refresh" content="0;url=/"><p>Again</p>' },
    expect: { document: { markdown: 'Again' } },
  },
  {
    name: 'two pages that refresh to each other end',
    site: {
      '/': '<meta http-equiv="refresh" content="0;url=/b"><p>a</p>',
      '/b': '<meta http-equiv="refresh" content="0;url=/"><p>b</p>',
    },
    expect: {
      document: { markdown: 'b', url: '/b', warning: /not followed: it leads in a loop/ },
    },
  },
  {
    name: 'a meta refresh to javascript: is not followed',
    site: { '/': '<meta http-equiv="refresh" content="0;url=javascript:alert(1)"><p>Here</p>' },
    expect: { document: { markdown: 'Here', url: '/' } },
  },
  {
    name: 'a server that never answers ends with the deadline',
    site: { '/': hang() },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  {
    name: 'a body that comes very slowly ends with the deadline',
    site: {
      '/': (exchange) =>
        drip({ bytesPerSecond: 50 })({
          ...exchange,
          page: () =>
            Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(9999), delay: 0 }),
        }),
    },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  {
    name: 'a server that stops in the middle of a body ends with the deadline',
    site: {
      '/': raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<p>Half', keepOpen: true }),
    },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  {
    name: 'a server that stops in the middle of a chunk ends with the deadline',
    site: {
      '/': raw({
        bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\n<p>Half',
        keepOpen: true,
      }),
    },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  {
    name: 'a server that sends early hints for ever is PROTOCOL_ERROR',
    site: {
      '/': async ({ request: { socket }, signal }) => {
        while (!signal.aborted && !socket.destroyed) {
          socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
          await sleep(5, undefined, { signal });
        }
      },
    },
    expect: { code: 'PROTOCOL_ERROR', message: /more than 20 interim responses/ },
  },
  {
    name: 'redirects that each take a while share one deadline',
    site: {
      '*': async ({ url, response, signal }) => {
        await sleep(300, undefined, { signal });
        response.writeHead(302, { location: `${url}a` }).end();
      },
    },
    options: { timeout: 1000 },
    expect: tooSlow,
  },
  aborted('an abort before the headers leaves nothing behind', { '/': hang() }),
  aborted('an abort in the middle of a body leaves nothing behind', {
    '/': raw({ bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<p>Half', keepOpen: true }),
  }),
  aborted('an abort in the middle of a fast endless body leaves nothing behind', {
    '/': ({ response, signal }) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('<p>more</p>'), 5);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
  }),
  aborted('an abort in the middle of redirects leaves nothing behind', {
    '*': async ({ url, response, signal }) => {
      await sleep(30, undefined, { signal });
      response.writeHead(302, { location: `${url}a` }).end();
    },
  }),
  {
    name: 'a signal that is aborted already asks for nothing',
    site: { '/': '<p>x</p>' },
    act: async ({ client, site }) => {
      const outcome: unknown = await client
        .scrape(site.url('/'), { signal: AbortSignal.abort() })
        .catch((error: unknown) => (error as { code?: string }).code);
      return { outcome, asked: site.log.length };
    },
    expect: { value: { outcome: 'CANCELLED', asked: 0 } },
  },
  {
    name: 'closing the client ends what runs',
    site: { '/': hang() },
    act: async ({ client, site }) => {
      const outcome = client
        .scrape(site.url('/'))
        .catch((error: unknown) => (error as { code?: string }).code);
      await sleep(100);
      await client.close();
      return await outcome;
    },
    expect: { value: 'CANCELLED' },
  },
  {
    name: 'a hundred scrapes of silent servers end together',
    client: { maxConcurrencyPerHost: 100 },
    site: { '*': hang() },
    act: async ({ client, site }) => {
      const codes = await Promise.all(
        Array.from({ length: 100 }, (_, number) =>
          client
            .scrape(site.url(`/${number}`), { timeout: 1000, retries: 0 })
            .catch((error: unknown) => (error as { code?: string }).code),
        ),
      );
      return [...new Set(codes)];
    },
    expect: { value: ['TIMEOUT'] },
  },
]);
