// Tests of what you make of pages, without the web: a site on loopback that misbehaves, and a recording.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from 'pagewright';
import { flaky, openRecording, openReplay, serve } from 'pagewright/testing';

// What is tested: the titles of a part of a site.
async function titles(client: Client, url: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { metadata } of client.crawl(url, { limit: 5 }))
    found.push(metadata.title ?? '');
  return found;
}

const folder = await mkdtemp(join(tmpdir(), 'testing-'));
const file = join(folder, 'run.jsonl');

// A folder as a site; one of its pages fails twice before it answers.
const server = await serve(new URL('sites/docs/', import.meta.url), {
  behaviours: { '/docs/install.html': flaky({ failures: 2 }) },
});
const url = server.url('/docs/');
const recording = await openRecording(file);
const live = createClient({ engines: recording.engines, network: { allow: ['127.0.0.1'] } });
const expected = await titles(live, url);
console.log('live    ', expected);
console.log(
  server.log.filter(({ url }) => url === '/docs/install.html').length,
  'requests for one',
);
await live.close();
await recording.close();
await server.close();

// The same crawl without its site.
const replay = await openReplay(file);
const offline = createClient({ engines: replay.engines });
assert.deepEqual(await titles(offline, url), expected);
console.log('replayed the same');
await offline.close();
await rm(folder, { recursive: true });
