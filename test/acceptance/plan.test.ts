import { createClient, type CrawlOptions, defineFormat, memoryStore } from 'pagewright';
import { hang, serve } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb, pageOf } from '../support/memory-web.ts';

const web = (): ReturnType<typeof memoryWeb> =>
  memoryWeb((url) => {
    if (url.endsWith('/robots.txt')) {
      return { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed/' };
    }
    if (url.endsWith('/broken')) return { fails: true };
    if (url.endsWith('/moved')) return { location: '/1' };
    const n = Number(/site\.test\/(\d*)$/.exec(url)?.[1] ?? NaN);
    if (Number.isNaN(n) || n > 40) return undefined;
    const extra =
      n === 0 ? ['/broken', '/moved', '/closed/x', '/logo.png', 'http://other.test/'] : [];
    return {
      body: pageOf(`page ${n}`, [`/${2 * n + 1}`, `/${2 * n + 2}`, ...extra]),
      delay: n % 5,
    };
  });

const options: CrawlOptions = { limit: 12, sitemap: 'skip', scrapeOptions: { retries: 0 } };

describe('plan', () => {
  it('tells what the crawl would keep and leave out, in its order', async () => {
    await using client = createClient({ engines: [web()] });
    const plan = await client.plan('http://site.test/', options);
    const job = client.crawl('http://site.test/', options);
    const { data, errors } = await job;
    expect(plan.pages).toEqual(
      data.map(({ metadata: { sourceURL, depth, parentUrl, discoveredBy } }) => ({
        url: sourceURL,
        depth,
        ...(parentUrl === undefined ? {} : { parent: parentUrl }),
        discoveredBy,
      })),
    );
    expect(plan.pages).toHaveLength(12);
    expect(plan.pages[0]).toEqual({ url: 'http://site.test/', depth: 0, discoveredBy: 'start' });
    expect(plan.skipped).toEqual(job.skipped());
    expect(plan.errors.map(({ url, code }) => [url, code])).toEqual(
      errors.map(({ url, code }) => [url, code]),
    );
    for (const path of ['', '1', 'broken', 'moved', 'closed/x', 'logo.png', '40', 'nowhere']) {
      const url = `http://site.test/${path}`;
      expect(plan.explain(url)?.state).toBe(job.explain(url)?.state);
    }
    expect(plan.explain('http://site.test/closed/x')).toMatchObject({ reason: 'ROBOTS' });
    expect(plan.warning).toBe((await job).warning);
  });

  it('makes no formats, calls no onDocument, and keeps nothing', async () => {
    let runs = 0;
    const counting = defineFormat({ name: 'counting', needs: 'content', run: () => (runs += 1) });
    const storage = memoryStore();
    await using client = createClient({ engines: [web()], storage });
    const { pages } = await client.plan('http://site.test/', {
      ...options,
      scrapeOptions: () => ({ formats: [counting], retries: 0 }),
      hooks: { onDocument: () => void (runs += 1) },
    });
    expect(pages).toHaveLength(12);
    expect(runs).toBe(0);
    expect(await client.jobs.list()).toEqual([]);
    for await (const key of storage.list('')) expect.fail(`${key} was stored`);
  });

  it('rejects as the crawl does: wrong options, a start page that fails, a signal', async () => {
    await using client = createClient({ engines: [web()] });
    const wrong = { limt: 1 } as CrawlOptions;
    await expect(client.plan('http://site.test/', wrong)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await expect(client.plan('http://site.test/broken', options)).rejects.toMatchObject({
      code: 'CONNECTION_RESET',
    });
    const signal = AbortSignal.abort();
    await expect(client.plan('http://site.test/', { signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('ends with its budget, and with its client', async () => {
    await using server = await serve(
      { '/': pageOf('start', ['/slow']), '/slow': '' },
      { behaviours: { '/slow': hang() } },
    );
    const client = createClient({ network: { allow: ['127.0.0.1'] } });
    const { pages, skipped, warning } = await client.plan(server.origin, {
      sitemap: 'skip',
      budget: { seconds: 1 },
    });
    expect(pages).toHaveLength(1);
    expect(skipped).toMatchObject([{ url: `${server.origin}/slow`, reason: 'BUDGET' }]);
    expect(warning).toContain('budget.seconds: 1');
    const pending = client.plan(server.origin, { sitemap: 'skip' });
    const rejected = expect(pending).rejects.toMatchObject({ code: 'CANCELLED' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.close();
    await rejected;
  });
});
