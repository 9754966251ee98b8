import { createClient, type CrawlOptions } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, type MemoryPage, pageOf } from '../support/memory-web.ts';

type Pages = Readonly<Record<string, string | MemoryPage>>;

/** What `await`, `for await` and the logger tell of a crawl. */
async function told(
  pages: Pages,
  options: CrawlOptions = {},
): Promise<{
  readonly error?: unknown;
  readonly warning?: string | undefined;
  readonly logged: string[];
}> {
  const logged: string[] = [];
  const logger = { warn: (_: unknown, message: string) => void logged.push(message) };
  await using client = createClient({ engines: [memoryWeb(pages)], logger });
  const crawl = () =>
    client.crawl('http://site.test/docs/', { scrapeOptions: { retries: 0 }, ...options });
  const looped = crawl();
  try {
    for await (const _ of looped) continue;
  } catch (error) {
    await expect(crawl()).rejects.toMatchObject({ message: (error as Error).message });
    expect(looped.progress.status).toBe('failed');
    return { error, logged };
  }
  const { warning } = looped.progress;
  expect((await crawl()).warning).toBe(warning);
  return { warning, logged };
}

describe('a crawl that finds nothing says why', () => {
  it('when robots.txt closes the start page', async () => {
    const { error } = await told({
      'http://site.test/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /docs' },
      'http://site.test/docs/': pageOf('Docs'),
    });
    expect(error).toMatchObject({
      code: 'ROBOTS',
      url: 'http://site.test/docs/',
      message: expect.stringMatching(/\(Disallow: \/docs\).*ignoreRobotsTxt: true/) as string,
    });
  });

  it.each<[string, MemoryPage, RegExp]>([
    ['answers 503', { status: 503, body: '' }, /robots\.txt answered 503/],
    ['breaks off', { fails: true }, /CONNECTION_RESET: http:\/\/site\.test\/robots\.txt was reset/],
  ])('when robots.txt %s', async (_, robots, why) => {
    const { error } = await told({
      'http://site.test/robots.txt': robots,
      'http://site.test/docs/': pageOf('Docs'),
    });
    expect(error).toMatchObject({
      code: 'ROBOTS',
      message: expect.stringMatching(why) as string,
    });
    if (robots.fails === true) {
      expect((error as Error).cause).toMatchObject({ code: 'CONNECTION_RESET' });
    }
  });

  it('when patterns leave all pages out', async () => {
    const pages = {
      'http://site.test/docs/': pageOf('Docs', ['/docs/a', '/docs/b']),
      'http://site.test/docs/a': pageOf('A'),
      'http://site.test/docs/b': pageOf('B'),
    };
    const include = await told(pages, { includePaths: ['^/blog/'] });
    expect(include.warning).toMatch(/^No page was kept .*: 3 INCLUDE \(no pattern of includePaths/);
    expect(include.logged).toEqual([include.warning, include.warning]);
    const exclude = await told(pages, { excludePaths: ['^/docs/'] });
    expect(exclude.warning).toMatch(/3 EXCLUDE \(a pattern of excludePaths matches/);
  });

  it('when its budget does not pay for a page', async () => {
    const pages = { 'http://site.test/docs/': pageOf('Docs', ['/docs/a']) };
    const { warning, logged } = await told(pages, {
      budget: { bytes: 1 },
      scrapeOptions: { retries: 0, maxAge: 0 },
    });
    expect(warning).toContain('its budget was used up (budget.bytes: 1)');
    expect(logged).toEqual([warning, warning]);
  });

  it('when the folder of a fixture site is not there', async () => {
    const engine = fixturesEngine({ 'http://site.test': 'fixtures/no-such-site' });
    await using client = createClient({ engines: [engine] });
    const failure = {
      code: 'BAD_REQUEST',
      message: expect.stringContaining('no-such-site') as string,
    };
    await expect(client.crawl('http://site.test/')).rejects.toMatchObject(failure);
    await expect(client.scrape('http://site.test/')).rejects.toMatchObject(failure);
    await expect(client.map('http://site.test/')).rejects.toMatchObject(failure);
  });
});

describe('a crawl that finds one page says what to change', () => {
  it('when the links lead elsewhere', async () => {
    const links = ['/a', '/b', 'http://www2.site.test/', 'http://other.test/', '/docs/'];
    const { warning, logged } = await told({ 'http://site.test/docs/': pageOf('Docs', links) });
    expect(warning).toBe(
      'One page was kept of http://site.test/docs/. Of the URLs found: ' +
        '2 SCOPE (not below the start URL; crawlEntireDomain: true takes them); ' +
        '1 SUBDOMAIN (on other hosts of the domain; allowSubdomains: true takes them); ' +
        '1 EXTERNAL (on other sites; allowExternalLinks: true takes them).',
    );
    expect(logged).toEqual([warning, warning]);
  });

  it('when there are none', async () => {
    const pages = { 'http://site.test/docs/': pageOf('Docs') };
    expect((await told(pages)).warning).toMatch(/it links to no others.*engine: 'browser'/);
    expect((await told(pages, { sitemap: 'only' })).warning).toMatch(/sitemap: 'include'/);
  });

  it('but not where one page is what was asked for', async () => {
    const pages = { 'http://site.test/docs/': pageOf('Docs', ['/a']) };
    expect(await told(pages, { limit: 1 })).toEqual({ warning: undefined, logged: [] });
  });
});
