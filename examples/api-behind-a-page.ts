// The API behind a page: the JSON that its scripts load, without reading its HTML.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { writeHar } from 'pagewright/export';
import { serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

// A page that is empty until its script has loaded the items.
const site = await serve({
  '/': `<!doctype html><title>Lamps</title><ul id="list"></ul><script>
    fetch('/api/lamps?page=1').then((response) => response.json()).then(({ lamps }) => {
      document.querySelector('#list').innerHTML = lamps.map(({ name }) => '<li>' + name).join('');
    });</script>`,
  '/api/lamps': {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lamps: [{ name: 'Brass lamp', price: 49, url: '/lamps/brass' }] }),
  },
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const page = await client.scrape(site.url('/'), {
  formats: [{ type: 'requests', bodies: '/api/' }],
  waitFor: { response: '/api/lamps' },
});
for (const { method, url, status, json } of page.requests) {
  console.log(method, url, status, json === undefined ? '' : JSON.stringify(json));
}

const { links } = await client.map(site.origin, { endpoints: true });
for (const { url, sources } of links) console.log(url, sources.join('+'));

const file = join(await mkdtemp(join(tmpdir(), 'requests-')), 'page.har');
await writeHar([page], file);
console.log((await readFile(file, 'utf8')).includes('"version":"1.2"'));

await client.close();
await site.close();
