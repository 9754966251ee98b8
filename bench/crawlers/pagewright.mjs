// crawl() of the built package, streamed; without the cache, since the peers keep nothing either. With
// YOUNG_MEMORY, the threads that read have a young generation of so many megabytes.
import { syncBuiltinESMExports } from 'node:module';
import threads, { Worker } from 'node:worker_threads';
import { createClient } from '../../dist/index.js';
import { concurrency, origin, pages, report } from './peer.mjs';

const young = process.env['YOUNG_MEMORY'];
if (young !== undefined) {
  threads.Worker = class extends Worker {
    constructor(file, options) {
      const { resourceLimits } = options;
      const maxYoungGenerationSizeMb = Number(young);
      super(file, { ...options, resourceLimits: { ...resourceLimits, maxYoungGenerationSizeMb } });
    }
  };
  syncBuiltinESMExports();
}

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
