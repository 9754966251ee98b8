/** The pages that a job is about to fetch or read, and the numbers of an extraction. */
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { expect, test } from 'vitest';

const links = [1, 2].map((n) => `<a href="/p/${n}">${n}</a>`).join(' ');

/** A site whose pages answer when `open` is called; the start page answers at once. */
async function slowSite(): Promise<{
  readonly site: Awaited<ReturnType<typeof serve>>;
  readonly asked: Promise<unknown>;
  open(): void;
}> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const arrivals: (() => void)[] = [];
  const asked = Promise.all([1, 2].map(() => new Promise<void>((done) => arrivals.push(done))));
  const site = await serve(async ({ url }) => {
    if (url === '/p/') return `<main><h1>Start</h1><p>${links}</p></main>`;
    if (!/^\/p\/\d$/.test(url)) return undefined;
    arrivals.pop()?.();
    await opened;
    return `<title>Lamp ${url}</title><main><h1>${url}</h1><p>Words of ${url}.</p></main>`;
  });
  return { site, asked, open };
}

const client = (): ReturnType<typeof createClient> =>
  createClient({ network: { allow: ['127.0.0.1'] }, browser: false });

test('a crawl names the pages that are under way, and none when it has ended', async () => {
  const { site, asked, open } = await slowSite();
  await using _ = site;
  await using own = client();
  const job = own.crawl(site.url('/p/'), { sitemap: 'skip' });
  await asked;
  expect(job.active.sort()).toEqual([site.url('/p/1'), site.url('/p/2')]);
  open();
  expect((await job).completed).toBe(3);
  expect(job.active).toEqual([]);
});

test('an extraction counts its pages and names those under way', async () => {
  const { site, asked, open } = await slowSite();
  await using _ = site;
  await using own = client();
  const job = own.extract({
    urls: [site.url('/none'), site.url('/p/1'), site.url('/p/2')],
    schema: { type: 'object', properties: { title: { type: 'string', 'x-selector': 'h1' } } },
  });
  expect(job.counts.discovered).toBe(0);
  await asked;
  await expect.poll(() => job.counts.pending).toBe(2);
  expect(job.active.sort()).toEqual([site.url('/p/1'), site.url('/p/2')]);
  open();
  await job;
  expect(job.counts).toEqual({ discovered: 3, completed: 2, failed: 1, skipped: 0, pending: 0 });
  expect(job.active).toEqual([]);
});
