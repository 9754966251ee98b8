/** robots.txt over a real connection: what answers and failures mean, and how long they count. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type ErrorCode, PagewrightError } from '../../../../src/core/runtime/errors.ts';
import {
  SiteFiles,
  type SiteFilesSettings,
} from '../../../../src/core/frontier/robots/site-files.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fetchFile: SiteFilesSettings['fetch'] = async (url) => {
  const response = await fetch(url);
  const body = new Uint8Array(await response.arrayBuffer());
  return { statusCode: response.status, body, url: response.url };
};

function siteFiles(settings: Partial<SiteFilesSettings> = {}): SiteFiles {
  return new SiteFiles({
    fetch: fetchFile,
    obeyRobots: true,
    robotsUserAgent: 'examplebot',
    signal: new AbortController().signal,
    ...settings,
  });
}

async function mayFetch(files: SiteFiles, url: string): Promise<boolean | undefined> {
  return (await files.robots(new URL(url).origin))?.isAllowed(url, 'examplebot');
}

describe('answers', () => {
  test('five redirects over two hosts lead to rules for the first host', async () => {
    const other = await serve((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step === 0) response.end('User-agent: *\nDisallow: /closed');
      else response.writeHead(302, { location: `${origin}/${step - 1}` }).end();
    });
    const origin = await serve((request, response) => {
      const step = request.url === '/robots.txt' ? 5 : Number(request.url?.slice(1));
      response.writeHead(301, { location: `${other}/${step - 1}` }).end();
    });
    // 5 → 4 (other) → 3 (origin) → 2 (other) → 1 (origin) → 0 (other)
    const files = siteFiles();
    expect(await mayFetch(files, `${origin}/closed`)).toBe(false);
    expect(await mayFetch(files, `${origin}/open`)).toBe(true);
  });

  test.each([
    [404, true],
    [401, true],
    [500, false],
    [503, false],
  ])('with %i the site is open: %s', async (status, isOpen) => {
    const origin = await serve((_, response) => void response.writeHead(status).end('x'));
    expect(await mayFetch(siteFiles(), `${origin}/a`)).toBe(isOpen);
  });

  test('bytes that are no UTF-8 reach the rules', async () => {
    const origin = await serve((_, response) => {
      response.end(Buffer.from('User-agent: *\nDisallow: /caf\xE9', 'latin1'));
    });
    expect(await mayFetch(siteFiles(), `${origin}/caf%E9`)).toBe(false);
  });
});

describe('no answer', () => {
  const failing = (code: ErrorCode): SiteFiles =>
    siteFiles({ fetch: () => Promise.reject(new PagewrightError(code, 'It failed.')) });

  test.each(['TIMEOUT', 'CONNECTION_RESET', 'TRUNCATED_BODY', 'PROTOCOL_ERROR'] as const)(
    '%s closes the site, and the rule says so',
    async (code) => {
      const robots = await failing(code).robots('http://a.test');
      expect(robots?.isAllowed('http://a.test/x', 'examplebot')).toBe(false);
      expect(robots?.rule('http://a.test/x', 'examplebot')).toBe(
        `robots.txt could not be read: ${code}: It failed.`,
      );
    },
  );

  test.each(['DNS', 'CONNECTION_REFUSED', 'TLS', 'BLOCKED_ADDRESS', 'PROXY_FAILED'] as const)(
    '%s is left for the page itself to tell',
    async (code) => {
      expect(await mayFetch(failing(code), 'http://a.test/x')).toBe(true);
    },
  );

  test.each([
    'TOO_MANY_REDIRECTS',
    'BAD_REDIRECT',
    'UNSUPPORTED_PROTOCOL',
    'BLOCKED_BY_SITE',
  ] as const)('%s is a robots.txt that is not there', async (code) => {
    expect(await mayFetch(failing(code), 'http://a.test/x')).toBe(true);
  });

  test('a crawl that ends closes nothing', async () => {
    const controller = new AbortController();
    const files = siteFiles({
      signal: controller.signal,
      fetch: () => {
        controller.abort();
        return Promise.reject(new PagewrightError('CANCELLED', 'The crawl was cancelled.'));
      },
    });
    expect(await mayFetch(files, 'http://a.test/x')).toBe(true);
  });

  test('a failure of another kind closes the site', async () => {
    const files = siteFiles({ fetch: () => Promise.reject(new Error('socket hang up')) });
    const robots = await files.robots('http://a.test');
    expect(robots?.rule('http://a.test/x', 'a')).toContain('socket hang up');
  });

  test('nothing is closed where robots.txt is ignored', async () => {
    const files = siteFiles({ obeyRobots: false });
    expect(await files.robots('http://a.test')).toBeUndefined();
  });
});

describe('how long an answer counts', () => {
  const hour = 3_600_000;

  /** A site whose answers are taken one after the other, the last one again and again. */
  function changing(...answers: (string | number)[]): {
    fetch: SiteFilesSettings['fetch'];
    count: () => number;
  } {
    let count = 0;
    const fetch: SiteFilesSettings['fetch'] = (url) => {
      const answer = answers[Math.min(count++, answers.length - 1)] ?? 404;
      const body = new TextEncoder().encode(typeof answer === 'string' ? answer : '');
      return Promise.resolve({ statusCode: typeof answer === 'string' ? 200 : answer, body, url });
    };
    return { fetch, count: () => count };
  }
  const closing = (path: string): string => `User-agent: *\nDisallow: ${path}`;

  test('it is read once for a day, then again', async () => {
    let now = 0;
    const site = changing(closing('/a'), closing('/b'));
    const files = siteFiles({ fetch: site.fetch, now: () => now });
    await Promise.all([files.robots('http://a.test'), files.robots('http://a.test')]);
    now = 23 * hour;
    expect(await mayFetch(files, 'http://a.test/a')).toBe(false);
    expect(site.count()).toBe(1);
    now = 25 * hour;
    expect(await mayFetch(files, 'http://a.test/a')).toBe(true);
    expect(await mayFetch(files, 'http://a.test/b')).toBe(false);
    expect(site.count()).toBe(2);
  });

  test('what was said before counts on while the site fails', async () => {
    let now = 0;
    const site = changing(closing('/a'), 503, 503, closing('/b'));
    const files = siteFiles({ fetch: site.fetch, now: () => now });
    await files.robots('http://a.test');
    for (now of [25 * hour, 26 * hour]) {
      expect(await mayFetch(files, 'http://a.test/a')).toBe(false);
      expect(await mayFetch(files, 'http://a.test/c')).toBe(true);
    }
    now = 27 * hour;
    expect(await mayFetch(files, 'http://a.test/b')).toBe(false);
    expect(site.count()).toBe(4);
  });

  test('a site that could not say is asked again after a minute', async () => {
    let now = 0;
    const site = changing(503, closing('/b'));
    const files = siteFiles({ fetch: site.fetch, now: () => now });
    expect(await mayFetch(files, 'http://a.test/a')).toBe(false);
    now = 59_000;
    expect(await mayFetch(files, 'http://a.test/a')).toBe(false);
    expect(site.count()).toBe(1);
    now = 61_000;
    expect(await mayFetch(files, 'http://a.test/a')).toBe(true);
  });

  test('of many hosts with large files, those asked for last are kept', async () => {
    const asked = new Map<string, number>();
    const body = Buffer.from(`${closing('/a')}\n#${'x'.repeat(400_000)}`);
    const fetch: SiteFilesSettings['fetch'] = (url) => {
      asked.set(url, (asked.get(url) ?? 0) + 1);
      return Promise.resolve({ statusCode: 200, body, url });
    };
    const files = siteFiles({ fetch });
    const home = 'http://home.test';
    for (let host = 0; host < 20; host++) {
      await files.robots(home);
      await files.robots(`http://host${host}.test`);
    }
    await files.robots('http://host0.test');
    await files.robots('http://host19.test');
    expect(asked.get(`${home}/robots.txt`)).toBe(1);
    expect(asked.get('http://host0.test/robots.txt')).toBe(2);
    expect(asked.get('http://host19.test/robots.txt')).toBe(1);
  });

  test('thousands of hosts with usual files are kept', async () => {
    const site = changing(`${closing('/a')}\nCrawl-delay: 2`);
    const files = siteFiles({ fetch: site.fetch });
    for (let round = 0; round < 2; round++) {
      for (let host = 0; host < 1_500; host++) await files.robots(`http://host${host}.test`);
    }
    expect(site.count()).toBe(1_500);
    expect(files.crawlDelay('http://host7.test/x')).toBe(2_000);
    expect(files.crawlDelay('http://other.test/x')).toBe(0);
  });
});

describe('sitemaps of a site', () => {
  const sitemapOf = async (files: SiteFiles, url: string): Promise<string[]> => {
    const items: string[] = [];
    for await (const item of files.sitemap(url)) {
      items.push('warning' in item ? item.warning : item.url);
    }
    return items;
  };

  test('a guess that robots.txt closes is not fetched; what it names is', async () => {
    const asked: string[] = [];
    const origin = await serve((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/robots.txt') {
        response.end('User-agent: *\nDisallow: /\nSitemap: /named.xml');
      } else if (request.url === '/named.xml')
        response.end('<urlset><url><loc>/a</loc></url></urlset>');
      else response.writeHead(404).end();
    });
    expect(await sitemapOf(siteFiles(), `${origin}/`)).toEqual([`${origin}/a`]);
    expect(asked).toEqual(['/robots.txt', '/named.xml']);
    expect(await sitemapOf(siteFiles({ obeyRobots: false }), `${origin}/`)).toHaveLength(1);
    expect(asked).toContain('/sitemap.xml');
  });
});
