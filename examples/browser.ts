// Pages that a script fills in: a browser opens where a page needs one.
// It needs Chromium or Chrome.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

const rowsByScript = `<title>Boats</title><div id="app"></div><script>
setTimeout(() => {
  document.querySelector('#app').innerHTML = '<h1>Boats</h1><ul></ul><button>More</button>';
  const list = document.querySelector('ul');
  const add = () => {
    for (let i = 0; i < 3; i++) list.insertAdjacentHTML('beforeend', '<li>Boat ' + (list.children.length + 1) + ' lies in the harbour.</li>');
  };
  document.querySelector('button').onclick = add;
  add();
}, 200);
</script>`;
const site = await serve({
  '/static': '<h1>Tides</h1><p>High water is at six in the morning, and again after sunset.</p>',
  '/app': rowsByScript,
});

const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
const client = createClient({
  network: { allow: ['127.0.0.1'] },
  // Keeps pictures as files; without it the document has them as data: URLs.
  assets: async ({ bytes, scrapeId }) => {
    const file = join(folder, `${scrapeId}.png`);
    await writeFile(file, bytes);
    return file;
  },
});

for (const path of ['/static', '/app']) {
  const { metadata } = await client.scrape(site.url(path));
  console.log(`${path}: engine ${metadata.engine} (${metadata.engineReason})`);
}

const page = await client.scrape(site.url('/app'), {
  formats: ['markdown', { type: 'screenshot', fullPage: true }],
  actions: [
    { type: 'wait', selector: 'button' },
    { type: 'click', selector: 'button' },
    { type: 'executeJavascript', script: 'document.querySelectorAll("li").length' },
  ],
});
console.log(page.markdown);
console.log('entries:', page.actions?.javascriptReturns[0]?.value);
console.log(`The picture is a file: ${page.screenshot.startsWith(folder)}`);

await client.close();
await site.close();
await rm(folder, { recursive: true });
