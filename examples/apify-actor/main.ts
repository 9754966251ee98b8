// An Apify Actor: the pages of a site as markdown, one item of the dataset each. On a machine of yours it reads the
// sample site: CRAWLEE_STORAGE_DIR=storage npx tsx examples/apify-actor/main.ts
import type { ProxyConfigurationOptions } from 'apify';
import { createClient } from 'pagewright';
import { keyvStore } from 'pagewright/storage';
import { fixturesEngine } from 'pagewright/testing';

// The image has this file alone, without `needs()` of the other examples.
const { Actor } = await import('apify').catch(() => {
  console.error('This example needs: npm i apify@3');
  return process.exit(1);
});

interface Input {
  startUrl: string;
  limit?: number;
  proxyConfiguration?: ProxyConfigurationOptions & { useApifyProxy?: boolean };
}

await Actor.init();
const input = (await Actor.getInput<Input>()) ?? { startUrl: 'https://lantern.test/docs/' };

// The run may move to another machine: its job is kept in its key-value store, whose keys have no "/".
const records = await Actor.openKeyValueStore();
const prefix = 'JOB-';
const recordOf = (key: string) => prefix + Buffer.from(key).toString('base64url');
const keyOf = (record: string) => Buffer.from(record.slice(prefix.length), 'base64url').toString();
const storage = keyvStore({
  get: (key) => records.getValue(recordOf(key)),
  set: (key, value) => records.setValue(recordOf(key), value, { contentType: 'text/plain' }),
  delete: (key) => records.setValue(recordOf(key), null),
  async *iterator() {
    for await (const record of records.keys({ prefix })) {
      yield [keyOf(record), await records.getValue(record)];
    }
  },
});

const proxies =
  input.proxyConfiguration && (await Actor.createProxyConfiguration(input.proxyConfiguration));
const pick = async () => {
  const url = await proxies?.newUrl();
  return url === undefined ? undefined : { url };
};
const sample = () =>
  fixturesEngine({ 'https://lantern.test': new URL('../sites/docs/', import.meta.url) });
const client = createClient({
  storage,
  ...(Actor.isAtHome() ? {} : { engines: [sample()] }),
  ...(proxies ? { proxy: { pick } } : {}),
});
Actor.on('migrating', () => client.close());
Actor.on('aborting', () => client.close());

// A run that moved gets the page again that it was about to write.
const [begun] = await client.jobs.list();
const job = begun
  ? client.jobs.resume(begun.id)
  : client.crawl(input.startUrl, { limit: input.limit ?? 100 });
for await (const { metadata, markdown } of job) {
  await Actor.pushData({ url: metadata.url, title: metadata.title, markdown });
  console.log(metadata.url);
}
for (const { url, code } of job.errors()) console.log(url, code);

await client.close();
await Actor.exit(`${job.progress.completed} pages`);
