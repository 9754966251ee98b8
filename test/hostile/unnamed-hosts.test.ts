/** Hosts that a search engine or a model names get none of the caller's headers that are for one server only. */
import { createClient, memoryStore, type ScrapeOptions } from 'pagewright';
import { createWebTools } from 'pagewright/ai';
import Firecrawl from 'pagewright/firecrawl';
import { type FixtureServer, serve } from 'pagewright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { secret } from './secret.ts';

const headers = {
  Authorization: `Bearer ${secret}`,
  cookie: `session=${secret}`,
  'X-Api-Key': secret,
  'X-Tenant': 'blue',
  'Accept-Language': 'de',
  'User-Agent': 'reader/1',
};
const network = { allow: ['127.0.0.1'] };
const pages: ScrapeOptions<readonly []> = { headers, maxAge: 0, retries: 0 };
const schema = { type: 'object', properties: { name: { type: 'string', 'x-selector': 'h1' } } };
const markup = '<title>Lamp</title><main><h1>Lamp</h1><p>A lamp of the shop.</p></main>';

interface Setting {
  readonly site: FixtureServer;
  readonly client: ReturnType<typeof createClient>;
}

type ClientSettings = NonNullable<Parameters<typeof createClient>[0]>;

async function open(options: ClientSettings = {}): Promise<Setting> {
  const site = await serve({
    '/': markup,
    '/picture': `${markup}<img src="/lamp.png">`,
    '/lamp.png': { body: 'x', headers: { 'content-type': 'image/png' } },
  });
  const client = createClient({
    network,
    search: (_, { source }) => [{ url: site.url(source === 'news' ? '/picture' : '/') }],
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await site.close();
  });
  return { site, client };
}

type Act = (setting: Setting) => Promise<{ readonly warning?: string | undefined }>;

const named = / without the headers authorization, cookie, x-api-key, x-tenant, which go only to /;

const searches: Readonly<Record<string, Act>> = {
  'search with scrape': ({ client }) => client.search('lamps', { scrape: pages }),
  'search with scrape in a browser': ({ client }) =>
    client.search('lamps', { scrape: { ...pages, engine: 'browser', blockAds: false } }),
  'search with scrape, and files of the pages': ({ client }) =>
    client.search('lamps', {
      sources: ['news'],
      scrape: { ...pages, assets: { images: true } },
    }),
  'search with scrape, and the whole site in the scope of the headers': ({ client }) =>
    client.search('lamps', { scrape: { ...pages, redirectCredentials: 'same-site' } }),
  'search with an engine of the call': ({ client, site }) =>
    client.search('lamps', { scrape: pages, engine: () => [{ url: site.url('/') }] }),
  'extract without urls': ({ client }) =>
    client.extract({ schema, search: { query: 'lamps' }, scrapeOptions: { headers } }),
  'the search of the Firecrawl class': ({ client }) =>
    new Firecrawl({ client }).search('lamps', {
      scrapeOptions: { formats: ['markdown'], headers, maxAge: 0 },
    }),
};

test.each(Object.entries(searches))('%s', async (_, act) => {
  const setting = await open();
  const { warning } = await act(setting);
  expect(warning).toMatch(named);
  expectPlainRequests(setting);
});

const byDefault: ClientSettings = {
  defaults: { scrape: pages, map: { headers } },
  storage: memoryStore(),
};

test.each<[string, Act]>([
  ['search', ({ client }) => client.search('lamps', { scrape: true })],
  ['extract', ({ client }) => client.extract({ schema, search: { query: 'lamps' } })],
])('%s with headers among the defaults of the client', async (_, act) => {
  const setting = await open(byDefault);
  const { warning } = await act(setting);
  expect(warning).toMatch(named);
  expectPlainRequests(setting);
});

test.each(['scrape', 'map', 'extract', 'crawl', 'open_page', 'monitor_check'] as const)(
  'the tool %s, whose URL a model writes',
  async (name) => {
    const setting = await open(byDefault);
    const { tools } = createWebTools({ client: setting.client, allowActions: true });
    const url = setting.site.url('/');
    const inputs = {
      scrape: { url },
      map: { url },
      extract: { urls: [url], schema },
      crawl: { url, limit: 1 },
      open_page: { url },
      monitor_check: { urls: [url] },
    };
    const tool = tools[name] as { execute(input: object, options: object): Promise<object> };
    const checked = await validated(tool, inputs[name]);
    expect(await tool.execute(checked, {})).toMatchObject({ isError: false });
    expectPlainRequests(setting);
  },
);

/** The input with its defaults, as the AI SDK passes it. */
async function validated(tool: object, input: object): Promise<object> {
  const { inputSchema } = tool as {
    inputSchema: { '~standard': { validate(value: object): Promise<object> } };
  };
  const result = await inputSchema['~standard'].validate(input);
  return (result as { readonly value: object }).value;
}

test('a search sends no warning for headers that go anywhere', async () => {
  const { client } = await open();
  const plain = { ...pages, headers: { 'accept-language': 'de' } };
  expect(await client.search('lamps', { scrape: plain })).not.toHaveProperty('warning');
});

test('a hook gives headers by host to the pages that a search finds', async () => {
  const { client, site } = await open({
    hooks: {
      beforeRequest: ({ url, headers: sent }) => {
        if (new URL(url).hostname === '127.0.0.1') sent['x-api-key'] = 'own';
      },
    },
  });
  await client.search('lamps', { scrape: true });
  expect(site.log.find(({ url }) => url === '/')?.headers).toMatchObject({ 'x-api-key': 'own' });
});

/** Each request has the headers that describe the wanted page, and no other one of the caller. */
function expectPlainRequests({ site }: Setting): void {
  expect(site.log.length).toBeGreaterThan(0);
  for (const request of site.log) {
    expect(JSON.stringify(request.headers)).not.toContain(secret);
    expect(request.headers).not.toHaveProperty('x-tenant');
  }
  const page = site.log.find(({ url }) => url === '/' || url === '/picture');
  expect(page?.headers).toMatchObject({ 'user-agent': 'reader/1' });
}
