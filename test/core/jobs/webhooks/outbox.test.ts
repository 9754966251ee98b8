import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Behaviour, endless, hang, reset } from '../../../../src/entries/testing/index.ts';
import { deliveryTimes } from '../../../../src/core/jobs/webhooks/webhook-receiver.ts';
import { addPage, named, openOutbox, receiver, signature } from './receiver.ts';
import { rareTest } from '../../../support/deep.ts';

describe('what is sent', () => {
  it('is the contract’s JSON, with an id for each event, the same at every attempt', async () => {
    await using there = await receiver([500, 503, 200]);
    const outbox = openOutbox({ url: there.url, webhook: { metadata: { team: 'a' } } });
    outbox.add({ event: 'started' });
    addPage(outbox, 1);
    outbox.add({ event: 'completed' });
    await outbox.finished;

    expect(there.bodies().map(({ type }) => type)).toEqual([
      'crawl.started',
      'crawl.started',
      'crawl.started',
      'crawl.page',
      'crawl.completed',
    ]);
    const [first, second, third, page, end] = there.server.log;
    expect(second!.body).toEqual(first!.body);
    expect(third!.body).toEqual(first!.body);
    expect(page).toMatchObject({ method: 'POST', url: '/hook?token=t0ken' });
    const body = JSON.parse(Buffer.from(page!.body).toString());
    expect(body).toEqual({
      success: true,
      type: 'crawl.page',
      id: 'job-1',
      webhookId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      data: [{ markdown: 'page 1' }],
      metadata: { team: 'a' },
      error: null,
    });
    const ids = [first, page, end].map((request) => JSON.parse(String(request!.body)).webhookId);
    expect(new Set(ids).size).toBe(3);
    expect(outbox.undelivered()).toEqual([]);
    expect(outbox.warning).toBeUndefined();
  });

  it('is signed over the raw bytes, with the headers of the caller', async () => {
    await using there = await receiver();
    const headers = { 'x-team': 'a', 'user-agent': 'me/1' };
    const outbox = openOutbox({ url: there.url, webhook: { headers, secret: 'šecret' } });
    outbox.add({ event: 'page', read: () => [{ markdown: 'žluťoučký\u2028"<\ud800' }] });
    outbox.add({ event: 'completed' });
    await outbox.finished;

    for (const request of there.server.log) {
      expect(request.headers).toMatchObject({
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'x-pagewright-signature': signature(request.body, 'šecret'),
      });
    }
    expect(there.server.log).toHaveLength(2);
  });

  it('has no signature without a secret', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log[0]!.headers).not.toHaveProperty('x-pagewright-signature');
  });

  it('is read when it is its turn, one document at a time', async () => {
    await using there = await receiver([500, 200]);
    const outbox = openOutbox({ url: there.url });
    let delivered = 0;
    const reads: number[] = [];
    for (let page = 0; page < 5; page += 1) {
      const read = (): string[] => {
        reads.push(there.server.log.length - delivered);
        delivered = there.server.log.length;
        return ['x'];
      };
      outbox.add({ event: 'page', read });
    }
    expect(reads).toEqual([]);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    // Two attempts for the first page, then one each.
    expect(reads).toEqual([0, 2, 1, 1, 1]);
  });

  it.each([
    ['that is no JSON', () => [{ price: 1n }], 'HOOK_FAILED'],
    ['that cannot be read', () => Promise.reject(new Error('disk')), 'HOOK_FAILED'],
  ])('a document %s is listed, and the others arrive', async (_, read, code) => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'page', url: 'http://site.test/1', read });
    addPage(outbox, 2);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.bodies().map(({ type }) => type)).toEqual(['crawl.page', 'crawl.completed']);
    expect(outbox.undelivered()).toMatchObject([{ url: 'http://site.test/1', code, attempts: 0 }]);
  });

  it('is only what the filter names', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url, webhook: { events: new Set(['failed']) } });
    outbox.add({ event: 'started' });
    addPage(outbox, 1);
    outbox.add({ event: 'failed', failure: { code: 'DNS', error: 'no such host' } });
    await outbox.finished;
    expect(there.bodies()).toMatchObject([
      { type: 'crawl.failed', success: false, error: 'no such host', code: 'DNS' },
    ]);
  });
});

describe('a receiver that fails', () => {
  it('has 10 s for an attempt, and about a minute for all of them', () => {
    expect(deliveryTimes.attempt).toBe(10_000);
    const { gaps } = deliveryTimes;
    expect(gaps).toHaveLength(4);
    expect(gaps.reduce((sum, gap) => sum + gap)).toBe(60_000);
    expect([...gaps].sort((one, other) => one - other)).toEqual(gaps);
  });

  it('gets pages in order however it flaps, and each once when it took it', async () => {
    const taken: number[] = [];
    await using there = await receiver([500, 429, 200, reset(), 200, 503, 200, 200, 500, 200]);
    const outbox = openOutbox({ url: there.url });
    for (let page = 1; page <= 8; page += 1) addPage(outbox, page);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    for (const { data } of there.bodies()) {
      const [document] = data as { markdown: string }[];
      const number = Number(document?.markdown.slice(5));
      if (document !== undefined && taken.at(-1) !== number) taken.push(number);
    }
    expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(outbox.undelivered()).toEqual([]);
  });

  it('is tried five times, then once for each event, and is down after three', async () => {
    await using there = await receiver([500]);
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'started' });
    for (let page = 1; page <= 100; page += 1) addPage(outbox, page);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    // The job's end is sent all the same.
    expect(there.server.log).toHaveLength(5 + 1 + 1 + 1);
    const undelivered = outbox.undelivered();
    expect(undelivered.map(({ attempts }) => attempts)).toEqual([5, 1, 1, ...Array(98).fill(0), 1]);
    expect(undelivered[1]).toEqual({
      webhookId: there.bodies()[5]!.webhookId,
      type: 'crawl.page',
      url: 'http://site.test/1',
      code: 'WEBHOOK_FAILED',
      error: expect.stringContaining('answered 500'),
      attempts: 1,
    });
    expect(undelivered[50]!.error).toMatch(/^Not sent, because the receiver is down/);
    expect(outbox.warning).toContain(new URL(there.url).host);
  });

  it('that comes back gets what comes then', async () => {
    await using there = await receiver([...Array<number>(7).fill(500), 200]);
    const outbox = openOutbox({ url: there.url, times: { probeGap: 0 } });
    for (let page = 1; page <= 6; page += 1) addPage(outbox, page);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(named(outbox.undelivered())).toEqual(
      [1, 2, 3].map((page) => `crawl.page http://site.test/${page}`),
    );
    expect(there.bodies().at(-1)!.type).toBe('crawl.completed');
  });

  it('that hangs is left after the time of an attempt', async () => {
    await using there = await receiver([hang(), 200]);
    const outbox = openOutbox({ url: there.url, times: { attempt: 150 } });
    outbox.add({ event: 'started' });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.bodies().map(({ type }) => type)).toEqual([
      'crawl.started',
      'crawl.started',
      'crawl.completed',
    ]);
    expect(outbox.undelivered()).toEqual([]);
  });

  it('that always hangs is TIMEOUT', async () => {
    await using there = await receiver([hang()]);
    const outbox = openOutbox({ url: there.url, times: { attempt: 50, gaps: [1] } });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(outbox.undelivered()).toMatchObject([
      { code: 'TIMEOUT', attempts: 2, error: expect.stringMatching(/did not answer within 50 ms/) },
    ]);
  });

  it('that asks for a pause gets it, up to a limit', async () => {
    const busy =
      (seconds: number): Behaviour =>
      ({ response }) =>
        void response.writeHead(429, { 'retry-after': String(seconds) }).end();
    await using there = await receiver([busy(1), busy(1_000_000), 200]);
    const outbox = openOutbox({ url: there.url, times: { gaps: [1, 1], longestPause: 300 } });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    const [first, second, third] = there.server.log.map(({ time }) => time);
    expect(second! - first!).toBeGreaterThan(290);
    expect(third! - second!).toBeGreaterThan(290);
    expect(outbox.undelivered()).toEqual([]);
  });

  it.each([301, 302, 307, 308, 304])('and redirects with %i is not followed', async (status) => {
    await using there = await receiver([status]);
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log).toHaveLength(1);
    expect(outbox.undelivered()).toMatchObject([{ code: 'BAD_REDIRECT', attempts: 1 }]);
  });

  it('for one event only is not down for the others', async () => {
    await using there = await receiver([413, 413, 413, 413, 200]);
    const outbox = openOutbox({ url: there.url });
    for (let page = 1; page <= 5; page += 1) addPage(outbox, page);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log).toHaveLength(6);
    expect(outbox.undelivered().map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
  });

  it('answers without end and is not read', async () => {
    let sent = 0;
    const chatty = endless();
    await using there = await receiver([
      async (exchange) => {
        const { socket } = exchange.request;
        await Promise.resolve(chatty(exchange)).catch(() => undefined);
        sent = socket.bytesWritten;
      },
    ]);
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'started' });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log).toHaveLength(2);
    expect(outbox.undelivered()).toEqual([]);
    await expect.poll(() => there.server.openSockets).toBe(0);
    expect(sent).toBeLessThan(8 * 1024 * 1024);
  });

  it('is not there', async () => {
    const there = await receiver();
    await there.server.close();
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    const [event] = outbox.undelivered();
    expect(event).toMatchObject({ code: 'CONNECTION_REFUSED', attempts: 5 });
    expect(event!.error).not.toContain('t0ken');
  });
});

describe('who may be contacted', () => {
  it.each(['http://127.0.0.1:2/', 'http://localhost:1/', 'http://169.254.169.254/latest'])(
    '%s is refused by the policy of the client and listed',
    async (url) => {
      const outbox = openOutbox({ url, network: {} });
      outbox.add({ event: 'started' });
      outbox.add({ event: 'completed' });
      await outbox.finished;
      expect(outbox.undelivered()).toMatchObject([
        { type: 'crawl.started', code: 'BLOCKED_ADDRESS', attempts: 1 },
        { type: 'crawl.completed', code: 'BLOCKED_ADDRESS', attempts: 1 },
      ]);
      expect(outbox.warning).toMatch(/Refused to contact/);
    },
  );

  it('a receiver that is refused is not connected to', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url, network: { deny: ['127.0.0.1'] } });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.server.log).toEqual([]);
  });
});

describe('the position', () => {
  it('counts what was delivered, given up or not wanted, and nothing after an event that was left', async () => {
    await using there = await receiver([200, 413, 200, hang()]);
    const events = new Set(['page', 'completed', 'failed'] as const);
    const outbox = openOutbox({ url: there.url, webhook: { events }, times: { afterLeave: 50 } });
    const positions: number[] = [];
    outbox.storePosition(async (position) => void positions.push(position));
    outbox.add({ event: 'started' });
    for (let page = 1; page <= 6; page += 1) addPage(outbox, page);
    await expect.poll(() => there.server.log.length).toBe(4);
    expect(outbox.unsent.waiting.map(([number]) => number)).toEqual([4, 5, 6]);
    await outbox.leave();
    outbox.add({ event: 'failed', failure: { code: 'CANCELLED', error: 'left' } });
    await outbox.finished;
    expect(positions).toEqual([0, 1, 2, 3, 4]);
    expect(outbox.undelivered().map(({ code }) => code)).toEqual([
      'WEBHOOK_FAILED',
      ...Array<string>(4).fill('CANCELLED'),
    ]);
  });

  it('stays where it is when another process sends the events', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url });
    const positions: number[] = [];
    let isTaken = false;
    const confirm = (): Promise<void> =>
      isTaken ? Promise.reject(new Error('taken over')) : Promise.resolve();
    outbox.storePosition(async (position) => void positions.push(position), confirm);
    outbox.add({ event: 'started' });
    await expect.poll(() => positions).toEqual([0, 1]);
    isTaken = true;
    addPage(outbox, 1);
    outbox.add({ event: 'failed', failure: { code: 'STORAGE', error: 'taken over' } });
    await outbox.finished;
    expect(there.bodies()).toHaveLength(1);
    expect(positions).toEqual([0, 1]);
  });

  it('is where the next process goes on, with the same ids', async () => {
    await using there = await receiver();
    for (const position of [0, 2]) {
      const outbox = openOutbox({ url: there.url });
      outbox.startAt(position);
      outbox.add({ event: 'started' });
      for (let page = 1; page <= 3; page += 1) addPage(outbox, page);
      outbox.add({ event: 'completed' });
      await outbox.finished;
    }
    const ids = there.bodies().map(({ webhookId }) => webhookId);
    expect(ids.slice(5)).toEqual(ids.slice(2, 5));
  });
});

describe('the end', () => {
  it('comes when the client is closed, and what is left is listed', async () => {
    await using there = await receiver([hang()]);
    const closing = new AbortController();
    const outbox = openOutbox({
      url: there.url,
      clientSignal: closing.signal,
      times: { afterClose: 100 },
    });
    outbox.add({ event: 'started' });
    addPage(outbox, 1);
    await expect.poll(() => there.server.log.length).toBe(1);
    closing.abort();
    outbox.add({ event: 'failed', failure: { code: 'CANCELLED', error: 'closed' } });
    await outbox.finished;
    expect(outbox.undelivered()).toMatchObject([
      { type: 'crawl.started', code: 'CANCELLED', attempts: 1 },
      { type: 'crawl.page', code: 'CANCELLED', attempts: 0 },
      { type: 'crawl.failed', code: 'CANCELLED', attempts: 0 },
    ]);
    await expect.poll(() => there.server.openSockets).toBe(0);
  });

  it('does not wait for the next attempt when the client is closed', async () => {
    await using there = await receiver([500, 200]);
    const closing = new AbortController();
    const outbox = openOutbox({
      url: there.url,
      clientSignal: closing.signal,
      times: { gaps: [600_000] },
    });
    outbox.add({ event: 'completed' });
    await expect.poll(() => there.server.log.length).toBe(1);
    await sleep(50);
    closing.abort();
    await outbox.finished;
    expect(there.server.log).toHaveLength(2);
    expect(outbox.undelivered()).toEqual([]);
  });

  it('comes some time after the job’s end, whatever is left', async () => {
    await using there = await receiver([hang()]);
    const outbox = openOutbox({ url: there.url, times: { afterEnd: 200 } });
    outbox.add({ event: 'started' });
    for (let page = 1; page <= 3; page += 1) addPage(outbox, page);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(outbox.undelivered().map(({ code }) => code)).toEqual(Array(5).fill('TIMEOUT'));
  });

  rareTest('is not given up because too many events wait', { timeout: 60_000 }, async () => {
    await using there = await receiver([hang()]);
    const closing = new AbortController();
    const outbox = openOutbox({
      url: there.url,
      clientSignal: closing.signal,
      times: { afterClose: 10 },
    });
    for (let page = 0; page < 100_001; page += 1) outbox.add({ event: 'page' });
    outbox.add({ event: 'completed' });
    expect(outbox.undelivered()).toMatchObject([
      { type: 'crawl.page', attempts: 0, error: expect.stringContaining('too slow') },
    ]);
    closing.abort();
    await outbox.finished;
    expect(outbox.undelivered().at(-1)).toMatchObject({ type: 'crawl.completed' });
  });

  it('is one: what is told after it is not sent', async () => {
    await using there = await receiver();
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'failed', failure: { code: 'CANCELLED', error: 'cancelled' } });
    addPage(outbox, 1);
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(there.bodies().map(({ type }) => type)).toEqual(['crawl.failed']);
    expect(outbox.undelivered()).toEqual([]);
  });

  it('leaves no socket, and one was enough', async () => {
    const sockets = new Set<unknown>();
    await using there = await receiver([
      ({ request, response }) => {
        sockets.add(request.socket);
        response.end('thanks');
      },
    ]);
    const outbox = openOutbox({ url: there.url });
    outbox.add({ event: 'started' });
    outbox.add({ event: 'completed' });
    await outbox.finished;
    expect(sockets.size).toBe(1);
    await expect.poll(() => there.server.openSockets).toBe(0);
  });
});
