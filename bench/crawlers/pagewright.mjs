// crawl() of the built package, streamed; without the cache, since the peers keep nothing either.
import { createClient } from '../../dist/index.js';
import { concurrency, origin, pages, report } from './peer.mjs';

const client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
const job = client.crawl(`${origin}/`, {
  limit: pages + 10,
  maxConcurrency: concurrency,
  keepDocuments: false,
});
const done = { pages: 0, characters: 0 };
for await (const { markdown } of job) {
  done.pages += 1;
  done.characters += markdown.length;
}
await client.close();
report(done);
