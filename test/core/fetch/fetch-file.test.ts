/** robots.txt and sitemaps whose host is not there. */
import { createClient, type Engine, PagewrightError } from 'pagewright';
import { expect, test } from 'vitest';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';

const counted = (asked: readonly string[], url: string): number =>
  asked.filter((one) => one === url).length;

test('where a connection is refused, robots.txt is tried again and a sitemap is not: links wait for it', async () => {
  const web = memoryWeb({
    'http://site.test/robots.txt': 'Sitemap: http://gone.test/sitemap.xml',
    'http://site.test/': pageOf('start', ['/a', 'http://gone.test/page']),
    'http://site.test/a': pageOf('a'),
  });
  const asked: string[] = [];
  await using client = createClient({ engines: [withoutGone(web, asked)] });
  const job = await client.crawl('http://site.test/', { allowExternalLinks: true });
  expect(counted(asked, 'http://gone.test/sitemap.xml')).toBe(1);
  expect(counted(asked, 'http://gone.test/robots.txt')).toBe(3);
  expect(counted(asked, 'http://gone.test/page')).toBe(3);
  expect(job).toMatchObject({ completed: 2, failed: 1 });
  expect(job.warning).toContain('http://gone.test/sitemap.xml: Nothing at');
});

test('a sitemap whose connection is refused at every crawl delays none of them', async () => {
  const web = memoryWeb({
    'http://site.test/robots.txt': 'Sitemap: http://gone.test/sitemap.xml',
    'http://site.test/': pageOf('start'),
  });
  const asked: string[] = [];
  await using client = createClient({ engines: [withoutGone(web, asked)], cache: false });
  const crawls = 10;
  let started = 0;
  for (let crawl = 0; crawl < crawls; crawl += 1) {
    started = performance.now();
    await client.crawl('http://site.test/');
  }
  expect(counted(asked, 'http://gone.test/sitemap.xml')).toBe(crawls);
  // As a host that fails it would be asked again after 4 s by now.
  expect(performance.now() - started).toBeLessThan(2000);
});

/** A web in which nothing listens at one host. */
function withoutGone(web: Engine, asked: string[]): Engine {
  return {
    ...web,
    fetch: (request) => {
      asked.push(request.url);
      if (!request.url.startsWith('http://gone.test/')) return web.fetch(request);
      return Promise.reject(new PagewrightError('CONNECTION_REFUSED', `Nothing at ${request.url}`));
    },
  };
}
