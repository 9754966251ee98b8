/** A crawl that is killed at any moment goes on as if nothing had happened. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/testing/linked-site.ts';
import { type FixtureServer, serve } from '../../src/testing/serve.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import {
  concurrency,
  type CrawlEnd,
  killAgainAndAgain,
  linesOf,
  said,
  startCrawl,
  type StoreInChild,
} from './killed-crawl.ts';

const pages = 1000;
const kills = 20;
const made = linkedSite({ pages, links: 4, seed: 7, sections: 10, failing: 0.02, sitemap: true });

let server: FixtureServer;
let redis: RedisServer;
let folder: string;
/** The same crawl, not interrupted. */
let whole: CrawlEnd;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pagewright-kills-'));
  redis = await startRedis();
  server = await serve(made.site);
  const child = startCrawl(server.url('/'), files('whole'));
  const lines = linesOf(child);
  await new Promise((resolve) => child.once('close', resolve));
  whole = JSON.parse(said(lines, 'end')[0] ?? '') as CrawlEnd;
  expect(whole.urls.length).toBeGreaterThan(pages * 0.9);
}, 120_000);

afterAll(async () => {
  await server.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

function files(name: string): StoreInChild {
  const path = JSON.stringify(join(folder, name));
  return { module: 'storage/file-store', expression: `fileStore(${path})` };
}

const stores: Readonly<Record<string, () => StoreInChild>> = {
  files: () => files('killed'),
  SQLite: () => ({
    module: 'storage/sqlite-store',
    expression: `sqliteStore({ file: ${JSON.stringify(join(folder, 'jobs.sqlite'))} })`,
  }),
  Redis: () => ({
    module: 'storage/redis-store',
    expression: `redisStore({ url: ${JSON.stringify(redis.url)} })`,
  }),
};

test.each(Object.entries(stores))(
  'killed 20 times on %s it gives what it gives when it is left alone',
  async (name, store) => {
    server.clearLog();
    const killed = await killAgainAndAgain(server, store(), { kills, seed: 11, pages });
    const { end, read, events, baseline, delays } = killed;
    expect(killed.kills).toBe(kills);

    // The same documents in the same order, byte for byte, none twice.
    expect(end.urls).toEqual(whole.urls);
    expect(end.digest).toBe(whole.digest);
    expect(new Set(end.urls).size).toBe(end.urls.length);
    // A loop goes on behind what a loop was done with: what was on its way at a kill is given again.
    const given = new Set<string>();
    for (const run of read) for (const url of run) given.add(url);
    expect([...given]).toEqual(whole.urls);
    const again = read.flat().length - given.size;
    expect(again).toBeLessThanOrEqual(kills * 40);
    // Listeners hear of each once, unless a kill came between the document and the event.
    expect(new Set(events).size).toBe(events.length);
    expect(events.length).toBeGreaterThanOrEqual(whole.urls.length - kills * 2);

    // Fetched again are only pages that were on their way.
    const counts = new Map<string, number>();
    for (const { url } of server.log) counts.set(url, (counts.get(url) ?? 0) + 1);
    const isPage = ([url]: [string, number]): boolean => !/robots|sitemap/.test(url);
    const isSound = ([url]: [string, number]): boolean => !made.failing.has(url);
    const fetchedAgain = [...counts]
      .filter(isPage)
      .filter(isSound)
      .reduce((sum, [, n]) => sum + n - 1, 0);
    expect(fetchedAgain).toBeLessThanOrEqual(kills * concurrency);

    // The books close, and are those of the whole job.
    const { discovered, completed, failed, skipped, pending } = end.progress;
    expect(discovered).toBe(Number(completed) + Number(failed) + Number(skipped) + Number(pending));
    for (const key of ['discovered', 'completed', 'failed', 'skipped', 'creditsUsed', 'usage']) {
      expect(end.progress[key]).toEqual(whole.progress[key]);
    }
    const sorted = [...delays].sort((a, b) => a - b);
    process.stdout.write(
      `${name}: ${fetchedAgain} pages fetched again, ${again} given again, first new request after ` +
        `${sorted[sorted.length >> 1]?.toFixed(0)} ms (median; ${baseline.toFixed(0)} ms of a new crawl), ${sorted.at(-1)?.toFixed(0)} ms at most\n`,
    );
    // Most of it is what any crawl needs to begin, which is long on a busy machine.
    expect((sorted[sorted.length >> 1] ?? 0) - baseline).toBeLessThan(2000);
  },
  300_000,
);
