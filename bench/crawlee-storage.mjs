// The pages of a site, read as our crawl reads them, with the queue and the results in Crawlee's own storage.
import { setTimeout as sleep } from 'node:timers/promises';
import { Configuration, Dataset, EventManager, log, RequestQueueV1 } from '@crawlee/core';
import { MemoryStorage } from '@crawlee/memory-storage';

const concurrency = 8;

/** Crawls `pages` pages; with a folder each request and each document is a file there, as Crawlee keeps them. */
export async function crawlWithCrawlee(client, origin, pages, folder) {
  const persistStorage = folder !== undefined;
  const config = new Configuration({ persistStorage, purgeOnStart: false });
  // The default one asks for the state of the machine every second.
  config.useEventManager(new (class extends EventManager {})(config));
  config.useStorageClient(
    new MemoryStorage({ persistStorage, writeMetadata: false, localDataDirectory: folder }),
  );
  const queue = await RequestQueueV1.open('bench', { config });
  queue.log.setLevel(log.LEVELS.OFF);
  const results = await Dataset.open('bench', { config });
  await queue.addRequest({ url: `${origin}/` });
  let taken = 0;
  let inFlight = 0;
  const visit = async ({ url }) => {
    const response = await fetch(url);
    const contentType = response.headers.get('content-type');
    const page = await client.parse(await response.arrayBuffer(), {
      url,
      contentType,
      formats: ['markdown', 'links'],
    });
    const links = page.links.filter((link) => link.startsWith(origin));
    await queue.addRequests(links.map((link) => ({ url: link })));
    await results.pushData(page);
  };
  const work = async () => {
    while (taken < pages) {
      const request = await queue.fetchNextRequest();
      if (request === null) {
        if (inFlight === 0 && (await queue.isFinished())) return;
        await sleep(1);
        continue;
      }
      taken += 1;
      inFlight += 1;
      await visit(request);
      await queue.markRequestHandled(request);
      inFlight -= 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const { itemCount = 0 } = (await results.getInfo()) ?? {};
  if (itemCount < pages) throw new Error(`Crawlee kept ${itemCount} pages of ${pages}.`);
}
