// Pages that a script fills in: a browser is opened where one is needed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

// A site of this repository on loopback; public sites need no `network`.
const site = await serve('fixtures/apps');
const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
const client = createClient({
  network: { allow: ['127.0.0.1'] },
  // What it gives stands in the document; without it that is a data: URI.
  assets: async ({ bytes, scrapeId }) => {
    const file = join(folder, `${scrapeId}.png`);
    await writeFile(file, bytes);
    return file;
  },
});

for (const path of ['/article/', '/client-shop/']) {
  const { markdown, metadata } = await client.scrape(site.url(path));
  console.log(`${path}: engine ${metadata.engine} (${metadata.engineReason})`);
  console.log(markdown.split('\n', 3).join('\n'), '\n');
}

const page = await client.scrape(site.url('/infinite-list/'), {
  formats: ['markdown', { type: 'screenshot', fullPage: true }],
  actions: [
    { type: 'scrollToEnd' },
    { type: 'executeJavascript', script: 'document.querySelectorAll("li").length' },
  ],
});
console.log(`${page.actions?.javascriptReturns[0]?.value} entries; picture in ${page.screenshot}`);

await client.close();
await site.close();
await rm(folder, { recursive: true });
