/** What of a caller's headers reaches another server: by redirects, refreshes, links, and bad certificates. */
import type { CrawlOptions, ScrapeOptions } from '../../src/index.ts';
import { type Behaviour, type FixtureServer, serve } from '../../src/entries/testing/index.ts';
import { runScenarios } from './run-scenarios.ts';
import { rare, type Scenario, type Scene } from './scenario.ts';
import { secret } from './secret.ts';
import { serveTls } from './tls-lab.ts';

/** What only the first server may see. */
const own = {
  Authorization: `Bearer ${secret}`,
  Cookie: `session=${secret}`,
  'X-Api-Key': secret,
  'X-Auth-Token': secret,
  'X-Tenant': 'blue',
};
const names = Object.keys(own).map((name) => name.toLowerCase());
const everything = names.join(' ');

/** Which of them a request had; values are in no result. */
function sentWith(server: FixtureServer, path = '/next'): string {
  const request = server.log.find(({ url }) => url === path);
  if (request === undefined) return `${path} was not asked for`;
  return names.filter((name) => name in request.headers).join(' ');
}

type Way = (to: string) => Behaviour;

const redirect =
  (status: number): Way =>
  (location) =>
  ({ response }) =>
    void response.writeHead(status, { location }).end();
const page =
  (
    html: (to: string) => string,
    headers: (to: string) => Record<string, string> = () => ({}),
  ): Way =>
  (to) =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/html', ...headers(to) }).end(html(to));

const ways = {
  ...Object.fromEntries([301, 302, 303, 307, 308].map((code) => [`a ${code}`, redirect(code)])),
  'a meta refresh': page((to) => `<meta http-equiv="refresh" content="0;url=${to}"><p>Wait</p>`),
  'a Refresh header': page(
    () => '<p>Wait</p>',
    (to) => ({ refresh: `0;url=${to}` }),
  ),
};
const script = page((to) => `<p>Wait</p><script>location.replace(${JSON.stringify(to)})</script>`);

/** One page that leads to `/next` on another server: the second port of the site, or the other site. */
function leads(
  name: string,
  way: Way,
  expected: string,
  { to = 'port', ...options }: ScrapeOptions<readonly []> & { to?: 'port' | 'host' | 'own' } = {},
  client: Scenario['client'] = {},
): Scenario {
  return {
    name,
    client,
    act: async (scene) => {
      await using port = await serve({ '/next': '<p>Next</p>' });
      const target = { port, host: scene.other, own: scene.site }[to];
      await using start = await serve(
        {},
        { behaviours: { '/': way(to === 'own' ? '/next' : target.url('/next')) } },
      );
      const page = { headers: own, retries: 0, maxAge: 0, formats: ['markdown'], ...options };
      await scene.client.scrape(start.url('/'), page as ScrapeOptions);
      const last = to === 'own' ? start : target;
      await scene.client.close();
      return [sentWith(start, '/'), sentWith(last)];
    },
    other: { '/next': '<p>Next</p>' },
    expect: { value: [everything, expected] },
  };
}

const engines: readonly (readonly [string, ScrapeOptions<readonly []>, Scenario['client']])[] = [
  ['over HTTP', { engine: 'http' }, {}],
  ['in stealth', { engine: 'http', proxy: 'stealth' }, {}],
  ['with impit', { engine: 'http', proxy: 'stealth' }, { stealth: 'impit' }],
  ['in a browser', { engine: 'browser', timeout: 20_000 }, {}],
];

/** A crawl, map or extraction of the site, which links to another port and another host. */
function visits(
  name: string,
  act: (scene: Scene) => Promise<unknown>,
  expected: Readonly<Record<string, string>>,
): Scenario {
  return {
    name,
    act: async (scene) => {
      await using port = await serve({ '/next': '<p>Next to it</p>', '/moved': '<p>Moved</p>' });
      const links = [port.url('/next'), scene.other.url('/next'), '/own', '/away'];
      await using start = await serve(
        {
          '/': links.map((url) => `<p>Words</p><a href="${url}">a page</a>`).join(''),
          '/own': '<p>Own page</p>',
        },
        { behaviours: { '/away': redirect(302)(port.url('/moved')) } },
      );
      await act({ ...scene, site: start });
      await scene.client.close();
      return Object.fromEntries(
        Object.keys(expected).map((key) => {
          const [server = '', path = ''] = key.split(' ');
          const from = { start, port, other: scene.other }[server as 'start' | 'port' | 'other'];
          return [key, sentWith(from, path)];
        }),
      );
    },
    other: { '/next': '<p>Next of another</p>' },
    expect: { value: expected },
  };
}

const crawl = (scene: Scene, options: CrawlOptions<readonly []> = {}): Promise<unknown> =>
  Promise.resolve(
    scene.client.crawl(scene.site.url('/'), {
      allowExternalLinks: true,
      allowSubdomains: true,
      crawlEntireDomain: true,
      scrapeOptions: { headers: own },
      ...options,
    }),
  );

/** Headers that are sent, or not, over TLS whose certificate does not verify. */
function overTls(
  name: string,
  options: ScrapeOptions<readonly []>,
  expected: string,
  client: Scenario['client'] = {},
): Scenario {
  return {
    name,
    client,
    act: async (scene) => {
      const seen: string[] = [];
      const url = await serveTls(scene, 'selfSigned', {}, (response) => {
        seen.push(names.filter((one) => one in response.req.headers).join(' ') || 'nothing');
        response.setHeader('content-type', 'text/html').end('<p>Over TLS</p>');
      });
      const asked = { retries: 0, formats: ['markdown'], ...options } as ScrapeOptions;
      const error: unknown = await scene.client.scrape(url, asked).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      await scene.client.close();
      const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
      const hint = /skipTlsVerification: true/.test(message) ? 'with the way out' : 'without hint';
      return error === undefined ? seen.join() : `${code} ${hint} ${seen.join()}`.trim();
    },
    expect: { value: expected },
  };
}

const refused = 'TLS with the way out';

runScenarios([
  ...Object.entries(ways).map(([what, way]) =>
    leads(`${what} to another port takes no header of the caller along`, way, '', {
      engine: 'http',
    }),
  ),
  ...Object.entries(ways).map(([what, way]) =>
    leads(`${what} to another host takes no header of the caller along`, way, '', {
      engine: 'http',
      to: 'host',
    }),
  ),
  ...engines
    .flatMap(([where, options, client]) => [
      leads(`${where}, nothing goes along to another port`, redirect(302), '', options, client),
      leads(
        `${where}, nothing goes along to another host, with same-site either`,
        redirect(302),
        '',
        { ...options, to: 'host', redirectCredentials: 'same-site' },
        client,
      ),
      leads(
        `${where}, all goes along within the origin`,
        redirect(302),
        everything,
        { ...options, to: 'own' },
        client,
      ),
      leads(
        `${where}, all goes along to another port with same-site`,
        redirect(302),
        everything,
        { ...options, redirectCredentials: 'same-site' },
        client,
      ),
    ])
    .map((scenario) =>
      // The headers of a browser are a class of their own, which has its tests.
      scenario.name.startsWith('in a browser, all') ? rare(scenario) : scenario,
    ),
  rare(
    leads('in a browser, a script that goes to another port takes nothing along', script, '', {
      engine: 'browser',
      timeout: 20_000,
    }),
  ),
  leads(
    'what a hook adds stays with its origin too',
    redirect(302),
    '',
    { engine: 'http' },
    {
      hooks: { beforeRequest: ({ headers }) => void (headers['x-auth-token'] = secret) },
    },
  ),
  {
    name: 'user and password of a URL stay behind on another port',
    act: async (scene) => {
      await using port = await serve({ '/next': '<p>Next</p>' });
      await using start = await serve(
        {},
        { behaviours: { '/': redirect(302)(port.url('/next')) } },
      );
      await scene.scrape(start.url('/').replace('//', `//ann:${secret}@`));
      return [sentWith(start, '/'), sentWith(port)];
    },
    expect: { value: ['authorization', ''] },
  },
  {
    name: 'what says how a page is wanted goes along everywhere',
    act: async (scene) => {
      await using port = await serve({ '/next': '<p>Next</p>' });
      await using start = await serve(
        {},
        { behaviours: { '/': redirect(302)(port.url('/next')) } },
      );
      const headers = { 'User-Agent': 'probe/1', 'Accept-Language': 'de', Accept: 'text/html' };
      await scene.client.scrape(start.url('/'), { headers });
      const sent = port.log[0]?.headers ?? {};
      return [sent['user-agent'], sent['accept-language'], sent['accept']];
    },
    expect: { value: ['probe/1', 'de', 'text/html'] },
  },
  visits('a crawl sends them to the origin of its start URL only', (scene) => crawl(scene), {
    'start /': everything,
    'start /own': everything,
    'start /away': everything,
    'start /robots.txt': '',
    'start /sitemap.xml': '',
    'port /next': '',
    'port /moved': '',
    'port /robots.txt': '',
    'other /next': '',
  }),
  visits(
    'a crawl sends them to all ports of its site with same-site, and to no other site',
    (scene) => crawl(scene, { scrapeOptions: { headers: own, redirectCredentials: 'same-site' } }),
    {
      'start /own': everything,
      'port /next': everything,
      'other /next': '',
      'start /robots.txt': '',
    },
  ),
  visits(
    'a map sends them to the origin of its start URL only',
    ({ client, site }) => client.map(site.url('/'), { headers: own, allowExternalLinks: true }),
    { 'start /': everything, 'start /robots.txt': '', 'start /sitemap.xml': '' },
  ),
  visits(
    'an extraction sends them to the origins that were named only',
    async ({ client, site }) => {
      const schema = { type: 'object', properties: { title: { type: 'string' } } };
      const urls = [site.url('/*')];
      await Promise.allSettled([client.extract({ urls, schema, scrapeOptions: { headers: own } })]);
    },
    { 'start /own': everything, 'start /robots.txt': '', 'port /moved': '' },
  ),
  ...['Authorization', 'Cookie', 'X-Api-Key', 'X-Auth-Token'].map((name) =>
    overTls(
      `${name} is not sent to a server whose certificate does not verify`,
      { headers: { [name]: `a=${secret}` } },
      refused,
    ),
  ),
  overTls('nor in stealth', { headers: own, proxy: 'stealth' }, refused),
  overTls('nor with impit', { headers: own, proxy: 'stealth' }, refused, {
    stealth: 'impit',
  }),
  rare(overTls('nor in a browser', { headers: own, engine: 'browser', timeout: 20_000 }, refused)),
  overTls('nor what a hook adds', {}, refused, {
    hooks: { beforeRequest: ({ headers }) => void (headers['authorization'] = secret) },
  }),
  overTls(
    'all is sent to it when the caller asks for that',
    { headers: own, skipTlsVerification: true },
    everything,
  ),
  overTls(
    'a page without credentials is fetched from it',
    { headers: { 'X-Tenant': 'b' } },
    'x-tenant',
  ),
  ...(
    [
      ['a step up to https on the same host keeps them', undefined, 'TLS'],
      ['… and sends them where the certificate may be any', true, everything],
    ] as const
  ).map(([name, skipTlsVerification, expected]): Scenario => ({
    name,
    act: async (scene) => {
      const seen: string[] = [];
      const url = await serveTls(scene, 'selfSigned', {}, (response) => {
        seen.push(names.filter((one) => one in response.req.headers).join(' '));
        response.setHeader('content-type', 'text/html').end('<p>Over TLS</p>');
      });
      await using start = await serve({}, { behaviours: { '/': redirect(301)(url) } });
      const error: unknown = await scene.client
        .scrape(start.url('/'), { headers: own, skipTlsVerification, retries: 0 })
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      await scene.client.close();
      return error === undefined ? seen.join() : (error as { code: string }).code;
    },
    expect: { value: expected },
  })),
]);
