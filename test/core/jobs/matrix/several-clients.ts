/** Scenarios of a job that one client leaves to another, or that several clients see. */
import { expect } from 'vitest';
import { receiver } from '../webhooks/receiver.ts';
import type { Cell } from './cell.ts';
import { soon } from './site.ts';
import { bare, countsOf, eventsOf, outcomeOf, pagesOf, pathOf, pathsRead } from './verbs.ts';

const unknown = { code: 'JOB_NOT_FOUND' };

export async function resumed({ verb, place, site, whole }: Cell): Promise<void> {
  const { pages } = whole.outcome;
  site.hold(7);
  await using hook = await receiver();
  const asked: string[] = [];
  const hooks = { onDocument: ({ url }: { url: string }) => void asked.push(site.named(url)) };
  const first = place.client({ hooks });
  const left = pagesOf(verb.start(first, site, { maxConcurrency: 2, webhook: hook.url }));
  const heard = eventsOf(left, site);
  expect(await pathsRead(left, 3)).toEqual(pages.slice(0, 3));
  await first.close();
  site.letGo();
  const before = site.requested;
  const second = place.client({ hooks });
  const { id } = left;
  expect((await second.jobs.list()).find((one) => one.id === id)).toMatchObject({
    verb: verb.name,
    status: 'scraping',
    isRunning: false,
  });
  const job = pagesOf(second.jobs.resume(id, { webhook: hook.url }));
  const events = eventsOf(job, site);
  // The document in hand is given again, and none before it.
  expect(await pathsRead(job)).toEqual(pages.slice(2));
  const outcome = await outcomeOf(job, site);
  const { requests, bytes, ...same } = outcome;
  expect(same).toEqual({ ...whole.outcome, requests: undefined, bytes: undefined });
  expect(requests).toBe(whole.outcome.requests);
  expect(bytes).toBe(whole.outcome.bytes);
  // Nobody is told again what was told before.
  const told = [...heard, ...events].filter((event) => !/^(?:cancelled|skipped)/.test(event));
  expect(told).toEqual(whole.events.filter((event) => !event.startsWith('skipped')));
  expect(asked).toEqual(pages);
  await job.delivered();
  const sent = hook.bodies().filter(({ type }) => type !== `${verb.source}.failed`);
  expect(new Set(hook.bodies().map(({ webhookId }) => webhookId)).size).toBe(hook.bodies().length);
  expect(sent).toHaveLength(pages.length + whole.outcome.failures.length + 2);
  // Only pages that were under way are fetched again.
  const again = site.requested.slice(before.length).filter((path) => before.includes(path));
  expect(again.length).toBeLessThanOrEqual(2);
  // Once it has ended anybody opens it, without a request.
  site.forget();
  for (const open of [
    (client = place.client()) => client.jobs.resume(id, { webhook: hook.url }),
    (client = place.client()) => client.jobs.follow(id),
  ]) {
    const opened = pagesOf(open());
    expect(await outcomeOf(opened, site)).toEqual(outcome);
    expect(opened.errors()).toEqual(job.errors());
    expect(opened.explain(site.url('/b'))).toEqual(job.explain(site.url('/b')));
    expect([...opened.timings()]).toEqual([...job.timings()]);
    expect((await opened.status({ skip: pages.length - 1 })).data.map(pathOf)).toEqual(
      pages.slice(-1),
    );
    expect(opened.input).toEqual(job.input);
  }
  for (const fromStart of [false, true]) {
    const opened = place.client().jobs.resume(id, { fromStart, webhook: hook.url });
    expect(await pathsRead(pagesOf(opened))).toEqual(fromStart ? pages : []);
  }
  expect(site.requested).toEqual([]);
}

export async function followed({ verb, place, site, whole }: Cell): Promise<void> {
  const { pages } = whole.outcome;
  site.hold(9);
  const run = pagesOf(verb.start(place.client(), site, { maxConcurrency: 3 }));
  const loop = pathsRead(run);
  await expect.poll(() => site.waiting, soon).toBe(3);
  await expect.poll(() => countsOf(run).completed + countsOf(run).failed, soon).toBe(9);
  const done = pages.slice(0, countsOf(run).completed);
  const reader = place.client();
  await expect(reader.jobs.resume(run.id)).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(
      new RegExp(`${run.id} is run by process ${process.pid} on `),
    ) as string,
  });
  const job = pagesOf(reader.jobs.get(run.id) as typeof run);
  expect(reader.jobs.get(run.id)).toBe(job);
  // The numbers are stored now and then.
  await expect.poll(async () => (await job.status()).failed, soon).toBe(9 - done.length);
  const { data, next, ...status } = await job.status();
  expect(data.map(pathOf)).toEqual(done);
  expect(next).toBe(done.length);
  expect(status).toMatchObject({ id: run.id, status: 'scraping', ...countsOf(run) });
  expect(status.warning ?? '').not.toContain('No process runs');
  await expect(job.drop()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  // One that leaves its loop does not end it, nor does one whose client is closed.
  expect(await pathsRead(job, 1)).toEqual(pages.slice(0, 1));
  const leaving = place.client();
  const away = pagesOf(leaving.jobs.follow(run.id));
  const lost = pathsRead(away).catch((error: unknown) => error);
  await away.status();
  await leaving.close();
  expect(await lost).toMatchObject({
    code: 'CANCELLED',
    message: `The client was closed while it read job ${run.id}, which continues where it runs.`,
  });
  const reading = pathsRead(job);
  site.letGo();
  expect(await reading).toEqual(pages);
  expect(await loop).toEqual(pages);
  expect(await job).toEqual(await run);
  expect(await outcomeOf(job, site)).toEqual(await outcomeOf(run, site));
}

export async function cancelledByAReader({ verb, place, site }: Cell): Promise<void> {
  site.hold(5);
  const run = pagesOf(verb.start(place.client(), site, { maxConcurrency: 3 }));
  await expect.poll(() => site.waiting, soon).toBe(3);
  const job = pagesOf(place.client().jobs.follow(run.id));
  const events = eventsOf(job, site);
  job.cancel();
  const cancelled = await job;
  expect(cancelled).toMatchObject({ status: 'cancelled', success: false });
  expect(await run).toEqual(cancelled);
  expect(events).toEqual(['cancelled']);
}

export async function cancelledWhileLeft({ verb, place, site }: Cell): Promise<void> {
  site.hold(5);
  const runner = place.client();
  const left = pagesOf(verb.start(runner, site));
  await expect.poll(() => countsOf(left).completed, soon).toBeGreaterThan(1);
  await runner.close();
  const reader = place.client();
  reader.jobs.follow(left.id).cancel();
  // The wish is stored, though the client is closed at once.
  await reader.close();
  site.letGo();
  expect(await place.client().jobs.resume(left.id)).toMatchObject({ status: 'cancelled' });
}

export async function abortedForItsReaders({ verb, place, site }: Cell): Promise<void> {
  site.hold(5);
  const stop = new AbortController();
  const run = pagesOf(verb.start(place.client(), site, { signal: stop.signal }));
  await expect.poll(() => site.waiting, soon).toBeGreaterThan(0);
  const job = pagesOf(place.client().jobs.follow(run.id));
  const reading = pathsRead(job).catch((error: unknown) => error);
  await job.status();
  stop.abort();
  await expect(Promise.resolve(run)).rejects.toMatchObject({ code: 'CANCELLED' });
  const error = { code: 'CANCELLED', message: `Job ${run.id} was cancelled.` };
  expect(await reading).toMatchObject(error);
  await expect(Promise.resolve(job)).rejects.toMatchObject(error);
  expect(job.progress.status).toBe('cancelled');
}

export async function onceResumed({ verb, place, site, whole }: Cell): Promise<void> {
  site.hold(5);
  const first = place.client();
  const left = pagesOf(verb.start(first, site, { maxConcurrency: 3 }));
  await pathsRead(left, 1);
  await first.close();
  const jobs = [place.client(), place.client()].map((client) =>
    pagesOf(client.jobs.resume(left.id)),
  );
  const ends = jobs.map((job) => outcomeOf(job, site).catch((error: unknown) => error));
  expect(await Promise.race(ends)).toMatchObject({
    code: 'STORAGE',
    message: expect.stringMatching(/is run by process \d+ on .*One process at a time/) as string,
  });
  site.letGo();
  const outcomes = await Promise.all(ends);
  expect(outcomes.filter((one) => !(one instanceof Error))).toMatchObject([
    { pages: whole.outcome.pages },
  ]);
}

export async function retried({ verb, place, site, inMemory }: Cell): Promise<void> {
  await using hook = await receiver();
  const first = place.client();
  const { id } = await pagesOf(verb.start(first, site));
  await first.close();
  const sent: string[] = [];
  // One page fails once more.
  for (const [round, failing] of [['/c1'], []].entries()) {
    site.failing.clear();
    for (const path of failing) site.failing.add(path);
    site.forget();
    const client = place.client();
    const given = { retryFailed: true, webhook: hook.url };
    const job = pagesOf(client.jobs.resume(id, given));
    const events = eventsOf(job, site);
    const news = verb.retried[round] ?? [];
    expect(await pathsRead(job)).toEqual(news);
    expect(site.requested.toSorted()).toEqual([...news, ...failing].toSorted());
    expect(events.filter((event) => event.startsWith('page'))).toEqual(
      news.map((path) => `page ${path}`),
    );
    await job.delivered();
    sent.push(...news, ...failing);
    expect(hook.bodies().filter(({ type }) => type.endsWith('.page'))).toHaveLength(sent.length);
    expect(hook.bodies().at(-1)?.type).toBe(`${verb.source}.completed`);
    const { failures } = await outcomeOf(job, site);
    expect(failures.map((failure) => failure.split(' ')[0])).toEqual(failing);
    await client.close();
  }
  expect(new Set(hook.bodies().map(({ webhookId }) => webhookId)).size).toBe(hook.bodies().length);
  site.forget();
  const opened = pagesOf(place.client().jobs.resume(id, { retryFailed: true }));
  expect(await pathsRead(opened)).toEqual([]);
  expect(site.requested).toEqual([]);
  // In their place, as if none had failed.
  const { requests: _, bytes: __, skips, ...same } = await outcomeOf(opened, site);
  const { requests: ___, bytes: ____, skips: all, ...expected } = await inMemory({}, true);
  expect(same).toEqual(expected);
  expect(skips.toSorted()).toEqual(all.toSorted());
}

export async function removed({ verb, place, site }: Cell): Promise<void> {
  site.hold(3);
  const client = place.client();
  const job = pagesOf(verb.start(client, site));
  await expect.poll(() => site.waiting, soon).toBeGreaterThan(0);
  await expect(client.jobs.remove(job.id)).rejects.toMatchObject({ code: 'STORAGE' });
  await expect(place.client().jobs.remove(job.id)).rejects.toMatchObject({ code: 'STORAGE' });
  site.letGo();
  const { completed, failed } = await job;
  const listed = (await client.jobs.list()).find(({ id }) => id === job.id);
  expect(listed).toMatchObject({ counts: { completed, failed } });
  expect(await client.jobs.remove(job.id)).toBe(true);
  expect(await client.jobs.remove(job.id)).toBe(false);
  expect(await place.keys(job.id)).toEqual([]);
  await expect(client.jobs.resume(job.id)).rejects.toMatchObject(unknown);
  const followed = pagesOf(place.client().jobs.follow(job.id));
  await expect(Promise.resolve(followed)).rejects.toMatchObject(unknown);
  await expect(followed.status()).rejects.toMatchObject(unknown);
  await expect(pathsRead(followed)).rejects.toMatchObject(unknown);
}

export async function crawledAgain({ verb, place, site, whole }: Cell): Promise<void> {
  const first = place.client();
  const { id } = await pagesOf(verb.start(first, site));
  site.failing.clear();
  site.forget();
  const again = await pagesOf(verb.start(first, site, { since: id }));
  const { changes, data } = again;
  expect(site.named(changes)).toEqual({
    new: expect.arrayContaining([...verb.retried.flat()]) as string[],
    changed: [],
    same: whole.outcome.pages,
    removed: [],
  });
  // It is left, goes on elsewhere, and tells the same.
  site.hold(4);
  const left = pagesOf(verb.start(first, site, { since: id, maxConcurrency: 2 }));
  await pathsRead(left, 2);
  await first.close();
  site.letGo();
  const resumed = await place.client().jobs.resume(left.id);
  expect(resumed.changes).toEqual(changes);
  expect(resumed.data.map(bare)).toEqual(data.map(bare));
  expect((await place.client().jobs.follow(left.id).status()).changes).toEqual(changes);
}

/** Of a job without a store: no other client finds it. */
export async function isUnknownElsewhere({ verb, place, site }: Cell): Promise<void> {
  const { id } = verb.start(place.client(), site);
  const other = place.client();
  expect(() => other.jobs.get(id)).toThrow(expect.objectContaining(unknown) as Error);
  await expect(other.jobs.resume(id)).rejects.toMatchObject(unknown);
  await expect(other.jobs.follow(id)).rejects.toMatchObject(unknown);
}

/** Of an extraction: the client that runs it has it, and no other. */
export async function isNotResumed({ verb, place, site }: Cell): Promise<void> {
  site.hold(2);
  const client = place.client();
  const job = verb.start(client, site);
  const refusal = {
    code: 'BAD_REQUEST',
    message: expect.stringContaining('is not resumed') as string,
  };
  expect(() => client.jobs.resume(job.id)).toThrow(expect.objectContaining(refusal) as Error);
  await expect.poll(() => site.waiting, soon).toBeGreaterThan(0);
  const others = place.client();
  const isKnown = place.name === 'fleet';
  // Workers find its options in the store.
  const expected = isKnown ? refusal : unknown;
  if (place.name !== 'memory')
    await expect(others.jobs.resume(job.id)).rejects.toMatchObject(expected);
  site.letGo();
  await job;
  await expect(place.client().jobs.resume(job.id)).rejects.toMatchObject(expected);
  expect((await others.jobs.list()).map(({ id }) => id)).not.toContain(job.id);
  expect((await place.keys(job.id)).filter((key) => key.includes('/visits/'))).toEqual([]);
}
