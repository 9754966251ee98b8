/** Webhooks over real receivers, as a caller of crawl() and extract() sees them. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Client, type CrawlOptions, createClient } from '../../src/index.ts';
import { hang, linkedSite, serve } from '../../src/entries/testing/index.ts';
import { receiver } from '../core/jobs/webhooks/receiver.ts';
import { rareTest } from '../support/deep.ts';

const open = (): Client => createClient({ network: { allow: ['127.0.0.1'] } });
const { site } = linkedSite({ pages: 30 });

describe('crawl with a webhook', () => {
  it('goes to its receiver although network.only has the hosts of pages alone', async () => {
    await using pages = await serve(site);
    await using there = await receiver();
    const network = { allow: ['localhost', '127.0.0.1'], only: ['localhost'] };
    await using client = createClient({ network });
    const start = pages.url('/').replace('127.0.0.1', 'localhost');
    const job = client.crawl(start, { limit: 1, webhook: there.url });
    await job;
    await job.delivered();
    expect(there.bodies().map(({ type }) => type)).toContain('crawl.completed');
    await expect(client.scrape(pages.url('/'))).rejects.toThrow("only: [..., '127.0.0.1']");
  });

  it('tells again with the same id and the same bytes when it was not understood', async () => {
    await using pages = await serve(site);
    await using there = await receiver([500, 200]);
    await using client = open();
    const job = client.crawl(pages.url('/'), { limit: 2, webhook: there.url });
    await job;
    await job.delivered();
    const [first, second] = there.server.log;
    expect(second!.body).toEqual(first!.body);
    expect(there.bodies().map(({ type }) => type)).toEqual([
      'crawl.started',
      'crawl.started',
      'crawl.page',
      'crawl.page',
      'crawl.completed',
    ]);
  });

  rareTest(
    'gives the same documents, whatever the receiver does, and is done before it',
    async () => {
      await using pages = await serve(site);
      await using dead = await receiver([hang()]);
      await using client = open();
      const plain = await client.crawl(pages.url('/'));
      const job = client.crawl(pages.url('/'), { webhook: dead.url });
      const told = await job;
      const paths = (result: typeof plain): string[] =>
        result.data.map(({ metadata }) => metadata.url);
      expect(paths(told)).toEqual(paths(plain));
      // The receiver still has the first event; nothing else was sent.
      expect(dead.server.log.length).toBeLessThanOrEqual(1);
      expect(job.undelivered()).toEqual([]);
      let isDelivered = false;
      void job.delivered().then(() => (isDelivered = true));
      expect(isDelivered).toBe(false);

      await client.close();
      await job.delivered();
      const undelivered = job.undelivered();
      expect(undelivered.map(({ type }) => type)).toEqual([
        'crawl.started',
        ...Array<string>(30).fill('crawl.page'),
        'crawl.completed',
      ]);
      expect(undelivered.every(({ code }) => code === 'CANCELLED')).toBe(true);
      expect(undelivered[1]!.url).toBe(pages.url('/'));
    },
    30_000,
  );

  it('lists what a private receiver would have got, and warns', async () => {
    await using pages = await serve(site);
    await using there = await receiver();
    await using client = createClient({
      network: { allow: [new URL(pages.origin).hostname], deny: ['localhost'] },
    });
    const webhook = there.url.replace('127.0.0.1', 'localhost');
    const job = client.crawl(pages.url('/'), { limit: 2, webhook });
    await job;
    await job.delivered();
    expect(there.server.log).toEqual([]);
    expect(job.undelivered().map(({ code }) => code)).toEqual(Array(4).fill('BLOCKED_ADDRESS'));
    expect(job.progress.warning).toMatch(/Webhook events did not reach localhost/);
  });

  it('sends only the events asked for, with metadata of any shape', async () => {
    await using pages = await serve(site);
    await using there = await receiver();
    await using client = open();
    const metadata = { run: 7, tags: ['a', null], from: { isNightly: true } };
    const webhook = { url: there.url, events: ['completed', 'failed'] as const, metadata };
    const job = client.crawl(pages.url('/'), { webhook });
    await job.delivered();
    expect(there.bodies()).toMatchObject([{ type: 'crawl.completed', metadata }]);
  });

  it('sends the documents of a crawl that keeps nothing', async () => {
    await using pages = await serve(site);
    await using there = await receiver();
    await using client = open();
    const scrapeOptions = { zeroDataRetention: true };
    const job = client.crawl(pages.url('/'), { limit: 1, webhook: there.url, scrapeOptions });
    await job.delivered();
    expect(there.bodies()[1]!.data).toMatchObject([{ metadata: { statusCode: 200 } }]);
  });

  it.each<[unknown, RegExp]>([
    ['not a url', /webhook\.url: expected an absolute URL/],
    ['ftp://site.test/', /webhook\.url: expected an http/],
    ['http://me:pass@site.test/', /headers\.Authorization/],
    [17, /webhook: expected a URL/],
    [['http://site.test'], /webhook: expected a URL/],
    [{}, /webhook\.url/],
    [{ url: 'http://site.test', event: [] }, /did you mean "webhook\.events"/],
    [{ url: 'http://site.test', events: ['crawl.page'] }, /webhook\.events\[0\]/],
    [{ url: 'http://site.test', events: [] }, /leave it out for all/],
    [{ url: 'http://site.test', metadata: { n: Infinity } }, /webhook\.metadata: expected JSON/],
    [{ url: 'http://site.test', metadata: [() => 1] }, /webhook\.metadata: expected JSON/],
    [{ url: 'http://site.test', headers: { n: 1 } }, /webhook\.headers\.n/],
    [{ url: 'http://site.test', headers: { 'X-Pagewright-Signature': 'x' } }, /is set for each/],
    [
      { url: 'http://site.test', headers: { 'x-Pagewright-signature-Timed': 'x' } },
      /is set for each/,
    ],
    [{ url: 'http://site.test', headers: { 'content-type': 'x' } }, /is set for each event/],
    [{ url: 'http://site.test', headers: { 'content-length': '1' } }, /belongs to the connection/],
    [{ url: 'http://site.test', headers: { a: 'x\ny' } }, /cannot be sent/],
    [{ url: 'http://site.test', secret: '' }, /webhook\.secret: expected a text/],
  ])('refuses %j at once', (webhook, message) => {
    const wrong = (): unknown => open().crawl('http://site.test/', { webhook } as CrawlOptions);
    expect(wrong).toThrow(message);
    expect(wrong).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});

describe('extract with a webhook', () => {
  const schema = z.object({ name: z.string() });
  const page =
    '<script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script><h1>Lamp</h1>';

  it('tells the result as it was, whatever the caller does with it before it is sent', async () => {
    await using pages = await serve({ '/': page });
    let answer = (): void => undefined;
    const isRead = new Promise<void>((resolve) => (answer = resolve));
    await using there = await receiver([
      async ({ response }) => {
        await isRead;
        response.end();
      },
    ]);
    await using client = open();
    const job = client.extract({ urls: [pages.url('/')], schema, webhook: there.url });
    const { data } = await job;
    data.name = 'Changed';
    answer();
    await job.delivered();
    expect(there.bodies()[1]).toMatchObject({ data: [{ data: { name: 'Lamp' } }] });
  });

  it('has no pages to tell of', () => {
    const webhook = { url: 'http://site.test', events: ['page'] };
    const wrong = (): unknown =>
      open().extract({ urls: ['http://site.test/'], schema, webhook: webhook as never });
    expect(wrong).toThrow(/webhook\.events\[0\]/);
  });
});
