/** A crawl that is killed at any moment goes on as if nothing had happened. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkedSite } from '../../src/entries/testing/linked-site.ts';
import { serve } from '../../src/entries/testing/serve.ts';
import { isDeep, usualAnd } from '../support/deep.ts';
import { childStores, type ChildStores } from './child-stores.ts';
import { type JobEnd, jobToItsEnd, killAll } from './job-process.ts';
import { killAgainAndAgain } from './killed-job.ts';

const pages = isDeep('a crawl of 500 pages') ? 500 : 150;
const concurrency = 6;
const made = linkedSite({ pages, links: 4, seed: 7, sections: 10, failing: 0.02, sitemap: true });
const crawlOf = (url: string): string =>
  `client.crawl(${JSON.stringify(url)}, { maxConcurrency: ${concurrency}, limit: 2000 })`;

let stores: ChildStores;
/** The same crawl, not interrupted. */
let whole: JobEnd;

beforeAll(async () => {
  stores = await childStores();
  await using server = await serve(made.site);
  whole = await jobToItsEnd({ store: stores.files('whole'), job: crawlOf(server.url('/')) });
  expect(whole.urls.length).toBeGreaterThan(pages * 0.9);
}, 120_000);

afterAll(async () => {
  await killAll();
  await stores.close();
});

// All stores at once: most of the time a child begins, and waits for what that takes.
test.concurrent.each(usualAnd(1, ['files', 'SQLite', 'Redis', 'S3'] as const))(
  'killed again and again on %s it gives what it gives when it is left alone',
  async (name) => {
    const kills = isDeep(`20 kills on ${name}`) ? 20 : 3;
    await using server = await serve(made.site);
    const first = { store: stores[name]('killed'), job: crawlOf(server.url('/')) };
    const killed = await killAgainAndAgain(server, first, { kills, seed: 11, pages });
    const { end, read, events, begun, resumed } = killed;
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
    const delays = sortedOf(resumed.map(({ delay }) => delay));
    const work = sortedOf(resumed.map((one) => one.work));
    const middle = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? NaN;
    process.stdout.write(
      `${name}: ${fetchedAgain} pages fetched again, ${again} given again, first new request after ` +
        `${delays[0]?.toFixed(0)} to ${delays.at(-1)?.toFixed(0)} ms, median ${middle(delays).toFixed(0)} ms (a new crawl ${begun.delay.toFixed(0)} ms), ` +
        `${middle(work).toFixed(0)} ms of processor time (a new crawl ${begun.work.toFixed(0)} ms)\n`,
    );
    // Nobody waits for a dead process; and what it takes to come to something new is work, which is
    // counted as such, because a busy machine is slow.
    // The server of S3 is in this process, and asks its share of the machine.
    expect((delays[0] ?? NaN) - begun.delay).toBeLessThan(name === 'S3' ? 20_000 : 2000);
    expect(middle(work) - begun.work).toBeLessThan(2000);
  },
  600_000,
);

function sortedOf(numbers: readonly number[]): readonly number[] {
  return numbers.filter((one) => !Number.isNaN(one)).sort((a, b) => a - b);
}
