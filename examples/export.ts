// A part of a site as a folder of markdown files, a web archive and an llms.txt, and back.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import * as files from 'pagewright/export';

const folder = await mkdtemp(join(tmpdir(), 'export-'));
const pages = join(folder, 'pages.jsonl');
const archive = join(folder, 'site.warc.gz');

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const job = client.crawl('https://lantern.test/docs/', {
  limit: 5,
  scrapeOptions: { formats: ['markdown', 'rawHtml'] },
});
await files.writeJsonl(job, pages);

await files.writeMarkdownFolder(files.readJsonl(pages), join(folder, 'site'), {
  relativeLinks: true,
});
for await (const { markdown, metadata } of files.readMarkdownFolder(join(folder, 'site'))) {
  console.log(metadata.url, `${markdown.length} characters`);
}

await files.writeWarc(files.readJsonl(pages), archive);
for await (const { url, headers, body } of files.readWarc(archive)) {
  const page = await client.parse(body, { url, contentType: headers['content-type'] });
  console.log(page.metadata.title);
}

await files.writeLlmsTxt(files.readJsonl(pages), join(folder, 'llms.txt'));
console.log(await readFile(join(folder, 'llms.txt'), 'utf8'));

await client.close();
await rm(folder, { recursive: true });
