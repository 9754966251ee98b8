import { setTimeout as sleep } from 'node:timers/promises';
import {
  createClient,
  type CrawlOptions,
  type CrawlResult,
  type Hooks,
  type HtmlPage,
  type Metadata,
  PagewrightError,
  type SkippedUrl,
} from 'pagewright';
import type { HookState } from '../../src/core/model/hooks.ts';
import { latency, linkedSite, seededRandom, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, type MemoryWeb, pageOf } from '../support/memory-web.ts';
import { rareTest } from '../support/deep.ts';

const at = (path: string): string => `http://site.test${path}`;
const paths = (urls: readonly string[]): string[] => urls.map((url) => new URL(url).pathname);

type Page = { readonly [field: string]: unknown; readonly metadata: Metadata };

interface Crawled extends CrawlResult<Page> {
  readonly web: MemoryWeb;
  readonly kept: string[];
  readonly skips: SkippedUrl[];
}

/** `/` links to a, b and c; a to d; c to a page that is gone. */
const pages: Record<string, string> = {
  [at('/')]: pageOf('Home', ['/a', '/b', '/c']),
  [at('/a')]: pageOf('A', ['/d']),
  [at('/b')]: pageOf('B'),
  [at('/c')]: pageOf('C'),
  [at('/d')]: pageOf('D'),
};

/** The site with one page more. */
function withPage(path: string): Record<string, string> {
  return { ...pages, [at(path)]: pageOf('One more') };
}

/** Crawls the site; whatever the hooks do, the accounts close. */
async function crawlWith(
  hooks: Hooks<Page>,
  options: CrawlOptions = {},
  site: Parameters<typeof memoryWeb>[0] = pages,
): Promise<Crawled> {
  const web = memoryWeb(site);
  await using client = createClient({ engines: [web] });
  const all = { sitemap: 'skip', ignoreRobotsTxt: true, ...options, hooks } as const;
  const job = client.crawl(at('/'), all);
  const result = (await job) as unknown as CrawlResult<Page>;
  const { discovered, completed, failed, skipped, pending } = result;
  expect(discovered).toBe(completed + failed + skipped + pending);
  expect(pending).toBe(0);
  const kept = paths(result.data.map(({ metadata }) => metadata.sourceURL));
  return { ...result, web, kept, skips: job.skipped() };
}

const wait = (): Promise<void> => sleep(1);
const never = (): Promise<undefined> => new Promise(() => undefined);
const onB = (url: string): boolean => url === at('/b');

describe('what a hook is told', () => {
  it('is the URL, where it was found, and the job', async () => {
    const seen: [url: string, ...unknown[]][] = [];
    const note = ({ url, depth, parent, jobId, signal }: HookState): void => {
      expect(jobId).toMatch(/^[\da-f-]{36}$/);
      expect(signal).toBeInstanceOf(AbortSignal);
      seen.push([url, depth, parent]);
    };
    for (const name of ['beforeRequest', 'afterResponse', 'beforeFormats', 'onDocument']) {
      seen.length = 0;
      await crawlWith({ [name]: note });
      // Only documents come in order: the other hooks run beside those of other pages.
      if (name !== 'onDocument') seen.sort(([a], [b]) => (a < b ? -1 : 1));
      expect(seen).toEqual([
        [at('/'), 0, undefined],
        [at('/a'), 1, at('/')],
        [at('/b'), 1, at('/')],
        [at('/c'), 1, at('/')],
        [at('/d'), 2, at('/a')],
      ]);
    }
  });

  it("comes after the client's hooks, which see what is left of it", async () => {
    const order: string[] = [];
    const level = (name: string): Hooks => ({
      beforeRequest: ({ headers }) => {
        order.push(`${name} ${headers['x-level'] ?? ''}`);
        headers['x-level'] = name;
      },
      onDocument: ({ document }) => ({ ...document, level: [document['level'], name] }),
      transformLink: ({ url }) => `${url}-${name}`,
    });
    await using client = createClient({
      engines: [memoryWeb((url) => pageOf(url, url === at('/') ? ['/a'] : []))],
      hooks: level('client'),
    });
    const { data } = await client.crawl(at('/'), { sitemap: 'skip', hooks: level('crawl') });
    expect(order).toEqual(['client ', 'crawl client', 'client ', 'crawl client']);
    expect(data.map((page) => (page as Page)['level'])).toEqual([
      [[undefined, 'client'], 'crawl'],
      [[undefined, 'client'], 'crawl'],
    ]);
    expect(data[1]?.metadata.url).toBe(at('/a-client-crawl'));
  });
});

describe('beforeRequest', () => {
  it('vetoes a page before its request: no request, no links, its place is given back', async () => {
    const { kept, skips, web } = await crawlWith(
      {
        beforeRequest: async ({ url, skip }) => {
          await wait();
          if (url === at('/a')) skip('not in the mood');
        },
      },
      { limit: 3 },
    );
    expect(kept).toEqual(['/', '/b', '/c']);
    expect(skips).toEqual([
      {
        url: at('/a'),
        parent: at('/'),
        reason: 'EXCLUDE',
        rule: 'hooks.beforeRequest: not in the mood',
      },
    ]);
    expect(web.log).not.toContain(at('/a'));
  });

  it('that vetoes a page does not make it take a turn at its host', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `/x${n}`);
    const site = { ...pages, [at('/')]: pageOf('Home', [...many, '/b']) };
    const { kept, skips } = await crawlWith(
      { beforeRequest: ({ url, skip }) => void (url.includes('/x') && skip()) },
      { delay: 1 },
      site,
    );
    // With a second for each of them this test would end before the crawl.
    expect([kept, skips.length]).toEqual([['/', '/b'], 40]);
  });

  it('changes the headers of every page', async () => {
    const { site } = linkedSite({ pages: 5 });
    await using server = await serve(site);
    await using client = createClient({ network: { allow: ['127.0.0.1'] } });
    const hooks: Hooks = {
      beforeRequest: ({ headers, url }) => {
        headers['x-page'] = new URL(url).pathname;
      },
    };
    await client.crawl(server.url('/'), { sitemap: 'skip', ignoreRobotsTxt: true, hooks });
    const sent = server.log.map(({ url, headers }) => [url, headers['x-page']]);
    expect(sent).toHaveLength(5);
    for (const [path, header] of sent) expect(header).toBe(path);
  });

  it('that vetoes the start page leaves an empty crawl that is complete', async () => {
    const { status, data, skips } = await crawlWith({ beforeRequest: ({ skip }) => skip() });
    expect([status, data]).toEqual(['completed', []]);
    expect(skips).toMatchObject([{ url: at('/'), rule: 'hooks.beforeRequest' }]);
  });
});

describe('afterResponse', () => {
  it('replaces what came back, and its links are followed', async () => {
    const afterResponse: Hooks['afterResponse'] = async ({ url }) => {
      await wait();
      return onB(url) ? { body: pageOf('New', ['/e']), statusCode: 203 } : undefined;
    };
    const { kept, data } = await crawlWith({ afterResponse }, {}, withPage('/e'));
    expect(kept).toEqual(['/', '/a', '/b', '/c', '/d', '/e']);
    expect(data[2]).toMatchObject({ metadata: { title: 'New', statusCode: 203 } });
  });

  it('vetoes a page: no document, no links', async () => {
    const { kept, skips } = await crawlWith({
      afterResponse: ({ url, snapshot, skip }) => {
        if (snapshot.statusCode === 200 && url === at('/a')) skip('A');
      },
    });
    expect(kept).toEqual(['/', '/b', '/c']);
    expect(skips).toMatchObject([{ url: at('/a'), rule: 'hooks.afterResponse: A' }]);
  });
});

describe('beforeFormats', () => {
  it('adds links, relative ones too, takes some away, and counts what is no link', async () => {
    const beforeFormats: Hooks['beforeFormats'] = async ({ url, links }) => {
      await wait();
      if (url !== at('/')) return;
      links.splice(1, 2);
      links.push({ url: 'd' }, { url: '/e?x=1#part' }, { url: '/d' }, { url: 'http://' });
    };
    const { kept, skips } = await crawlWith({ beforeFormats }, {}, withPage('/e?x=1'));
    expect(kept).toEqual(['/', '/a', '/d', '/e']);
    expect(skips).toContainEqual({
      url: 'http://',
      reason: 'BAD_URL',
      rule: 'BAD_URL',
      parent: at('/'),
    });
  });

  it('gives other links in place of all', async () => {
    const { kept } = await crawlWith({
      beforeFormats: ({ url }) => (url === at('/') ? { links: [{ url: '/d' }] } : { links: [] }),
    });
    expect(kept).toEqual(['/', '/d']);
  });

  it('has the links that were there before the DOM was changed', async () => {
    const { kept, data } = await crawlWith({
      beforeFormats: ({ page }) => {
        (page as HtmlPage).document.querySelector('ul')?.remove();
      },
    });
    expect(kept).toEqual(['/', '/a', '/b', '/c', '/d']);
    expect(data[0]?.['markdown']).not.toContain('to /a');
  });

  it('vetoes the document alone: the links of the page are followed', async () => {
    const { kept, skips } = await crawlWith(
      { beforeFormats: ({ depth, skip }) => void (depth === 1 && skip('a listing')) },
      { limit: 2 },
    );
    expect(kept).toEqual(['/', '/d']);
    expect(skips.map(({ rule }) => rule)).toEqual(Array(3).fill('hooks.beforeFormats: a listing'));
  });

  it('gives documents of its own, which onDocument sees, and other links in one go', async () => {
    const { kept, data, skips } = await crawlWith({
      beforeFormats: async ({ url, depth, skip }) => {
        await wait();
        if (depth === 0) skip('a listing');
        const links = depth === 0 ? [{ url: '/d' }, { url: '/a' }] : [];
        return { links, document: { name: url, metadata: { title: 'Own' } } };
      },
      onDocument: ({ document }) => ({ ...document, seen: true }),
    });
    expect(kept).toEqual(['/d', '/a']);
    expect(skips).toMatchObject([{ url: at('/'), rule: 'hooks.beforeFormats: a listing' }]);
    expect(Object.keys(data[0] ?? {}).sort()).toEqual(['metadata', 'name', 'seen']);
    expect(data[0]).toMatchObject({
      name: at('/d'),
      metadata: { title: 'Own', statusCode: 200, depth: 1, creditsUsed: 1 },
    });
  });

  it.each([false, true])('goes together with removeRepeatedBlocks: %s', async (removing) => {
    const { kept, data } = await crawlWith(
      {
        beforeFormats: ({ url, page, skip }) => {
          (page as HtmlPage).document.querySelector('h1')!.textContent = 'Changed';
          if (onB(url)) skip();
        },
      },
      { removeRepeatedBlocks: removing },
    );
    expect(kept).toEqual(['/', '/a', '/c', '/d']);
    for (const { markdown } of data) expect(markdown).toContain('# Changed');
  });
});

describe('onDocument', () => {
  it('changes documents in the order of the crawl, whatever the timing', async () => {
    let number = 0;
    const site = (url: string): { body: string; delay: number } | undefined =>
      pages[url] === undefined ? undefined : { body: pages[url], delay: onB(url) ? 60 : 1 };
    const { data, kept } = await crawlWith(
      {
        onDocument: async ({ document }) => {
          const mine = ++number;
          await wait();
          return { mine, title: document.metadata.title };
        },
      },
      {},
      site,
    );
    expect(data.map(({ mine, title }) => [mine, title])).toEqual([
      [1, 'Home'],
      [2, 'A'],
      [3, 'B'],
      [4, 'C'],
      [5, 'D'],
    ]);
    expect(kept).toEqual(['/', '/a', '/b', '/c', '/d']);
    expect(data[4]?.metadata).toMatchObject({
      depth: 2,
      parentUrl: at('/a'),
      discoveredBy: 'link',
    });
  });

  it('vetoes a document: its links count, its place in the limit is given back', async () => {
    const { kept, skips, creditsUsed } = await crawlWith(
      { onDocument: ({ url, skip }) => void (url === at('/a') && skip('no')) },
      { limit: 4 },
    );
    expect(kept).toEqual(['/', '/b', '/c', '/d']);
    expect(skips).toEqual([
      { url: at('/a'), parent: at('/'), reason: 'EXCLUDE', rule: 'hooks.onDocument: no' },
    ]);
    expect(creditsUsed).toBe(4);
  });

  it('that gives what cannot be stored fails its page', async () => {
    const { kept, errors } = await crawlWith({
      onDocument: ({ url }) => (onB(url) ? { run: () => undefined } : undefined),
    });
    expect(kept).toEqual(['/', '/a', '/c', '/d']);
    expect(errors).toMatchObject([{ url: at('/b'), code: 'HOOK_FAILED' }]);
  });
});

describe('onError', () => {
  const gone = { ...pages, [at('/b')]: { fails: true } };
  const noRetries = { scrapeOptions: { retries: 0 } };

  it('sees each failure, and leaves it as it is', async () => {
    const seen: unknown[] = [];
    const { errors, kept } = await crawlWith(
      { onError: ({ url, depth, parent, error }) => void seen.push(url, depth, parent, error) },
      noRetries,
      gone,
    );
    expect(seen).toEqual([at('/b'), 1, at('/'), expect.any(PagewrightError)]);
    expect(kept).toEqual(['/', '/a', '/c', '/d']);
    expect(errors).toMatchObject([{ url: at('/b'), code: 'CONNECTION_RESET', parent: at('/') }]);
  });

  it('gives another error; one without a code has that of the failure', async () => {
    const own = await crawlWith({ onError: async () => new Error('Mine') }, noRetries, gone);
    expect(own.errors).toMatchObject([{ code: 'CONNECTION_RESET', error: 'Mine' }]);
    const coded = await crawlWith(
      { onError: () => new PagewrightError('ROBOTS', 'Other') },
      noRetries,
      gone,
    );
    expect(coded.errors).toMatchObject([{ code: 'ROBOTS', error: 'Other' }]);
  });

  it('gives a document in the place of the page, which counts for the limit', async () => {
    const { data, errors, skips } = await crawlWith(
      { onError: async () => (await wait(), { markdown: 'In its place' }) },
      { ...noRetries, limit: 3 },
      gone,
    );
    expect(data.map(({ metadata }) => metadata.sourceURL)).toEqual([at('/'), at('/a'), at('/b')]);
    expect(data[2]).toMatchObject({
      markdown: 'In its place',
      metadata: { depth: 1, parentUrl: at('/'), errorCode: 'CONNECTION_RESET' },
    });
    expect(errors).toEqual([]);
    expect(skips.map(({ reason }) => reason)).toContain('LIMIT');
  });

  it('keeps its place while documents wait for what repeats on their site', async () => {
    const { data } = await crawlWith(
      { onError: () => ({ markdown: 'In its place' }) },
      { ...noRetries, removeRepeatedBlocks: true },
      gone,
    );
    expect(paths(data.map(({ metadata }) => metadata.url))).toEqual(['/', '/a', '/b', '/c', '/d']);
  });

  it('is asked for what other hooks throw, and may give a document for it', async () => {
    const { data, errors } = await crawlWith({
      onDocument: ({ url }) => {
        if (onB(url)) throw new Error('Broken');
      },
      onError: ({ error }) => ({ markdown: String(error) }),
    });
    expect(data[2]?.['markdown']).toContain('The hook "onDocument" threw');
    expect(errors).toEqual([]);
  });

  it('that gives what cannot be stored fails the page, once', async () => {
    const { errors, kept } = await crawlWith(
      { onError: () => ({ run: () => undefined }) },
      noRetries,
      gone,
    );
    expect(kept).toEqual(['/', '/a', '/c', '/d']);
    expect(errors).toMatchObject([{ url: at('/b'), code: 'HOOK_FAILED' }]);
  });

  it('decides over the start page, whose failure is that of an empty crawl', async () => {
    const site = { [at('/')]: { fails: true } };
    const saved = await crawlWith({ onError: () => ({ markdown: 'Saved' }) }, noRetries, site);
    expect(saved.data).toMatchObject([{ markdown: 'Saved' }]);
    const own = new PagewrightError('ROBOTS', 'Mine');
    await expect(crawlWith({ onError: () => own }, noRetries, site)).rejects.toBe(own);
  });
});

describe('onSkipped', () => {
  it('hears of each URL that is left out, once, with reason, rule and parent', async () => {
    const heard: unknown[] = [];
    const site = { ...pages, [at('/')]: pageOf('Home', ['/a', '/b', 'mailto:x@site.test', '/c']) };
    const { skips } = await crawlWith(
      {
        onSkipped: async ({ signal: _, jobId, ...skip }) => {
          await wait();
          heard.push(skip);
          expect(jobId).toBeDefined();
        },
      },
      { limit: 2, excludePaths: ['^/b'] },
      site,
    );
    expect(heard).toEqual(skips);
    expect(skips.map(({ reason }) => reason).sort()).toEqual([
      'EXCLUDE',
      'LIMIT',
      'LIMIT',
      'PROTOCOL',
    ]);
  });

  it('that throws fails its URL, and no other', async () => {
    const { errors, kept, skips } = await crawlWith(
      {
        onSkipped: ({ url }) => {
          if (onB(url)) throw new Error('Not that one');
        },
      },
      { excludePaths: ['^/[bc]'] },
    );
    expect(kept).toEqual(['/', '/a', '/d']);
    expect(skips).toMatchObject([{ url: at('/c') }]);
    expect(errors).toMatchObject([
      { url: at('/b'), code: 'HOOK_FAILED', error: expect.stringContaining('"onSkipped"') },
    ]);
  });
});

describe('transformLink', () => {
  it('is told of each link, and gives another URL, drops it, or keeps it', async () => {
    const seen: unknown[] = [];
    const transformLink: Hooks['transformLink'] = async ({ signal: _, jobId: __, ...link }) => {
      await wait();
      seen.push(link);
      if (link.url === at('/a')) return '/d?session=1#x';
      return onB(link.url) ? false : undefined;
    };
    const site = withPage('/d?session=1');
    const { kept, skips, web } = await crawlWith({ transformLink }, {}, site);
    const link = { depth: 1, parent: at('/'), rel: undefined, element: 'a' };
    expect(seen).toEqual([
      { ...link, url: at('/a'), text: 'to /a' },
      { ...link, url: at('/b'), text: 'to /b' },
      { ...link, url: at('/c'), text: 'to /c' },
    ]);
    expect(kept).toEqual(['/', '/d', '/c']);
    expect(web.log).toContain(at('/d?session=1'));
    expect(skips).toEqual([
      { url: at('/b'), reason: 'EXCLUDE', rule: 'hooks.transformLink', parent: at('/') },
    ]);
  });

  it('that drops a link which another page keeps changes nothing about that', async () => {
    const site = { ...pages, [at('/a')]: pageOf('A', ['/c', '/d']) };
    const { kept, skips } = await crawlWith(
      {
        transformLink: ({ url, parent }) =>
          parent === at('/a') && url === at('/c') ? false : undefined,
      },
      {},
      site,
    );
    expect(kept).toEqual(['/', '/a', '/b', '/c', '/d']);
    expect(skips).toEqual([]);
  });

  it('that throws, or gives what is no URL, fails the page whose link it is', async () => {
    for (const wrong of [
      () => {
        throw new Error('Out');
      },
      () => 'mailto:x',
      () => 7,
      () => true,
    ]) {
      const { errors, kept } = await crawlWith({
        transformLink: ({ parent }) => (parent === at('/a') ? (wrong() as never) : undefined),
      });
      expect(kept).toEqual(['/', '/b', '/c']);
      expect(errors).toMatchObject([{ url: at('/a'), code: 'HOOK_FAILED' }]);
      expect(errors[0]?.error).toContain(`The hook "transformLink"`);
      expect(errors[0]?.error).toContain(at('/d'));
    }
  });

  rareTest('is asked about 100,000 links of one page without holding up the process', async () => {
    const links = Array.from({ length: 100_000 }, (_, n) => `/x${n}`);
    let beats = 0;
    const heart = setInterval(() => (beats += 1), 1);
    let asked = 0;
    const { skips } = await crawlWith(
      { transformLink: () => (asked++, false) },
      {},
      { [at('/')]: pageOf('Home', links) },
    );
    clearInterval(heart);
    expect([asked, skips.length]).toEqual([100_000, 100_000]);
    expect(beats).toBeGreaterThan(50);
  });
});

describe('a hook that fails', () => {
  const names = ['beforeRequest', 'afterResponse', 'beforeFormats', 'onDocument'] as const;

  it.each(names)('%s: what it throws fails its page only, with its name', async (name) => {
    const { errors, kept } = await crawlWith({
      [name]: async ({ url }: { url: string }) => {
        await wait();
        if (onB(url)) throw new Error('Broken');
      },
    });
    expect(kept).toEqual(['/', '/a', '/c', '/d']);
    expect(errors).toMatchObject([
      {
        url: at('/b'),
        code: 'HOOK_FAILED',
        error: `The hook "${name}" threw for ${at('/b')}: Broken`,
        parent: at('/'),
      },
    ]);
  });

  it.each([...names, 'transformLink'] as const)(
    '%s: one that never settles ends with the time of its page',
    async (name) => {
      // Of the two, the link is the one that its page waits for.
      const hangs = at(name === 'transformLink' ? '/d' : '/b');
      const { errors, kept } = await crawlWith(
        { [name]: ({ url }: { url: string }) => (url === hangs ? never() : undefined) },
        { scrapeOptions: { timeout: 1000 } },
      );
      const [failed, left] =
        name === 'transformLink' ? ['/a', ['/', '/b', '/c']] : ['/b', ['/', '/a', '/c', '/d']];
      expect(kept).toEqual(left);
      expect(errors).toMatchObject([
        { url: at(failed), code: 'TIMEOUT', error: expect.stringContaining(`"${name}"`) },
      ]);
    },
  );

  it('onError and onSkipped: the same', async () => {
    const { errors, kept } = await crawlWith(
      { onError: never, onSkipped: never },
      { scrapeOptions: { timeout: 1000, retries: 0 }, excludePaths: ['^/c'] },
      { ...pages, [at('/b')]: { fails: true } },
    );
    expect(kept).toEqual(['/', '/a', '/d']);
    expect(errors).toMatchObject([
      { url: at('/b'), code: 'TIMEOUT', error: expect.stringContaining('"onError"') },
      { url: at('/c'), code: 'TIMEOUT', error: expect.stringContaining('"onSkipped"') },
    ]);
  });

  it('one that gives a function with a then is waited for as long as any promise', async () => {
    const odd = Object.assign(() => undefined, { then: () => undefined });
    const { errors } = await crawlWith(
      { onSkipped: () => odd },
      { scrapeOptions: { timeout: 1000 }, excludePaths: ['^/c'] },
    );
    expect(errors).toMatchObject([
      { url: at('/c'), code: 'TIMEOUT', error: expect.stringContaining('"onSkipped"') },
    ]);
  });

  it('does not hold up a crawl that is cancelled', async () => {
    await using client = createClient({ engines: [memoryWeb(pages)] });
    for (const name of [...names, 'transformLink', 'onSkipped'] as const) {
      const hooks = { [name]: never };
      const job = client.crawl(at('/'), { sitemap: 'skip', excludePaths: ['^/b'], hooks });
      await sleep(20);
      job.cancel();
      expect(await job).toMatchObject({ status: 'cancelled', failed: 0 });
    }
  });
});

describe('batchScrape', () => {
  it("asks the client's hooks about each page, in the order of the list", async () => {
    const order: string[] = [];
    await using client = createClient({
      engines: [memoryWeb({ ...pages, [at('/gone')]: { fails: true } })],
      hooks: {
        beforeRequest: ({ url, skip }) => void (onB(url) && skip('no')),
        onDocument: ({ url, document, jobId }) => {
          order.push(url);
          expect(jobId).toBeDefined();
          return { title: document.metadata.title };
        },
        onError: ({ error }) => ({ title: (error as PagewrightError).code }),
      },
    });
    const urls = ['/a', '/gone', '/b', '/c'].map(at);
    const job = client.batchScrape(urls, { retries: 0 });
    const { data, skipped, failed } = await job;
    expect(data.map((page) => (page as unknown as Page)['title'])).toEqual([
      'A',
      'CONNECTION_RESET',
      'C',
    ]);
    expect(order).toEqual([at('/a'), at('/c')]);
    expect([skipped, failed]).toEqual([1, 0]);
    expect(job.skipped()).toMatchObject([
      { url: at('/b'), reason: 'EXCLUDE', rule: 'hooks.beforeRequest: no' },
    ]);
  });
});

describe('a page of a batch that fails', () => {
  const failed = { ...pages, [at('/gone')]: { fails: true } };

  it('keeps its code when a hook replaces the error by one without', async () => {
    await using client = createClient({
      engines: [memoryWeb(failed)],
      hooks: { onError: () => new Error('Mine') },
    });
    const { errors } = await client.batchScrape([at('/gone')], { retries: 0 });
    expect(errors).toMatchObject([{ code: 'CONNECTION_RESET', error: 'Mine' }]);
  });

  it('is asked about once, also when the document in its place cannot be stored', async () => {
    const seen: unknown[] = [];
    await using client = createClient({
      engines: [memoryWeb(failed)],
      hooks: {
        onError: ({ url }) => {
          seen.push(url);
          return { run: () => undefined };
        },
      },
    });
    const { errors } = await client.batchScrape([at('/gone')], { retries: 0 });
    expect(errors).toMatchObject([{ url: at('/gone'), code: 'HOOK_FAILED' }]);
    expect(seen).toEqual([at('/gone')]);
  });
});

describe('the same hooks and the same site', () => {
  rareTest('give the same bytes at any timing', { timeout: 60_000 }, async () => {
    const { site } = linkedSite({ pages: 60, links: 4, seed: 5, failing: 0.2 });
    const pathOf = (url: string): number => Number(/\d+$/.exec(url)?.[0] ?? 0);
    const crawlOnce = async (seed: number): Promise<string> => {
      const random = seededRandom(seed);
      const pause = (): Promise<void> => sleep(random() * 6);
      const slow = latency({ min: 0, max: 8, seed });
      await using server = await serve(site, { behaviours: { '*': slow } });
      const hooks: Hooks = {
        beforeRequest: async ({ url, skip }) => {
          await pause();
          if (pathOf(url) % 11 === 5) skip('fives');
        },
        afterResponse: async ({ url }) => {
          await pause();
          return pathOf(url) % 7 === 3 ? { headers: { 'x-seen': 'yes' } } : undefined;
        },
        beforeFormats: async ({ url, links, page }) => {
          await pause();
          if (pathOf(url) % 19 === 3) return { document: { own: url } };
          if (pathOf(url) % 5 === 1) links.reverse();
          if (page.kind === 'html') page.document.body.append(page.document.createTextNode(url));
          return undefined;
        },
        onDocument: async ({ url, skip, document }) => {
          await pause();
          if (pathOf(url) % 13 === 2) skip();
          return { text: document['markdown'], number: pathOf(url) };
        },
        onError: async ({ url }) => (
          await pause(),
          pathOf(url) % 2 ? { markdown: 'odd' } : undefined
        ),
        onSkipped: pause,
        transformLink: async ({ url }) => {
          if (random() < 0.1) await pause();
          return pathOf(url) % 17 === 4 ? false : pathOf(url) % 17 === 6 ? '/page-8' : undefined;
        },
      };
      await using client = createClient({ network: { allow: ['127.0.0.1'] } });
      const job = client.crawl(server.url('/'), {
        sitemap: 'skip',
        ignoreRobotsTxt: true,
        limit: 30,
        maxConcurrency: 8,
        scrapeOptions: { retries: 0 },
        hooks,
      });
      const { data, errors } = await job;
      const pages = [...data, ...errors.flatMap(({ document }) => document ?? [])];
      for (const { metadata } of pages) metadata.scrapeId = '';
      const told = {
        data,
        errors: errors.map(({ timestamp: _, ...rest }) => rest),
        skips: job.skipped(),
      };
      return JSON.stringify(told).replaceAll(server.origin, '');
    };
    const first = await crawlOnce(1);
    expect(JSON.parse(first).data).toHaveLength(30);
    for (let run = 2; run <= 10; run += 1) expect(await crawlOnce(run)).toBe(first);
  });
});
