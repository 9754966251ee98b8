// A crawl is recorded once, and replayed without its site: for tests of what you make of pages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { openRecording, openReplay, serve } from 'pagewright/testing';

const folder = await mkdtemp(join(tmpdir(), 'replay-'));
const file = join(folder, 'run.jsonl');

async function titles(client, url) {
  const found = [];
  for await (const page of client.crawl(url, { limit: 5 })) found.push(page.metadata.title);
  return found;
}

const server = await serve('fixtures/sites/docs');
const url = server.url('/docs/');

const recording = await openRecording(file);
const live = createClient({ engines: recording.engines, network: { allow: ['127.0.0.1'] } });
console.log('live    ', await titles(live, url));
await live.close();
await recording.close();
await server.close();

const replay = await openReplay(file);
const offline = createClient({ engines: replay.engines });
console.log('replayed', await titles(offline, url));
await offline
  .scrape(`${url}other.html`)
  .catch((error) => console.log(error.message.replace(file, 'run.jsonl')));
await offline.close();
await rm(folder, { recursive: true });
