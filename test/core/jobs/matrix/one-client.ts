/** Scenarios of a job that one client runs from its start to its end. */
import { expect } from 'vitest';
import { fakeClock } from '../../../../src/entries/testing/fake-clock.ts';
import { receiver, signature } from '../webhooks/receiver.ts';
import type { Cell } from './cell.ts';
import { soon } from './site.ts';
import { countsOf, eventsOf, hasPages, outcomeOf, pagesOf, pathOf, pathsRead } from './verbs.ts';

export async function sameAtAnySpeed({ verb, place, site, whole }: Cell): Promise<void> {
  for (const maxConcurrency of [1, 6]) {
    const job = verb.start(place.client(), site, { maxConcurrency });
    const events = eventsOf(job, site);
    const end = outcomeOf(job, site);
    // A loop that is left does not end what somebody awaits.
    if (hasPages(job)) await pathsRead(job, 2);
    const outcome = await end;
    expect(outcome).toMatchObject({ status: 'completed', success: true, ...verb.expected });
    expect(outcome).toEqual(whole.outcome);
    // What is left out is told beside the pages: a document of a worker has to be read first.
    for (const isSkip of [true, false]) {
      const ofKind = (event: string): boolean => event.startsWith('skipped') === isSkip;
      expect(events.filter(ofKind)).toEqual(whole.events.filter(ofKind));
    }
    const { pages, failures } = verb.expected;
    expect(events.filter((event) => event.startsWith('page')).length).toBe(
      hasPages(job) ? pages.length : 0,
    );
    expect([events[0], events.at(-1)]).toEqual(['started', 'completed']);
    // Each page once; the twin is known by its content.
    const twins = verb.name === 'crawl' ? 1 : 0;
    expect(new Set(site.requested).size).toBe(site.requested.length);
    expect(site.requested).toHaveLength(pages.length + failures.length + twins);
    site.forget();
  }
}

export async function loopsAndStatus({ verb, place, site, whole }: Cell): Promise<void> {
  const warnings: string[] = [];
  const client = place.client({ logger: { warn: (_, text) => void warnings.push(text) } });
  const job = pagesOf(verb.start(client, site));
  expect(client.jobs.get(job.id)).toBe(job);
  expect(await client.jobs.list()).toContainEqual(
    expect.objectContaining({ id: job.id, verb: verb.name, isRunning: true }),
  );
  job.on('page', () => {
    throw new Error('a listener');
  });
  const { pages } = whole.outcome;
  const [all, other, few] = await Promise.all([pathsRead(job), pathsRead(job), pathsRead(job, 3)]);
  expect([all, other, few]).toEqual([pages, pages, pages.slice(0, 3)]);
  // A loop that begins late gets the same.
  expect(await pathsRead(job)).toEqual(pages);
  const { data, next, completedAt = '', expiresAt, ...status } = await job.status();
  expect(data.map(pathOf)).toEqual(pages);
  expect(status).toMatchObject({ success: true, status: 'completed', ...whole.outcome.counts });
  expect(next).toBeUndefined();
  expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(86_400_000);
  expect((await job.status({ skip: pages.length - 2 })).data.map(pathOf)).toEqual(pages.slice(-2));
  expect(job.explain(site.url('/a'))).toMatchObject({ state: 'completed' });
  expect(job.explain(site.url('/b'))).toMatchObject({
    state: 'failed',
    code: 'HTTP_STATUS',
    statusCode: 500,
  });
  expect(warnings.filter((text) => text.includes('a listener'))).toHaveLength(pages.length);
  const [skip] = job.skipped();
  expect(job.explain(skip?.url ?? '')).toEqual({ state: 'skipped', ...skip });
  expect(job.explain('http://never.test/')).toBeUndefined();
  const fetched = [...job.timings()].map(({ url, bytes }) => bytes > 0 && site.named(url));
  expect(fetched.sort()).toEqual([...site.requested].sort());
  expect(job.active).toEqual([]);
}

export async function exactLimit({ verb, place, site }: Cell): Promise<void> {
  const job = verb.start(place.client(), site, { limit: 6, maxConcurrency: 8 });
  const { pages, counts, failures, skips } = await outcomeOf(job, site);
  expect(pages).toEqual(verb.expected.pages.slice(0, 6));
  expect(counts).toMatchObject({ completed: 6, pending: 0 });
  // No page is requested that could not be kept.
  const twins = site.requested.filter((path) => path === '/twin').length;
  expect(site.requested).toHaveLength(6 + failures.length + twins);
  expect(
    skips.filter((skip) => /(?:LIMIT limit|BUDGET budget.pages): 6/.test(skip)).length,
  ).toBeGreaterThan(5);
}

export async function countedBudget({ verb, place, site, inMemory }: Cell): Promise<void> {
  for (const budget of [{ credits: 5 }, { requests: 7 }, { bytes: 9000 }]) {
    const [[name, value] = []] = Object.entries(budget);
    const { requests: _, bytes: __, ...slow } = await inMemory({ budget, maxConcurrency: 1 });
    expect(slow).toMatchObject({ status: 'completed', success: true });
    expect(slow.pages.length).toBeGreaterThan(3);
    expect(slow.pages).toEqual(verb.expected.pages.slice(0, slow.pages.length));
    expect(slow.warning).toContain(`budget.${name}: ${value}`);
    expect(slow.skips.join()).toContain(`BUDGET budget.${name}: ${value}`);
    const job = verb.start(place.client(), site, { budget, maxConcurrency: 8 });
    const { requests: ___, bytes: ____, ...quick } = await outcomeOf(job, site);
    expect(quick).toEqual(slow);
  }
}

export async function secondsOfBudget({ verb, place, site }: Cell): Promise<void> {
  site.hold(5);
  const rule = 'budget.seconds: 2';
  const job = verb.start(place.client(), site, { budget: { seconds: 2 } });
  const { status, pages, counts, skips, warning } = await outcomeOf(job, site);
  expect(status).toBe('completed');
  expect(pages.length).toBeGreaterThan(1);
  // Workers request them in another order.
  expect(pages).toEqual(verb.expected.pages.filter((path) => pages.includes(path)));
  expect(counts.pending).toBe(0);
  expect(skips.filter((skip) => skip.endsWith(`BUDGET ${rule}`)).length).toBeGreaterThan(0);
  expect(warning).toContain(rule);
}

export async function failsAsAWhole({ verb, place, site }: Cell): Promise<void> {
  for (const path of verb.expected.pages) site.failing.add(path);
  await using hook = await receiver();
  const client = place.client();
  const job = verb.start(client, site, { webhook: hook.url });
  const events = eventsOf(job, site);
  const failed = { code: 'HTTP_STATUS', statusCode: 500 };
  await expect(Promise.resolve(job)).rejects.toMatchObject(failed);
  await job.delivered();
  expect(job.progress).toMatchObject({ status: 'failed', success: false });
  expect(countsOf(job)).toMatchObject({ completed: 0, pending: 0 });
  expect(events.at(-1)).toBe('failed');
  const types = hook.bodies().map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual([`${verb.source}.started`, `${verb.source}.failed`]);
  expect(hook.bodies().at(-1)).toMatchObject({ success: false, code: 'HTTP_STATUS', data: [] });
  if (!hasPages(job) || place.name === 'memory') return;
  const other = place.client();
  await expect(other.jobs.follow(job.id)).rejects.toMatchObject(failed);
  await expect(other.jobs.resume(job.id, { webhook: hook.url })).rejects.toMatchObject(failed);
  expect(hook.bodies()).toHaveLength(types.length);
}

export async function webhookEvents({ verb, place, site, whole }: Cell): Promise<void> {
  await using hook = await receiver();
  const webhook = { url: hook.url, secret: 'tell nobody', metadata: { run: '7' } };
  const job = verb.start(place.client(), site, { webhook });
  const result = await job;
  await job.delivered();
  const bodies = hook.bodies();
  const pageEvents = whole.events.filter((event) => /^(?:page|failed) /.test(event));
  expect(
    bodies.slice(1, -1).map(({ type, success, code, data }) => {
      const [page] = data as readonly { metadata: { sourceURL: string } }[];
      const path = site.named(page?.metadata.sourceURL);
      return `${type} ${success ? `page ${path}` : `failed ${path} ${code}`}`;
    }),
  ).toEqual(pageEvents.map((event) => `${verb.source}.page ${event}`));
  expect(bodies[0]).toMatchObject({ type: `${verb.source}.started`, success: true, data: [] });
  const end = { type: `${verb.source}.completed`, success: true, error: null };
  expect(bodies.at(-1)).toMatchObject(end);
  expect(bodies.filter(({ success, error }) => success !== (error === null))).toEqual([]);
  const sent = bodies.filter(({ success }) => success).flatMap(({ data }) => data);
  const expected: unknown = hasPages(job) ? (result as { data: unknown }).data : [result];
  expect(sent).toEqual(JSON.parse(JSON.stringify(expected)));
  for (const { id, metadata } of bodies)
    expect({ id, metadata }).toEqual({ id: job.id, metadata: webhook.metadata });
  expect(new Set(bodies.map(({ webhookId }) => webhookId)).size).toBe(bodies.length);
  for (const { body, headers } of hook.server.log) {
    expect(headers['x-pagewright-signature']).toBe(signature(body, webhook.secret));
  }
  expect(job.undelivered()).toEqual([]);
}

export async function hooksOfTheClient({ verb, place, site, whole }: Cell): Promise<void> {
  const asked: string[] = [];
  const told = (text: string): void => void asked.push(site.named(text));
  const client = place.client({
    hooks: {
      onDocument: ({ url, document, skip, jobId }) => {
        told(`page ${url}`);
        expect(jobId).toBe(job.id);
        if (url.endsWith('/d2')) skip('not this one');
        if (url.endsWith('/d3')) throw new Error('Mine');
        return { ...document, mine: url };
      },
      onError: ({ url, error }) => {
        told(`failed ${url} ${(error as { code?: string }).code}`);
        return url.endsWith('/c1') ? { instead: true } : undefined;
      },
      onSkipped: ({ url, reason }) => told(`skipped ${url} ${reason}`),
    },
  });
  const job = pagesOf(verb.start(client, site));
  const { pages, content, failures, skips } = await outcomeOf(job, site);
  const { expected } = verb;
  const instead = [...expected.pages];
  const documents = content as readonly Record<string, unknown>[];
  for (const path of ['/d2', '/d3']) instead.splice(instead.indexOf(path), 1);
  const at = pages.indexOf('/c1');
  expect(documents[at]).toMatchObject({ instead: true, metadata: { errorCode: 'HTTP_STATUS' } });
  expect(pages.filter((path) => path !== '/c1')).toEqual(instead);
  for (const [index, path] of pages.entries())
    if (index !== at) expect(documents[index]).toMatchObject({ mine: path });
  expect(failures).toEqual(['/b HTTP_STATUS 500', '/d3 HOOK_FAILED undefined']);
  expect(skips.filter((skip) => !expected.skips.includes(skip))).toEqual([
    '/d2 EXCLUDE hooks.onDocument: not this one',
  ]);
  // A batch was given what it leaves out: that is no news.
  const isNews = (line: string): boolean => verb.name === 'crawl' || !line.startsWith('skipped');
  const news = [...whole.events.slice(1, -1).filter(isNews), 'failed /d3 HOOK_FAILED'];
  if (verb.name === 'crawl') news.push('skipped /d2 EXCLUDE');
  expect(asked.toSorted()).toEqual(news.toSorted());
  const pagesOnly = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.startsWith('page'));
  expect(pagesOnly(asked)).toEqual(pagesOnly(whole.events));
}

export async function cancelled({ verb, place, site, whole }: Cell): Promise<void> {
  await using hook = await receiver();
  site.hold(6);
  const job = verb.start(place.client(), site, { maxConcurrency: 3, webhook: hook.url });
  if (!hasPages(job)) expect(countsOf(job).discovered).toBe(0);
  const events = eventsOf(job, site);
  await expect.poll(() => site.waiting, soon).toBe(3);
  await expect.poll(() => countsOf(job).completed + countsOf(job).failed, soon).toBe(6);
  expect(job.active.map((url) => site.named(url)).toSorted()).toEqual(
    site.requested.slice(6).toSorted(),
  );
  job.cancel();
  await job.delivered();
  expect(job.active).toEqual([]);
  expect(hook.bodies().at(-1)).toMatchObject({
    type: `${verb.source}.failed`,
    success: false,
    code: 'CANCELLED',
  });
  const done = whole.outcome.pages.slice(0, countsOf(job).completed);
  if (!hasPages(job)) {
    const error: unknown = await job.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CANCELLED' });
    expect((error as Error).stack).toContain('verbs.ts');
    // Each caller gets the same error.
    expect(await job.catch((thrown: unknown) => thrown)).toBe(error);
    const { status, pages, data } = job.status();
    expect({ status, paths: pages.map(({ url }) => site.named(url)) }).toEqual({
      status: 'cancelled',
      paths: done,
    });
    expect((data as { names: string[] }).names).toHaveLength(done.length);
    expect(events).toEqual(['started', 'cancelled']);
    return;
  }
  const outcome = await outcomeOf(job, site);
  expect(outcome).toMatchObject({ status: 'cancelled', success: false, pages: done });
  expect(events.at(-1)).toBe('cancelled');
  const requests = site.requested.length;
  site.letGo();
  if (place.name === 'memory') return;
  const other = place.client();
  for (const opened of [
    other.jobs.follow(job.id),
    other.jobs.resume(job.id, { webhook: hook.url }),
  ]) {
    expect(await outcomeOf(opened, site)).toEqual(outcome);
  }
  expect(site.requested).toHaveLength(requests);
}

export async function closedWithItsClient({ verb, place, site }: Cell): Promise<void> {
  site.hold(5);
  const client = place.client();
  const job = verb.start(client, site, { maxConcurrency: 3 });
  const loop = hasPages(job) ? pathsRead(job).catch((error: unknown) => error) : undefined;
  await expect.poll(() => site.waiting, soon).toBe(3);
  await client.close();
  const error: unknown = await job.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'CANCELLED',
    message: expect.stringMatching(
      place.name === 'memory' || !hasPages(job)
        ? /^.*$/
        : /had ended\. client\.jobs\.resume\(\) .* continues it\.$/,
    ) as string,
  });
  expect(job.progress).toMatchObject({ status: 'cancelled', success: false });
  expect(() => verb.start(client, site)).toThrow(/closed/);
  if (!hasPages(job)) return;
  expect(await loop).toBe(error);
  // A loop that begins later gets it too, behind the documents.
  await expect(pathsRead(job)).rejects.toBe(error);
  const { data, completed } = await job.status();
  expect(data).toHaveLength(completed);
}

export async function leftByItsLoop({ verb, place, site }: Cell): Promise<void> {
  const job = pagesOf(verb.start(place.client(), site, { maxConcurrency: 1 }));
  await pathsRead(job, 2);
  await job.settled();
  expect(job.progress).toMatchObject({ status: 'cancelled', success: false });
  expect(job.progress.completed).toBeLessThan(13);
}

export async function forgottenDocuments({ verb, place, site, whole }: Cell): Promise<void> {
  const job = pagesOf(verb.start(place.client(), site, { keepDocuments: false }));
  const { pages } = whole.outcome;
  expect(await Promise.all([pathsRead(job), pathsRead(job)])).toEqual([pages, pages]);
  expect(await job).toMatchObject({ status: 'completed', data: [], ...whole.outcome.counts });
  expect(await job.status()).toMatchObject({ data: [], completed: pages.length });
  expect(await place.keys(job.id)).toEqual([]);
  const webhook = 'http://127.0.0.1:2/';
  expect(() => verb.start(place.client(), site, { keepDocuments: false, webhook })).toThrow(
    /keepDocuments/,
  );
}

export async function nothingRetained({ verb, place, site, whole }: Cell): Promise<void> {
  const job = verb.start(place.client(), site, { zeroDataRetention: true });
  expect(await outcomeOf(job, site)).toMatchObject({
    pages: whole.outcome.pages,
    counts: whole.outcome.counts,
  });
  expect(await place.keys(job.id)).toEqual([]);
  if (hasPages(job))
    await expect(place.client().jobs.resume(job.id)).rejects.toMatchObject({
      code: 'JOB_NOT_FOUND',
    });
}

export async function expired({ verb, place, site }: Cell): Promise<void> {
  // The stores have the time of the machine.
  const clock = fakeClock({ start: Date.now(), seed: Math.random() });
  const client = place.client({ clock, jobRetention: 60_000 });
  const job = verb.start(client, site);
  const { completedAt = '', expiresAt } = await job;
  expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(60_000);
  clock.advance(59_000);
  expect((await client.jobs.list()).map(({ id }) => id)).toContain(job.id);
  clock.advance(2_000);
  const gone = { code: 'JOB_EXPIRED' };
  await expect(Promise.resolve(job)).rejects.toMatchObject(gone);
  if (hasPages(job) && place.name !== 'memory') {
    await expect(place.client({ clock }).jobs.follow(job.id)).rejects.toMatchObject(gone);
    // A reader drops nothing.
    expect((await place.keys(job.id)).length).toBeGreaterThan(1);
  }
  expect((await client.jobs.list()).map(({ id }) => id)).not.toContain(job.id);
  expect(() => client.jobs.get(job.id)).toThrow(expect.objectContaining(gone) as Error);
  if (!hasPages(job))
    return expect(() => job.status()).toThrow(expect.objectContaining(gone) as Error);
  await expect(job.status()).rejects.toMatchObject(gone);
  await expect(pathsRead(job)).rejects.toMatchObject(gone);
  if (place.name === 'memory') return;
  // Its name is kept, which tells it from a job that never was.
  expect(await place.keys(job.id)).toEqual([`job-index/${job.id}`]);
  const other = place.client({ clock });
  await expect(other.jobs.resume(job.id)).rejects.toMatchObject(gone);
  await expect(other.jobs.follow(job.id).status()).rejects.toMatchObject(gone);
}

export async function addedTo({ verb, place, site }: Cell): Promise<void> {
  site.hold(4);
  const job = pagesOf(verb.start(place.client(), site));
  if (!('add' in job)) return expect.fail('nothing can be added');
  const more = job as typeof job & {
    add(urls: readonly string[]): void;
    invalidURLs: readonly string[];
  };
  more.add([site.url('/b2'), site.url('/a'), 'no url']);
  const seen: string[] = [];
  site.letGo();
  for await (const page of job) {
    if (seen.push(pathOf(page)) === 2) more.add([site.url('/b1')]);
    // Down to the last page.
    if (pathOf(page) === '/b1') more.add([site.url('/b1x')]);
  }
  expect(seen).toEqual([...verb.expected.pages, '/b2', '/b1', '/b1x']);
  expect(more.invalidURLs).toEqual(['http://', 'no url']);
  const { skips } = await outcomeOf(job, site);
  expect(skips).toEqual(['/a#part DUPLICATE_URL /a', '/a DUPLICATE_URL /a']);
  expect(() => more.add([site.url('/b1x')])).toThrow(/has ended/);
  if (place.name === 'memory') return;
  const opened = place.client().jobs.resume(job.id);
  const { data } = await opened;
  expect(data.map(pathOf)).toEqual(seen);
  expect(opened).toMatchObject({ invalidURLs: ['http://', 'no url'] });
}
