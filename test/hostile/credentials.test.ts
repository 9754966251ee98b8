/** Credentials and cookies: who gets them, and where they never show. */
import { createClient } from '../../src/index.ts';
import { redirectTo, reset } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import type { Scenario, Scene } from './scenario.ts';
import { secret } from './secret.ts';

const credentials = {
  Authorization: `Bearer ${secret}`,
  Cookie: `session=${secret}`,
  'Proxy-Authorization': `Basic ${secret}`,
} as const;

/** Which credentials came with each request, in order: no values, which no result may hold. */
function received({ site, other }: Scene): string[] {
  return [...site.log, ...other.log]
    .sort((one, next) => one.time - next.time)
    .map(({ headers, url }) => {
      const names = ['authorization', 'cookie', 'proxy-authorization'];
      return [url, ...names.filter((name) => headers[name] !== undefined)].join(' ');
    });
}

/** What a redirect takes along. */
function journey(name: string, rest: Pick<Scenario, 'site' | 'other'>, value: string[]): Scenario {
  return {
    name,
    ...rest,
    options: { headers: credentials },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      return received(scene);
    },
    expect: { value },
  };
}

const all = 'authorization cookie proxy-authorization';

/** Sets a cookie and goes to the given place. */
const setsCookie = (location: string, cookie: string): Record<string, unknown> => ({
  status: 302,
  headers: { location, 'set-cookie': cookie },
});

runScenarios([
  journey(
    'credentials go along with a redirect within the site',
    { site: { '/': redirectTo({ location: '/next' }), '/next': '<p>n</p>' } },
    [`/ ${all}`, `/next ${all}`],
  ),
  journey(
    'credentials stay behind when a redirect leaves the site',
    {
      site: ({ other }) => ({ '/': redirectTo({ location: other.url('/next') }) }),
      other: { '/next': '<p>n</p>' },
    },
    [`/ ${all}`, '/next'],
  ),
  journey(
    'credentials stay behind when the way leads back to the site',
    {
      site: ({ other }) => ({
        '/': redirectTo({ location: other.url('/away') }),
        '/back': '<p>n</p>',
      }),
      other: ({ site }) => ({ '/away': redirectTo({ location: site.url('/back') }) }),
    },
    [`/ ${all}`, '/away', '/back'],
  ),
  journey(
    'credentials stay behind when a meta refresh leaves the site',
    {
      site: ({ other }) => ({
        '/': `<meta http-equiv="refresh" content="0;url=${other.url('/next')}">`,
      }),
      other: { '/next': '<p>n</p>' },
    },
    [`/ ${all}`, '/next'],
  ),
  {
    name: 'credentials in a redirect target are not sent and not told',
    site: ({ site }) => ({
      '/': redirectTo({ location: site.url('/next').replace('//', `//user:${secret}@`) }),
      '/next': '<p>n</p>',
    }),
    act: async (scene) => {
      const document = (await scene.scrape(scene.site.url('/'))) as { metadata: { url: string } };
      return { seen: received(scene), same: document.metadata.url === scene.site.url('/next') };
    },
    expect: { value: { seen: ['/', '/next'], same: true } },
  },
  {
    name: 'credentials in the URL of a page that fails are not in the error',
    site: { '/': reset() },
    visit: ({ site }) => site.url('/').replace('//', `//user:${secret}@`),
    expect: { code: 'CONNECTION_RESET', message: /closed before http:\/\/127\.0\.0\.1:\d+\/ was/ },
  },
  {
    name: 'credentials in the URL of a refused address are not in the error',
    visit: `http://user:${secret}@10.0.0.1/`,
    expect: { code: 'BLOCKED_ADDRESS', message: /contact 10\.0\.0\.1: only public/ },
  },
  {
    name: 'credentials in a URL that is none are not in the error',
    visit: `http://user:${secret}@exa mple/`,
    expect: { code: 'INVALID_URL', message: /its host has a space in it/ },
  },
  {
    name: 'credentials in a URL with another scheme are not in the error',
    visit: `ftp://user:${secret}@127.0.0.1/`,
    expect: { code: 'UNSUPPORTED_PROTOCOL', message: /Use an http: or https: URL/ },
  },
  {
    name: 'credentials in the links of a page do not leave it',
    site: { '/': `<p>See <a href="http://user:${secret}@127.0.0.1/x">this</a></p>` },
    options: { formats: ['markdown', 'links', 'html'] },
    expect: { document: { fields: { links: ['http://127.0.0.1/x'] } } },
  },
  {
    name: 'a cookie that a redirect sets is sent to its site',
    site: {
      '/': setsCookie('/next', 'seen=1; Path=/'),
      '/next': '<p>n</p>',
    },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      return scene.site.log.map(({ headers }) => headers['cookie'] ?? '');
    },
    expect: { value: ['', 'seen=1'] },
  },
  {
    name: 'a cookie that a redirect sets is not sent to another site',
    site: ({ other }) => ({ '/': setsCookie(other.url('/next'), 'seen=1; Path=/') }),
    other: { '/next': '<p>n</p>' },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      return scene.other.log.map(({ headers }) => headers['cookie'] ?? '');
    },
    expect: { value: [''] },
  },
  {
    name: 'a site cannot set a cookie for another one',
    site: ({ other }) => ({
      '/': setsCookie(other.url('/next'), 'forced=1; Path=/; Domain=127.0.0.2'),
    }),
    other: { '/next': '<p>n</p>' },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      return scene.other.log.map(({ headers }) => headers['cookie'] ?? '');
    },
    expect: { value: [''] },
  },
  {
    name: 'a cookie of one scrape is not sent with the next',
    site: { '/': setsCookie('/next', 'seen=1; Path=/'), '/next': '<p>n</p>' },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      await scene.scrape(scene.site.url('/'));
      return scene.site.log.map(({ headers }) => headers['cookie'] ?? '');
    },
    expect: { value: ['', 'seen=1', '', 'seen=1'] },
  },
  {
    name: 'a cookie of one client is not sent by another',
    site: { '/': setsCookie('/next', 'seen=1; Path=/'), '/next': '<p>n</p>' },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/'));
      await using second = createClient({ network: { allow: ['127.0.0.1'] } });
      await second.scrape(scene.site.url('/next'));
      return scene.site.log.map(({ headers }) => headers['cookie'] ?? '');
    },
    expect: { value: ['', 'seen=1', ''] },
  },
  {
    name: 'cookies of two scrapes at once do not mix',
    site: {
      '/one': setsCookie('/next?one', 'who=one; Path=/'),
      '/two': setsCookie('/next?two', 'who=two; Path=/'),
      '/next': { body: '<p>n</p>', delay: 20 },
    },
    act: async (scene) => {
      await Promise.all(['/one', '/two'].map((path) => scene.scrape(scene.site.url(path))));
      const asked = scene.site.log.filter(({ url }) => url.startsWith('/next'));
      return asked.map(({ url, headers }) => `${url} ${headers['cookie']}`).sort();
    },
    expect: { value: ['/next?one who=one', '/next?two who=two'] },
  },
  {
    name: 'robots.txt and sitemaps are asked for without credentials',
    site: { '/': '<p>Text</p>' },
    act: async (scene) => {
      await scene.client.crawl(scene.site.url('/'), { scrapeOptions: { headers: credentials } });
      return received(scene).filter((line) => !line.startsWith('/ '));
    },
    expect: { value: ['/robots.txt', '/sitemap.xml', '/sitemap_index.xml'] },
  },
  {
    name: 'a header value with a line break is refused before anything is sent',
    options: { headers: { 'X-Note': 'a\r\nAuthorization: Bearer mine' } },
    site: { '/': '<p>Text</p>' },
    expect: { code: 'BAD_REQUEST', message: /header value without control characters/ },
  },
  {
    name: 'a header name with a line break is refused before anything is sent',
    options: { headers: { 'X-A\r\nX-B': 'b' } },
    site: { '/': '<p>Text</p>' },
    expect: { code: 'BAD_REQUEST', message: /header name/ },
  },
  {
    name: 'a header that frames the message is refused',
    options: { headers: { 'Transfer-Encoding': 'chunked' } },
    site: { '/': '<p>Text</p>' },
    expect: { code: 'BAD_REQUEST', message: /belongs to the connection.*Leave it out/ },
  },
  {
    name: 'a line break in a URL does not add a header',
    site: { '*': '<p>Text</p>' },
    act: async (scene) => {
      await scene.scrape(`${scene.site.url('/a')}\r\nX-Added: 1`);
      return scene.site.log.map(({ url, headers }) => [url, 'x-added' in headers]);
    },
    expect: { value: [['/aX-Added:%201', false]] },
  },
  {
    name: 'an escaped line break in a URL stays escaped',
    site: { '*': '<p>Text</p>' },
    act: async (scene) => {
      await scene.scrape(scene.site.url('/a%0d%0aX-Added:%201'));
      return scene.site.log.map(({ url, headers }) => [url, 'x-added' in headers]);
    },
    expect: { value: [['/a%0D%0AX-Added:%201', false]] },
  },
  {
    name: 'user name and password in the URL of a page go to its server, and into no result',
    site: { '/': '<p>Text</p>' },
    act: async (scene) => {
      const url = scene.site.url('/').replace('//', `//ann:${secret}@`);
      const { metadata } = (await scene.scrape(url)) as { metadata: { sourceURL: string } };
      const basic = `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}`;
      const isSent = scene.site.log[0]?.headers['authorization'] === basic;
      return [metadata.sourceURL === scene.site.url('/'), isSent];
    },
    expect: { value: [true, true] },
  },
  {
    name: 'user name and password in the start URL of a crawl are refused, and not repeated',
    act: ({ client, site }) => client.crawl(site.url('/').replace('//', `//ann:${secret}@`)),
    expect: { code: 'BAD_REQUEST', message: /use scrapeOptions\.headers\.Authorization/ },
  },
  {
    name: 'credentials of a crawl go to the site of its start URL only',
    site: ({ other }) => ({
      '/': `<p>Start</p><a href="/a">a</a><a href="${other.url('/leaf')}">leaf</a>`,
      '/a': '<p>A</p>',
    }),
    other: { '/leaf': '<p>Leaf</p>' },
    act: async (scene) => {
      await scene.client.crawl(scene.site.url('/'), {
        allowExternalLinks: true,
        ignoreRobotsTxt: true,
        sitemap: 'skip',
        maxConcurrency: 1,
        scrapeOptions: { headers: credentials },
      });
      return received(scene);
    },
    expect: {
      value: [
        '/ authorization cookie proxy-authorization',
        '/a authorization cookie proxy-authorization',
        '/leaf',
      ],
    },
  },
  {
    name: 'a header value that is refused is not repeated',
    site: { '/': '<p>Text</p>' },
    options: { headers: { 'X-Token': `a\r\n${secret}` } },
    expect: { code: 'BAD_REQUEST', message: /headers\.X-Token: .*control characters/ },
  },
  ...['http:///', 'http:/', 'http:', 'http:\\\\', 'http:/\t/'].map((start) => ({
    name: `user name and password after ${JSON.stringify(start)} are in no result`,
    site: { '/': '<p>Text</p>' },
    act: async (scene: Scene) => {
      const { host } = new URL(scene.site.origin);
      const page = (await scene.scrape(`${start}ann:${secret}@${host}/`)) as {
        metadata: { sourceURL: string };
      };
      return page.metadata.sourceURL === `http://${host}/`;
    },
    expect: { value: true },
  })),
]);
