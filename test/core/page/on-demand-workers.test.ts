/** Which pages are read on threads, and which where the caller is. */
import { createClient } from 'pagewright';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OnDemandWorkers } from '../../../src/core/page/on-demand-workers.ts';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { allFormats, endlessPage, planOf, snapshotOf, watchThreads } from './heavy-page.ts';

const plan = planOf('markdown');
const never = new AbortController().signal;
const light = snapshotOf('<h1>Title</h1><p>Some words.</p>');

let open: OnDemandWorkers[] = [];
const onDemand = (): OnDemandWorkers => {
  const workers = new OnDemandWorkers((sentence) => expect.fail(sentence));
  open.push(workers);
  return workers;
};
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.map((workers) => workers.close()));
  open = [];
});

/** A light page comes beside those before; true when a thread should read it. */
const comes = (workers: OnDemandWorkers): boolean => {
  workers.beginLightPage();
  return workers.shouldUseWorker();
};
const readLight = (workers: OnDemandWorkers) =>
  workers.process(light, plan, never, { isLight: true });

describe('light pages', () => {
  it('are read where the caller is while few come', () => {
    using watch = watchThreads();
    const workers = onDemand();
    workers.expectPages(29);
    for (let page = 0; page < 29; page += 1) expect(comes(workers)).toBe(false);
    expect(watch.started).toBe(0);
  });

  it('wait for the first thread where a job says that there will be many', async () => {
    const workers = onDemand();
    workers.expectPages(30);
    expect(comes(workers)).toBe(true);
    const reading = await readLight(workers);
    expect(reading?.values.get('markdown')).toContain('Some words.');
  });

  it('that nobody announced are read where the caller is until the thread has started', async () => {
    const workers = onDemand();
    const came = Array.from({ length: 40 }, () => comes(workers));
    expect(came).not.toContain(true);
    await vi.waitFor(() => expect(comes(workers)).toBe(true), 10_000);
  });

  it('that come one after the other are read where the caller is, however many', () => {
    using watch = watchThreads();
    const workers = onDemand();
    for (let page = 0; page < 100; page += 1) {
      using _ = workers.beginLightPage();
      expect(workers.shouldUseWorker()).toBe(false);
    }
    expect(watch.started).toBe(0);
  });

  it('are read where the caller is while heavy ones keep all threads', async () => {
    const workers = onDemand();
    workers.expectPages(1000);
    const reading = new AbortController();
    const heavy = Array.from({ length: 4 }, () =>
      workers.process(snapshotOf(endlessPage()), planOf(...allFormats), reading.signal),
    );
    const ends = heavy.map((page) => expect(page).rejects.toThrow('enough'));
    expect(comes(workers)).toBe(false);
    reading.abort(new Error('enough'));
    await Promise.all(ends);
    expect(comes(workers)).toBe(true);
  });

  it.each([
    ['go on being read there in the ten seconds after', 11_000, true],
    ['are few again when none came for long', 25_000, false],
  ])('%s', async (_, later, expected) => {
    const workers = onDemand();
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(60_000);
    workers.expectPages(100);
    expect(comes(workers)).toBe(true);
    await readLight(workers);
    vi.advanceTimersByTime(later);
    expect(comes(workers)).toBe(expected);
  });
});

describe('jobs', () => {
  const home = 'http://many.test/';
  const links = (count: number): string[] =>
    Array.from({ length: count }, (_, page) => `/page-${page}`);
  const web = (count: number, size = 10_000) =>
    memoryWeb({
      [home]: pageOf('Home', links(count)),
      ...Object.fromEntries(
        links(count).map((path) => {
          const page = pageOf(`About ${path}`);
          return [new URL(path, home).href, `${page}<!--${'-'.repeat(size - page.length)}-->`];
        }),
      ),
    });

  it.each([
    ['a crawl of few pages starts none', 20, 10_000, 0],
    ['a crawl of many pages starts one', 60, 10_000, 1],
    ['a crawl of many small pages starts none', 60, 5000, 0],
  ])('%s', async (_, count, size, started) => {
    using watch = watchThreads();
    await using client = createClient({ engines: [web(count, size)] });
    const { data } = await client.crawl(home, { sitemap: 'skip' });
    expect(data.map(({ metadata }) => metadata.title)).toEqual([
      'Home',
      ...links(count).map((path) => `About ${path}`),
    ]);
    expect(Math.min(1, watch.started)).toBe(started);
  });

  it('a crawl that may keep few pages starts none', async () => {
    using watch = watchThreads();
    await using client = createClient({ engines: [web(60)] });
    const { data } = await client.crawl(home, { sitemap: 'skip', limit: 20 });
    expect(data).toHaveLength(20);
    expect(watch.started).toBe(0);
  });

  it('a batch of many pages starts one', async () => {
    using watch = watchThreads();
    await using client = createClient({ engines: [web(60)] });
    const { data } = await client.batchScrape(links(60).map((path) => new URL(path, home).href));
    expect(data).toHaveLength(60);
    expect(watch.started).toBeGreaterThan(0);
  });
});
