/** maxConcurrency and maxConcurrencyPerHost of a client, counted at the servers. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientOptions, createClient, type Engine, PagewrightError } from 'pagewright';
import { describe, expect, it, onTestFinished } from 'vitest';

/** What happens at a host, and what it is asked for in which order. */
interface Host {
  readonly origin: string;
  readonly paths: string[];
  /** Connections at a time, at most. */
  connections: number;
  /** Requests at a time, at most. */
  requests: number;
}

/** What all hosts of one test have under way. */
interface Web {
  open: number;
  most: number;
}

const page = (path: string): string => {
  const links = Array.from({ length: 20 }, (_, index) => `<a href="/p${index}">${index}</a>`);
  return `<title>${path}</title><main><h1>${path}</h1><p>Words of ${path}.</p>${links.join(' ')}</main>`;
};

/** A host that answers after some ms, or when it is told. */
async function startHost(
  web: Web,
  answer: (response: ServerResponse, path: string) => unknown = () => sleep(10),
): Promise<Host> {
  let [sockets, open] = [0, 0];
  const server = createServer((request, response) => {
    const { url: path = '/' } = request;
    host.paths.push(path);
    host.requests = Math.max(host.requests, (open += 1));
    web.most = Math.max(web.most, (web.open += 1));
    response.on('close', () => {
      open -= 1;
      web.open -= 1;
    });
    void Promise.resolve(answer(response, path)).then(() => {
      const isPage = !/robots|sitemap/.test(path);
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
      response.end(isPage ? page(path) : '');
    });
  });
  server.on('connection', (socket) => {
    host.connections = Math.max(host.connections, (sockets += 1));
    socket.on('close', () => (sockets -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const host: Host = { origin: `http://127.0.0.1:${port}`, paths: [], connections: 0, requests: 0 };
  return host;
}

const newWeb = (): Web => ({ open: 0, most: 0 });

function clientOf(options: ClientOptions): ReturnType<typeof createClient> {
  const made = createClient({ network: { allow: ['127.0.0.1'] }, cache: false, ...options });
  onTestFinished(() => made.close());
  return made;
}

const urls = ({ origin }: Host, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${origin}/p${index}`);

describe('maxConcurrencyPerHost', () => {
  it('bounds 60 scrapes at once: connections and requests', async () => {
    const host = await startHost(newWeb());
    const client = clientOf({ maxConcurrencyPerHost: 4 });
    const pages = await Promise.all(urls(host, 60).map((url) => client.scrape(url)));
    expect(pages.map(({ metadata }) => metadata.statusCode)).toEqual(Array(60).fill(200));
    expect(host).toMatchObject({ connections: 4, requests: 4 });
  });

  it('is 32 unless it is given, and 128 for all hosts', async () => {
    const web = newWeb();
    const hosts = await Promise.all(
      Array.from({ length: 5 }, () => startHost(web, () => sleep(400))),
    );
    const client = clientOf({});
    const all = hosts.flatMap((host) => urls(host, 40));
    await Promise.all(all.map((url) => client.scrape(url, { formats: [] })));
    expect(Math.max(...hosts.map(({ requests }) => requests))).toBe(32);
    expect(web.most).toBe(128);
  });
});

it('bounds scrapes, crawls, batches, maps and extractions together', async () => {
  const web = newWeb();
  const [one, other] = [await startHost(web), await startHost(web)];
  const client = clientOf({ maxConcurrency: 5, maxConcurrencyPerHost: 3 });
  const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
  const options = { scrapeOptions: { retries: 0 }, limit: 15 };
  const [crawl, further, batch, map, data, ...pages] = await Promise.all([
    client.crawl(`${one.origin}/`, options),
    client.crawl(`${other.origin}/`, { ...options, ignoreRobotsTxt: true }),
    client.batchScrape([...urls(one, 10), ...urls(other, 10)]),
    client.map(`${one.origin}/`),
    client.extract({ urls: urls(other, 5), schema }),
    ...urls(one, 10).map((url) => client.scrape(url)),
  ]);
  expect([crawl.completed, further.completed, batch.completed]).toEqual([15, 15, 20]);
  expect([map.links.length, Object.keys(data.data), pages.length]).toEqual([21, ['title'], 10]);
  for (const host of [one, other]) expect(host).toMatchObject({ connections: 3, requests: 3 });
  expect(web.most).toBe(5);
});

describe('a call that waits', () => {
  it('does not use up its timeout, alone or together with an equal one', async () => {
    // A second and a half for all of them: the least timeout is a second.
    const host = await startHost(newWeb(), () => sleep(250));
    const client = clientOf({ maxConcurrency: 1, cache: {} });
    const all = [...urls(host, 6), `${host.origin}/p5`];
    const pages = await Promise.all(
      all.map((url) => client.scrape(url, { timeout: 1000, retries: 0 })),
    );
    expect(pages).toHaveLength(7);
    expect(host).toMatchObject({
      requests: 1,
      paths: urls(host, 6).map((url) => new URL(url).pathname),
    });
  });

  it('is still ended by its own time once it has its turn', async () => {
    const host = await startHost(newWeb(), (_, path) =>
      path === '/p0' ? sleep(300) : sleep(60_000),
    );
    const client = clientOf({ maxConcurrency: 1 });
    const [, hanging] = await Promise.allSettled(
      urls(host, 2).map((url) => client.scrape(url, { timeout: 1000, retries: 0 })),
    );
    expect(hanging).toMatchObject({ reason: { code: 'TIMEOUT' } });
  });

  it('ends with its signal and leaves nothing: the next one goes on', async () => {
    const held: (() => void)[] = [];
    const host = await startHost(
      newWeb(),
      () => new Promise<void>((resolve) => held.push(resolve)),
    );
    const client = clientOf({ maxConcurrency: 1 });
    const [first = '', second = '', third = ''] = urls(host, 3);
    const under = client.scrape(first);
    const controller = new AbortController();
    const aborted = client.scrape(second, { signal: controller.signal });
    const last = client.scrape(third);
    await expect.poll(() => host.paths.length).toBe(1);
    controller.abort();
    // While the first one is still under way.
    await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(host.paths).toEqual(['/p0']);
    held[0]?.();
    await under;
    await expect.poll(() => held.length).toBe(2);
    held[1]?.();
    expect((await last).metadata.statusCode).toBe(200);
    expect(host.paths).toEqual(['/p0', '/p2']);
  });

  it('ends with the client', async () => {
    const host = await startHost(newWeb(), () => sleep(60_000));
    const client = clientOf({ maxConcurrency: 1 });
    const calls = urls(host, 5).map((url) => client.scrape(url));
    const ended = Promise.allSettled(calls);
    await expect.poll(() => host.paths.length).toBe(1);
    await client.close();
    for (const outcome of await ended) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'CANCELLED' } });
    }
    expect(host.paths).toHaveLength(1);
  });

  it('has its turn soon at a host that a job keeps busy, and at another host', async () => {
    const web = newWeb();
    const [busy, other] = [await startHost(web), await startHost(web)];
    const client = clientOf({ maxConcurrency: 2 });
    const batch = client.batchScrape(urls(busy, 60));
    await expect.poll(() => busy.paths.length).toBeGreaterThan(4);
    await Promise.all([client.scrape(`${busy.origin}/own`), client.scrape(`${other.origin}/own`)]);
    expect(busy.paths.length).toBeLessThan(50);
    expect((await batch).completed).toBe(60);
    expect(web.most).toBe(2);
  });
});

describe('a hook that asks its own client', () => {
  it('has the place of its page, with one request at a time', async () => {
    const web = newWeb();
    const [host, tokens] = [await startHost(web), await startHost(web)];
    const client = clientOf({ maxConcurrency: 1, maxConcurrencyPerHost: 1 });
    const asked: (string | undefined)[] = [];
    const job = client.crawl(`${host.origin}/`, {
      limit: 4,
      ignoreRobotsTxt: true,
      sitemap: 'skip',
      hooks: {
        beforeRequest: async ({ url, headers }) => {
          const pages = await Promise.all([
            client.scrape(`${tokens.origin}/token`),
            client.scrape(`${host.origin}/login`),
            client.batchScrape([`${host.origin}/rights`]),
          ]);
          asked.push(new URL(url).pathname);
          headers['x-token'] = String(pages.length);
        },
      },
    });
    const scraped = client.scrape(`${host.origin}/own`);
    const { completed, failed } = await job;
    expect({ completed, failed }).toEqual({ completed: 4, failed: 0 });
    expect((await scraped).metadata.statusCode).toBe(200);
    expect(asked.length).toBeGreaterThanOrEqual(4);
    expect(web.most).toBe(1);
  });

  it('gives the place back: what it leaves running waits like others', async () => {
    const web = newWeb();
    const host = await startHost(web);
    const client = clientOf({ maxConcurrency: 1 });
    const left: Promise<unknown>[] = [];
    const { completed } = await client.crawl(`${host.origin}/`, {
      limit: 3,
      ignoreRobotsTxt: true,
      sitemap: 'skip',
      hooks: {
        beforeRequest: () => {
          left.push(client.batchScrape(urls(host, 3)).then(({ completed: done }) => done));
        },
      },
    });
    expect(completed).toBe(3);
    expect(new Set(await Promise.all(left))).toEqual(new Set([3]));
  });
});

it('an engine of the caller may stop the clock of a request that waits in it', async () => {
  const engine: Engine = {
    name: 'slow',
    can: new Set(),
    cost: 0,
    async fetch({ url, pause, signal }) {
      const goOn = pause?.();
      await sleep(1200, undefined, { signal });
      goOn?.();
      const body = new TextEncoder().encode('<p>Late</p>');
      const headers = { 'content-type': 'text/html' };
      return {
        url,
        statusCode: 200,
        headers,
        body,
        engine: 'slow',
        redirects: [],
        warnings: [],
        requests: 1,
        bytes: body.length,
      };
    },
  };
  const client = clientOf({ engines: [engine] });
  const { markdown } = await client.scrape('http://127.0.0.1/', { timeout: 1000, retries: 0 });
  expect(markdown).toBe('Late');
});

describe('the numbers', () => {
  it.each(['maxConcurrency', 'maxConcurrencyPerHost'])('%s are from 1 to 1000', (name) => {
    for (const value of [0, 1.5, 1001, '4', Infinity]) {
      expect(() => createClient({ [name]: value })).toThrow(PagewrightError);
    }
    expect(() => createClient({ [name]: 1 })).not.toThrow();
  });

  it('of a job that are more than those of its client are a warning', async () => {
    const host = await startHost(newWeb());
    const client = clientOf({ maxConcurrency: 6, maxConcurrencyPerHost: 4 });
    const wanted = { maxConcurrency: 7, maxConcurrencyPerHost: 6 };
    const plain = { limit: 12, ignoreRobotsTxt: true, sitemap: 'skip' } as const;
    const { warning } = await client.crawl(`${host.origin}/`, { ...plain, ...wanted });
    expect(warning).toBe(
      'maxConcurrency: 7 is more than the 6 of the client, which hold for all its calls together. Raise them: createClient({ maxConcurrency }). ' +
        'maxConcurrencyPerHost: 6 is more than the 4 of the client, which hold for all its calls together. Raise them: createClient({ maxConcurrencyPerHost }).',
    );
    expect(host.requests).toBe(4);
    const batch = await client.batchScrape(urls(host, 3), { maxConcurrency: 7 });
    expect(batch.warning).toContain('maxConcurrency: 7 is more than the 6 of the client');
    const within = await client.crawl(`${host.origin}/`, { ...plain, maxConcurrency: 6 });
    expect(within.warning).toBeUndefined();
  });
});
