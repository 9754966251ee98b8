/** robots.txt and sitemaps that are broken, endless, or made to lead astray. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import {
  type Behaviour,
  hang,
  redirectLoop,
  redirectTo,
  reset,
  status,
} from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Routes, Scenario, Web } from './scenario.ts';

const pages = {
  '/': '<p>Start</p><a href="/a">a</a><a href="/private">p</a>',
  '/a': '<p>A</p>',
  '/private': '<p>P</p>',
};

/** What a crawl scrapes of the pages, with this robots.txt, or the code of its error. */
function crawled(
  name: string,
  robots: Routes[string],
  expected: readonly string[] | 'ROBOTS',
  limit = 100,
): Scenario {
  return {
    name,
    site: { ...pages, '/robots.txt': robots },
    act: async ({ client, site }) => {
      const { data } = await client.crawl(site.url('/'), { sitemap: 'skip', limit });
      return data.map(({ metadata }) => new URL(metadata.url).pathname);
    },
    expect:
      expected === 'ROBOTS'
        ? { code: expected, message: /robots\.txt answered 50[03]/ }
        : { value: expected },
  };
}

const text = (body: string | Uint8Array): Routes[string] => ({
  headers: { 'content-type': 'text/plain' },
  body,
});
const all = ['/', '/a', '/private'];

/** One rule, then comments without an end, and no rule of which the end is not there. */
function endlessRobots(): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('User-agent: *\nDisallow: /private\n');
    const comments = function* (): Generator<string> {
      for (;;) yield '# more\n'.repeat(5_000);
    };
    await pipeline(Readable.from(comments()), response).catch(() => undefined);
  };
}

/** What a map finds by this sitemap, and whether it tells that something is wrong. */
function mapped(
  name: string,
  files: Routes | ((web: Web) => Routes),
  expected: { readonly paths: readonly string[]; readonly warning?: RegExp },
): Scenario {
  return {
    name,
    site: (web) => ({ '/': '<p>Start</p>', ...(typeof files === 'function' ? files(web) : files) }),
    act: async ({ client, site }) => {
      const { links, warning = '' } = await client.map(site.url('/'), {
        sitemap: 'only',
        limit: 1000,
      });
      const paths = links.map(({ url }) => new URL(url).pathname).filter((path) => path !== '/');
      return { paths, told: (expected.warning ?? /^$/).test(warning) || warning };
    },
    expect: { value: { paths: expected.paths, told: true } },
  };
}

const entry = (url: string): string => `<url><loc>${url}</loc></url>`;
const urlset = (inside: string): string =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inside}</urlset>`;
const index = (...urls: readonly string[]): string =>
  `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

runScenarios([
  crawled('robots.txt is obeyed', text('User-agent: *\nDisallow: /private'), ['/', '/a']),
  crawled(
    'robots.txt with a byte order mark is obeyed',
    text('\ufeffUser-agent: *\nDisallow: /private'),
    ['/', '/a'],
  ),
  crawled(
    'robots.txt with the line ends of an old Mac is obeyed',
    text('User-agent: *\rDisallow: /private\r'),
    ['/', '/a'],
  ),
  crawled(
    'robots.txt with NULs and garbage is obeyed where it makes sense',
    text('\0\0\u0007garbage\n:::\nUser-agent: *\nDisallow: /private\n\u00ff'),
    ['/', '/a'],
  ),
  crawled('robots.txt of half a rule forbids nothing more', text('User-agent: *\nDisallow'), all),
  crawled(
    'robots.txt that is a web page forbids nothing',
    '<html><body>User-agent: *<br>Disallow: /</body></html>',
    all,
  ),
  crawled(
    'robots.txt without an end of a line is obeyed',
    text('User-agent:*\nDisallow:/private'),
    ['/', '/a'],
  ),
  crawled('robots.txt that is missing forbids nothing', status({ code: 404 }), all),
  crawled('robots.txt that is forbidden forbids nothing', status({ code: 403 }), all),
  crawled('robots.txt that is broken forbids everything', status({ code: 500 }), 'ROBOTS'),
  crawled('robots.txt that is busy forbids everything', status({ code: 503 }), 'ROBOTS'),
  crawled('robots.txt that redirects for ever forbids nothing', redirectLoop(), all),
  crawled('robots.txt that redirects is obeyed from there', redirectTo({ location: '/a' }), all),
  crawled(
    'robots.txt beyond 500 KiB is read up to there',
    text(`User-agent: *\nDisallow: /private\n${'#'.repeat(600_000)}\nDisallow: /a`),
    ['/', '/a'],
  ),
  crawled(
    'robots.txt of 100,000 rules is read',
    text(
      `User-agent: *\n${Array.from({ length: 20_000 }, (_, at) => `Disallow: /x${at}*y`).join('\n')}\nDisallow: /private`,
    ),
    ['/', '/a'],
  ),
  crawled(
    'patterns of many stars take no time',
    text(`User-agent: *\nDisallow: /${'*a'.repeat(2000)}$\nDisallow: /private`),
    ['/', '/a'],
  ),
  crawled(
    'a crawl delay of a year is no year',
    text('User-agent: *\nDisallow: /\nAllow: /$\nCrawl-delay: 31536000'),
    ['/'],
    1,
  ),
  crawled('robots.txt that never ends holds as far as it is read', endlessRobots(), ['/', '/a']),
  {
    name: 'robots.txt that never ends holds where limits.bodyBytes is smaller than it',
    site: { ...pages, '/robots.txt': endlessRobots() },
    client: { limits: { bodyBytes: 2_000 } },
    act: async ({ client, site }) => {
      const { data } = await client.crawl(site.url('/'), { sitemap: 'skip' });
      return data.map(({ metadata }) => new URL(metadata.url).pathname);
    },
    expect: { value: ['/', '/a'] },
  },
  crawled(
    'robots.txt in a gzip bomb holds as far as it is read',
    {
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      body: gzipSync(`User-agent: *\nDisallow: /private\n${'#\n'.repeat(40_000_000)}`),
    },
    ['/', '/a'],
  ),
  {
    name: 'robots.txt that breaks off closes the site: what did not come might close more',
    site: {
      ...pages,
      '/robots.txt': ({ response }) => {
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('User-agent: *\nDisallow: /private\n', () => response.destroy());
      },
    },
    act: async ({ client, site }) => {
      const job = client.crawl(site.url('/'), { sitemap: 'skip' });
      await job.settled();
      return job.explain(site.url('/'));
    },
    expect: {
      value: expect.objectContaining({
        reason: 'ROBOTS',
        rule: 'robots.txt could not be read: TRUNCATED_BODY: robots.txt was cut off.',
      }),
    },
  },
  {
    name: 'robots.txt that is never answered does not outlive a cancelled crawl',
    site: { ...pages, '/robots.txt': hang() },
    act: async ({ client, site }) => {
      const job = client.crawl(site.url('/'), {
        sitemap: 'skip',
        signal: AbortSignal.timeout(200),
      });
      return (await job).status;
    },
    expect: { code: 'TIMEOUT', message: /stopped by the timeout of its signal/ },
  },
  mapped('a sitemap is read', ({ site }) => ({ '/sitemap.xml': urlset(entry(site.url('/a'))) }), {
    paths: ['/a'],
  }),
  mapped(
    'a sitemap in gzip under any name is read',
    ({ site }) => ({
      '/sitemap.xml': {
        headers: { 'content-type': 'text/plain' },
        body: gzipSync(urlset(entry(site.url('/a')))),
      },
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'a sitemap of plain lines is read',
    ({ site }) => ({ '/sitemap.xml': text(`${site.url('/a')}\n${site.url('/b')}\n`) }),
    { paths: ['/a', '/b'] },
  ),
  mapped(
    'a sitemap under the type of a web page is read',
    ({ site }) => ({
      '/sitemap.xml': {
        headers: { 'content-type': 'text/html' },
        body: urlset(entry(site.url('/a'))),
      },
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'a feed in place of a sitemap is read',
    ({ site }) => ({
      '/sitemap.xml': `<rss version="2.0"><channel><item><link>${site.url('/a')}</link></item></channel></rss>`,
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'a sitemap that breaks off is read up to there',
    ({ site }) => ({
      '/sitemap.xml': `${urlset(entry(site.url('/a'))).slice(0, -9)}<url><loc>http://x`,
    }),
    { paths: ['/a'], warning: /sitemap\.xml: / },
  ),
  mapped(
    'a sitemap whose body breaks off is read up to there, without half a URL',
    ({ site }) => ({
      '/sitemap.xml': ({ response }) => {
        const lines = `${site.url('/a')}\n${site.url('/half')}`;
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 1_000 });
        response.write(lines.slice(0, -2), () => response.destroy());
      },
    }),
    { paths: ['/a'], warning: /sitemap\.xml: The file ended early/ },
  ),
  {
    name: 'a sitemap larger than limits.bodyBytes is read up to there',
    site: ({ site }) => ({
      '/': '<p>Start</p>',
      '/sitemap.xml': text(Array.from({ length: 1_000 }, (_, at) => site.url(`/${at}`)).join('\n')),
    }),
    client: { limits: { bodyBytes: 5_000 } },
    act: async ({ client, site }) => {
      const options = { sitemap: 'only', limit: 1_000 } as const;
      const { links, warning = '' } = await client.map(site.url('/'), options);
      return [links.length > 150, links.length < 250, warning.includes('ended early, after 5000')];
    },
    expect: { value: [true, true, true] },
  },
  mapped(
    'one broken entry of a sitemap hides no other',
    ({ site }) => ({
      '/sitemap.xml': urlset(
        `${entry(site.url('/a'))}<url><loc>${site.url('/x')}?a=1&b=\0<![CDATA[</url>${entry(site.url('/b'))}`,
      ),
    }),
    { paths: ['/a', '/b'], warning: /sitemap\.xml: The XML has .* syntax errors/ },
  ),
  mapped(
    'a bomb of entities explodes nowhere',
    ({ site }) => ({
      '/sitemap.xml': `<!DOCTYPE u [<!ENTITY a "${'x'.repeat(100)}">${Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at} "${at === 0 ? '&a;' : `&e${at - 1};`.repeat(10)}">`).join('')}]>${urlset(`${entry(site.url('/a'))}${entry('&e19;')}`)}`,
    }),
    { paths: ['/a', '/&e19;'], warning: /./ },
  ),
  {
    name: 'an external entity of a sitemap is not fetched',
    site: ({ site }) => ({
      '/': '<p>Start</p>',
      '/sitemap.xml': `<!DOCTYPE u [<!ENTITY x SYSTEM "${site.url('/entity')}">]>${urlset(`<url><loc>&x;</loc></url>${entry(site.url('/a'))}`)}`,
    }),
    act: async ({ client, site }) => {
      await client.map(site.url('/'), { sitemap: 'only' });
      return site.log.some(({ url }) => url === '/entity');
    },
    expect: { value: false },
  },
  mapped(
    'an index that lists itself is read once',
    ({ site }) => ({
      '/sitemap.xml': index(site.url('/sitemap.xml'), site.url('/b.xml')),
      '/b.xml': urlset(entry(site.url('/a'))),
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'indexes that list each other end',
    ({ site }) => ({
      '/sitemap.xml': index(site.url('/b.xml')),
      '/b.xml': index(site.url('/sitemap.xml'), site.url('/c.xml')),
      '/c.xml': urlset(entry(site.url('/a'))),
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'indexes of indexes without an end are left',
    ({ site }) => ({
      '/sitemap.xml': index(site.url('/1.xml')),
      '*': ({ url, response }) => {
        const number = Number(/^\/(\d+)\.xml$/.exec(url)?.[1] ?? NaN);
        if (Number.isNaN(number)) response.writeHead(404).end();
        else response.end(index(site.url(`/${number + 1}.xml`)));
      },
    }),
    { paths: [], warning: /levels deep/ },
  ),
  mapped(
    'one broken sitemap of an index does not hold up the others',
    ({ site }) => ({
      '/sitemap.xml': index(site.url('/reset.xml'), site.url('/404.xml'), site.url('/b.xml')),
      '/reset.xml': reset(),
      '/b.xml': urlset(entry(site.url('/a'))),
    }),
    { paths: ['/a'], warning: /reset\.xml.*404\.xml/s },
  ),
  mapped(
    'entries of another site are left out',
    ({ site, other }) => ({
      '/sitemap.xml': urlset(entry(other.url('/x')) + entry(site.url('/a'))),
    }),
    { paths: ['/a'] },
  ),
  mapped(
    'entries of other schemes are left out',
    ({ site }) => ({
      '/sitemap.xml': urlset(
        entry('javascript:alert(1)') +
          entry('file:///etc/passwd') +
          entry('data:text/html,x') +
          entry(site.url('/a')),
      ),
    }),
    { paths: ['/a'], warning: /3 of the sitemap's entries are not web URLs/ },
  ),
  mapped(
    'a sitemap that is a web page is none',
    { '/sitemap.xml': '<!DOCTYPE html><a href="/x">x</a>' },
    { paths: [] },
  ),
  mapped(
    'a sitemap that is a picture is none',
    { '/sitemap.xml': { body: Buffer.from('89504e470d0a1a0a0000000d', 'hex') } },
    { paths: [] },
  ),
  mapped(
    'elements nested without an end are left',
    ({ site }) => ({ '/sitemap.xml': urlset(`${entry(site.url('/a'))}${'<x>'.repeat(10_000)}`) }),
    { paths: ['/a'], warning: /too deep/ },
  ),
]);
