/** Recordings of version 1, as they are in fixtures/recordings: every later release reads them. */
import { describe, expect, test } from 'vitest';
import { createClient } from 'pagewright';
import { openReplay } from 'pagewright/testing';

describe.each(['harbour.jsonl', 'harbour.warc.gz'])('%s', (name) => {
  test('is crawled, two of its pages as a browser rendered them', async () => {
    const replay = await openReplay(`fixtures/recordings/${name}`);
    await using client = createClient({ engines: replay.engines });
    const job = client.crawl('http://127.0.0.1:8123/', {
      sitemap: 'skip',
      includePaths: ['^/(docs|table|client-shop|react-like)/'],
      maxConcurrency: 1,
      scrapeOptions: { onlyMainContent: false },
    });
    const pages: (readonly [string, string | undefined, string])[] = [];
    for await (const { metadata, markdown } of job) {
      const { pathname } = new URL(metadata.url);
      pages.push([pathname, metadata.engine, /^# .*$/m.exec(markdown)?.[0] ?? '']);
    }
    expect(pages).toEqual([
      ['/docs/', 'http', '# Mounting an application'],
      ['/table/', 'http', '# High water in May'],
      ['/client-shop/', 'browser', '# Chandlery'],
      ['/react-like/', 'browser', '# Sail lockers'],
    ]);
    expect(job.errors()).toEqual([]);
    expect(replay.unused()).toEqual([]);
  });
});
