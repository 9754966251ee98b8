/** The tool `monitor_check`: what changed since the last call, as data between marks. */
import { createClient, memoryStore } from 'pagewright';
import { createWebTools } from 'pagewright/ai';
import { serve, type SitePage } from 'pagewright/testing';
import { expect, test } from 'vitest';

test('tells what changed since the last call for the same URLs', async () => {
  const pages: Record<string, SitePage> = {
    '/lamp': '<title>Lamp</title><h1>Lamp</h1><p>Price: € 64.00</p>',
    '/docs/': '<h1>Docs</h1><p>All about lamps.</p>',
  };
  await using site = await serve(pages);
  await using client = createClient({
    storage: memoryStore(),
    browser: false,
    network: { allow: ['127.0.0.1'] },
  });
  await using web = createWebTools({ client });
  const check = async (input: object): Promise<{ text: string; isError: boolean }> =>
    web.tools.monitor_check.execute({ limit: 50, seconds: 45, offset: 0, ...input }, {});
  const urls = [site.url('/lamp'), site.url('/docs/*')];
  const first = await check({ urls });
  const [, id = ''] = /^Round 1 of monitor ([\w-]+): no news\./.exec(first.text) ?? [];
  expect(first.text).toContain('2 recorded for the first time');
  pages['/lamp'] = '<title>Lamp</title><h1>Lamp</h1><p>Price: € 52.00</p>';
  const second = await check({ monitorId: id });
  expect(second.text).toMatch(/^Round 2 of monitor [\w-]+: there is news\./);
  expect(second.text).toMatch(/<page-text-\w+>[^]*Price: € 64\.00 → 52\.00[^]*<\/page-text-/);
  expect(await check({})).toMatchObject({
    isError: true,
    text: expect.stringMatching(/give urls/),
  });
});

test('ends in the seconds of its call, also for a monitor that exists, whose goal it leaves', async () => {
  const late = { body: 'late', delay: 60_000 };
  const pages: Record<string, SitePage> = { '/lamp': '<h1>Lamp</h1>', '/late': late };
  await using site = await serve(pages);
  await using client = createClient({
    storage: memoryStore(),
    browser: false,
    network: { allow: ['127.0.0.1'] },
  });
  await using web = createWebTools({ client, model: () => '{}' });
  const calls = { limit: 50, offset: 0 };
  const { id: monitorId } = client.monitor({ targets: [site.url('/lamp')], every: '1h' });
  await client.monitors.get(monitorId).check();
  pages['/lamp'] = late;
  const ended = await web.tools.monitor_check.execute({ ...calls, monitorId, seconds: 1 }, {});
  expect(ended).toMatchObject({ isError: true, text: expect.stringMatching(/^TIMEOUT/) });
  // Where the round is the call's own, it tells what was late.
  const input = { ...calls, urls: [site.url('/late')], seconds: 3 };
  const { text } = await web.tools.monitor_check.execute(input, {});
  expect(text).toMatch(/^Round 1[^]*failed/);
  const goal = { ...calls, monitorId, goal: 'prices', seconds: 45 };
  expect(await web.tools.monitor_check.execute(goal, {})).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^BAD_REQUEST: .*goal/),
  });
});

test('takes one request of the budget for each page', async () => {
  await using site = await serve({ '/lamp': '<h1>Lamp</h1>' });
  await using client = createClient({
    storage: memoryStore(),
    browser: false,
    network: { allow: ['127.0.0.1'] },
  });
  await using web = createWebTools({ client, budget: { requests: 2 } });
  const input = { urls: [site.url('/lamp')], limit: 50, seconds: 45, offset: 0 };
  expect((await web.tools.monitor_check.execute(input, {})).text).toMatch(/^Round 1/);
  expect((await web.tools.monitor_check.execute(input, {})).text).toMatch(/^Round 2/);
  expect((await web.tools.monitor_check.execute(input, {})).text).toMatch(
    /used up \(requests: 2\)/,
  );
});

test('leaves the monitors of the client as they are, also one that it is asked about', async () => {
  await using site = await serve({ '/lamp': '<h1>Lamp</h1><p>Price: € 64.00</p>' });
  await using client = createClient({
    storage: memoryStore(),
    browser: false,
    network: { allow: ['127.0.0.1'] },
  });
  await using web = createWebTools({ client });
  const urls = [site.url('/lamp')];
  const monitor = client.monitor({ targets: urls, every: '1h' });
  await monitor.check();
  const calls = { limit: 50, seconds: 45, offset: 0 };
  const both = await Promise.all([
    web.tools.monitor_check.execute({ ...calls, urls }, {}),
    web.tools.monitor_check.execute({ ...calls, monitorId: monitor.id }, {}),
  ]);
  expect(both.map(({ text }) => text.split(' of ')[0])).toEqual(['Round 1', 'Round 2']);
  expect(monitor.isStopped).toBe(false);
  expect((await monitor.status()).targets).toMatchObject([{ every: 3_600_000 }]);
});
