/** The option `cookies`: sent by their own rules, with and without a browser, and kept as secrets. */
import { createClient, memoryStore, type ScrapeOptions } from 'pagewright';
import { redirectTo, serve } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const network = { allow: ['127.0.0.0/8'] };
const cookies: ScrapeOptions['cookies'] = [
  { name: 'member', value: 'maya-7f3a', domain: '127.0.0.1' },
  { name: 'inner', value: 'i', domain: '127.0.0.1', path: '/inner' },
  { name: 'old', value: 'o', domain: '127.0.0.1', expires: 1_000_000_000 },
  { name: 'away', value: 'a', domain: '127.0.0.2' },
  { name: 'site', value: 's', domain: '.boats.test' },
];

let here: Awaited<ReturnType<typeof serve>>;
let there: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  there = await serve(
    { '/': '<title>There</title><p>There is text, too.</p>' },
    { host: '127.0.0.2' },
  );
  here = await serve(
    {
      '/': `<title>Here</title><p>Here is text.</p><a href="/inner/a">Inner</a><a href="${there.url('/')}">There</a>`,
      '/inner/a': '<title>Inner</title><p>Inner text of the site.</p>',
    },
    { behaviours: { '/leave': redirectTo({ location: there.url('/') }) } },
  );
});

afterAll(async () => {
  await here.close();
  await there.close();
});

/** The Cookie headers that pages were asked for with, by path. */
function sent(site: typeof here): Record<string, string | undefined> {
  const pages = site.log.filter(({ url }) => !/robots|sitemap|favicon/.test(url));
  return Object.fromEntries(
    pages.map(({ url, headers }) => [url, headers.cookie?.split('; ').sort().join('; ')]),
  );
}

test.each(['http', 'browser'] as const)(
  'with engine %s each goes where it belongs',
  async (engine) => {
    await using client = createClient({ network });
    for (const site of [here, there]) site.clearLog();
    await client.crawl(here.origin, {
      allowExternalLinks: true,
      limit: 5,
      scrapeOptions: { cookies, engine, timeout: 90_000 },
    });
    expect(sent(here)).toEqual({
      '/': 'member=maya-7f3a',
      '/inner/a': 'inner=i; member=maya-7f3a',
    });
    expect(sent(there)).toEqual({ '/': 'away=a' });
    for (const site of [here, there]) site.clearLog();
    await client.scrape(here.url('/leave'), { cookies, engine, timeout: 90_000 });
    expect([sent(here), sent(there)]).toEqual([
      { '/leave': 'member=maya-7f3a' },
      { '/': 'away=a' },
    ]);
    here.clearLog();
    // No copy of a page that was asked for with cookies is kept, nor is the cookie.
    await client.scrape(here.url('/inner/a'), { engine, timeout: 90_000 });
    expect(sent(here)).toEqual({ '/inner/a': undefined });
  },
  180_000,
);

test('a stored job has no value of a cookie, unless it is sealed', async () => {
  for (const secret of [undefined, 'a secret of sixteen characters']) {
    const storage = memoryStore();
    await using client = createClient({ network, storage, secret });
    const { id } = client.crawl(here.origin, { limit: 1, scrapeOptions: { cookies } });
    await client.jobs.get(id);
    const stored: string[] = [];
    for await (const key of storage.list('')) {
      stored.push(Buffer.from((await storage.get(key)) ?? []).toString('latin1'));
    }
    expect(stored.join('\n')).toContain('member');
    expect(stored.join('\n')).not.toContain('maya-7f3a');
  }
});

test('a wrong cookie is refused without its value', async () => {
  await using client = createClient({ network });
  const call = client.scrape(here.origin, {
    cookies: [{ name: 'a', value: 'secret;path=/', domain: '127.0.0.1' }],
  });
  await expect(call).rejects.toThrow('cookies[0].value: expected printable ASCII without ";"');
  await expect(call).rejects.not.toThrow('secret');
});
