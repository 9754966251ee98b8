// The images and files of a page, a folder of markdown with them, and the captions of a film.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { writeMarkdownFolder } from 'pagewright/export';
import { serve } from 'pagewright/testing';

const text = 'A lamp gives light where there was none before. '.repeat(10);
const site = await serve({
  '/': `<title>Lamps</title><main><h1>Lamps</h1><p>${text}</p>
    <p><img src="/lamp.svg" alt="A lamp"> See <a href="/manual.pdf">the manual</a>.</p>
    <video><track kind="captions" src="/film.vtt" srclang="en"></video><p>${text}</p></main>`,
  '/lamp.svg': '<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>',
  '/manual.pdf': { body: '%PDF-1.7' },
  '/film.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.500\n<b>Let there be light.</b>',
});
// Only because the site is on this machine.
const client = createClient({ network: { allow: ['127.0.0.1'] } });

const page = await client.scrape(site.origin, {
  engine: 'http',
  formats: ['markdown', 'transcripts'],
  assets: { images: true, files: ['pdf'] },
});
for (const asset of page.assets ?? []) {
  const bytes = await client.readAsset(asset);
  console.log(asset.kind, asset.contentType, bytes?.length, asset.alt ?? '');
}
for (const { language, cues } of page.transcripts) console.log(language, cues);

const folder = await mkdtemp(join(tmpdir(), 'assets-'));
await writeMarkdownFolder([page], folder, { readAsset: (asset) => client.readAsset(asset) });
const markdown = await readFile(join(folder, 'index.md'), 'utf8');
console.log(markdown.match(/\]\(assets\/[^)]*\)/g));

await client.close();
await site.close();
await rm(folder, { recursive: true });
