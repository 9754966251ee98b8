import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import type { Snapshot } from '../../../src/core/model/snapshot.ts';
import { processPage } from '../../../src/core/page/process-page.ts';
import {
  PageWorker,
  WorkerPool,
  type WorkerPoolOptions,
} from '../../../src/core/page/worker-pool.ts';
import {
  allFormats,
  endlessPage,
  heavyPage,
  planOf,
  snapshotOf,
  turnsDuring,
  watchThreads,
} from './heavy-page.ts';

let open: WorkerPool[] = [];
const pool = (options: WorkerPoolOptions = {}): WorkerPool => {
  const workers = new WorkerPool(options);
  open.push(workers);
  return workers;
};
afterEach(async () => {
  await Promise.all(open.map((workers) => workers.close()));
  open = [];
});

const light = snapshotOf('<h1>Title</h1><p>Some words.</p>');
const plan = planOf('markdown');
const never = new AbortController().signal;

describe('a page read on a thread', () => {
  it('gives what it gives where the caller is', async () => {
    const snapshot = snapshotOf(heavyPage());
    const asked = { ...planOf(...allFormats), outline: true };
    const here = await processPage(snapshot, asked, [], never);
    const there = await pool().process(snapshot, asked, never);
    expect(JSON.stringify([...there.values])).toBe(JSON.stringify([...here.values]));
    expect({ ...there, values: undefined }).toEqual({ ...here, values: undefined });
    expect(here.values.get('markdown')).toMatch(/rye/i);
    expect(here.outline?.links.length).toBeGreaterThan(3);
  });

  it('leaves the body to its owner, also where it is a part of a larger buffer', async () => {
    const bytes = Buffer.from(`before<p>Inside.</p>after`);
    const body = bytes.subarray(6, bytes.length - 5);
    const { values } = await pool().process({ ...light, body }, plan, never);
    expect(values.get('markdown')).toBe('Inside.');
    expect(bytes.toString()).toBe('before<p>Inside.</p>after');
  });

  it('takes snapshots of engines that add what cannot be sent', async () => {
    const odd = { ...light, close: () => undefined };
    const { values } = await pool().process(odd, plan, never);
    expect(values.get('markdown')).toContain('Some words.');
  });

  it('rejects as it does where the caller is', async () => {
    const few = { ...plan, limits: { ...plan.limits, nodes: 2 } };
    const here: unknown = await processPage(light, few, [], never).catch((error: unknown) => error);
    const there: unknown = await pool()
      .process(light, few, never)
      .catch((error: unknown) => error);
    expect(there).toBeInstanceOf(PagewrightError);
    expect(there).toMatchObject({ code: 'PARSE_LIMIT' });
    expect((there as PagewrightError).toJSON()).toEqual((here as PagewrightError).toJSON());
  });
});

describe('a page that takes for ever', () => {
  it('ends at once with the reason of the signal, and the process goes on meanwhile', async () => {
    const workers = pool();
    await workers.process(light, plan, never);
    const reason = new PagewrightError('TIMEOUT', 'too late');
    const controller = new AbortController();
    const work = workers.process(
      snapshotOf(endlessPage()),
      planOf(...allFormats),
      controller.signal,
    );
    let ended = 0;
    work.catch(() => (ended = performance.now()));
    setTimeout(() => controller.abort(reason), 300);
    const started = performance.now();
    const turns = await turnsDuring(work);
    await expect(work).rejects.toBe(reason);
    expect(ended - started).toBeLessThan(5000);
    expect(turns).toBeGreaterThan(5);
  });

  it('is not sent when it is given up while its body is copied', async () => {
    const worker = new PageWorker(256);
    await worker.ready;
    const controller = new AbortController();
    const work = worker.process(snapshotOf(endlessPage()), planOf(...allFormats), {
      signal: controller.signal,
      isLight: false,
    });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
    expect(worker).toMatchObject({ isIdle: true, isUsable: true });
    worker.end();
    await worker.ended;
  });

  it('makes room for the next page', async () => {
    const workers = pool({ limit: 1 });
    const late = AbortSignal.timeout(200);
    const work = workers.process(snapshotOf(endlessPage()), planOf(...allFormats), late);
    const next = workers.process(light, plan, never);
    await expect(work).rejects.toThrow('aborted due to timeout');
    expect((await next).values.get('markdown')).toContain('Some words.');
    expect(workers.size).toBe(1);
  });

  it('holds up no page that gives up waiting for it', async () => {
    const workers = pool({ limit: 1 });
    const controller = new AbortController();
    const work = workers.process(
      snapshotOf(endlessPage()),
      planOf(...allFormats),
      controller.signal,
    );
    const late = AbortSignal.timeout(100);
    await expect(workers.process(light, plan, late)).rejects.toThrow('aborted due to timeout');
    const last = workers.process(light, plan, never);
    controller.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
    await expect(last).resolves.toBeDefined();
  });
});

describe('a thread that breaks down', () => {
  it('is PARSE_LIMIT when its memory is used up, and the process lives', async () => {
    const workers = pool({ limit: 1, memory: 32 });
    const work = workers.process(snapshotOf(endlessPage()), planOf(...allFormats), never);
    await expect(work).rejects.toMatchObject({
      code: 'PARSE_LIMIT',
      message: expect.stringContaining('more than 32 MB of memory') as string,
      url: 'http://example.test/docs/page',
    });
    await expect(workers.process(light, plan, never)).resolves.toBeDefined();
  });

  it('is PARSE_LIMIT when it ends for any other reason, and the next page has a new thread', async () => {
    const workers = pool({ limit: 1 });
    using watch = watchThreads();
    const started = once(process, 'worker') as Promise<[Worker]>;
    await workers.process(light, plan, never);
    const work = workers.process(snapshotOf(endlessPage()), planOf(...allFormats), never);
    const outcome = expect(work).rejects.toMatchObject({ code: 'PARSE_LIMIT' });
    const [worker] = await started;
    await worker.terminate();
    await outcome;
    await expect(workers.process(light, plan, never)).resolves.toBeDefined();
    expect(watch.started).toBe(2);
  });
});

describe('a light page sent ahead', () => {
  const ahead = { isLight: true };

  it('is read on a new thread when the one that had it breaks down', async () => {
    const workers = pool({ limit: 1 });
    using watch = watchThreads();
    const started = once(process, 'worker') as Promise<[Worker]>;
    await workers.process(light, plan, never);
    const [worker] = await started;
    const first = workers.process(snapshotOf(endlessPage()), planOf(...allFormats), never, ahead);
    const outcome = expect(first).rejects.toMatchObject({ code: 'PARSE_LIMIT' });
    const second = workers.process(light, plan, never, ahead);
    await sleep(50);
    await worker.terminate();
    await outcome;
    expect((await second).values.get('markdown')).toContain('Some words.');
    expect(watch.started).toBe(2);
  });

  it('that gives up ends nothing but itself', async () => {
    const workers = pool({ limit: 1 });
    using watch = watchThreads();
    const controller = new AbortController();
    const first = workers.process(snapshotOf(heavyPage()), plan, never, ahead);
    const second = workers.process(light, plan, controller.signal, ahead);
    const outcome = expect(second).rejects.toThrow('enough');
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await outcome;
    expect((await first).values.get('markdown')).toMatch(/rye/i);
    expect((await workers.process(light, plan, never)).values.get('markdown')).toContain(
      'Some words.',
    );
    expect(watch.started).toBe(1);
  });

  it('never stands behind a heavy one', async () => {
    const workers = pool({ limit: 1 });
    const controller = new AbortController();
    const heavy = workers.process(
      snapshotOf(endlessPage()),
      planOf(...allFormats),
      controller.signal,
    );
    const outcome = expect(heavy).rejects.toThrow('enough');
    const next = workers.process(light, plan, never, ahead);
    setTimeout(() => controller.abort(new Error('enough')), 200);
    await outcome;
    await expect(next).resolves.toBeDefined();
  });
});

describe('pages in line', () => {
  const ahead = { isLight: true };

  it('are in their order: a heavy one is not passed by the light ones behind it', async () => {
    const workers = pool({ limit: 1 });
    const order: string[] = [];
    const read = (name: string, page: Snapshot, how?: { isLight: boolean }): Promise<unknown> =>
      workers.process(page, plan, never, how).then(() => order.push(name));
    const all = [...Array(6).keys()].map((page) => read(`light ${page}`, light, ahead));
    all.push(read('heavy', snapshotOf(heavyPage())));
    all.push(...[6, 7].map((page) => read(`light ${page}`, light, ahead)));
    await Promise.all(all);
    expect(order.indexOf('heavy')).toBe(6);
  });

  it('go on behind a heavy one that gives up', async () => {
    const workers = pool({ limit: 1 });
    const controller = new AbortController();
    const first = workers.process(snapshotOf(heavyPage()), plan, never, ahead);
    const heavy = workers.process(snapshotOf(heavyPage()), plan, controller.signal);
    const outcome = expect(heavy).rejects.toThrow('enough');
    const others = [1, 2, 3].map(() => workers.process(light, plan, never, ahead));
    controller.abort(new Error('enough'));
    await outcome;
    await expect(Promise.all([first, ...others])).resolves.toHaveLength(4);
  });

  it('start no second thread when they are light', async () => {
    using watch = watchThreads();
    const workers = pool({ limit: 2 });
    const pages = Array.from({ length: 9 }, () => workers.process(light, plan, never, ahead));
    await Promise.all(pages);
    expect(watch.started).toBe(1);
  });
});

describe('the threads', () => {
  it('are no more than the limit, and all pages are read', async () => {
    using watch = watchThreads();
    const workers = pool({ limit: 2 });
    const pages = Array.from({ length: 9 }, (_, index) =>
      workers.process(snapshotOf(`<p>Page ${index}.</p>`), plan, never),
    );
    const texts = (await Promise.all(pages)).map(({ values }) => values.get('markdown'));
    expect(texts).toEqual(Array.from({ length: 9 }, (_, index) => `Page ${index}.`));
    expect(watch.started).toBe(2);
  });

  it('end when they have nothing to do', async () => {
    using watch = watchThreads();
    const workers = pool({ idleTime: 50 });
    await workers.process(light, plan, never);
    expect(watch.alive).toBe(1);
    for (let wait = 0; wait < 100 && watch.alive > 0; wait += 1) await sleep(50);
    expect(watch.alive).toBe(0);
    expect(workers.size).toBe(0);
    await expect(workers.process(light, plan, never)).resolves.toBeDefined();
  });

  it('end with the pool, which rejects the page that one of them reads', async () => {
    using watch = watchThreads();
    const workers = pool();
    const work = workers.process(snapshotOf(endlessPage()), planOf(...allFormats), never);
    const outcome = expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
    await sleep(50);
    await workers.close();
    await outcome;
    expect(watch).toMatchObject({ started: 1, alive: 0 });
  });

  it('are not started for a page that is given up already', async () => {
    using watch = watchThreads();
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(pool().process(light, plan, gone)).rejects.toThrow('gone');
    expect(watch.started).toBe(0);
  });
});
