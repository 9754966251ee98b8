import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWarc, writeMarkdownFolder, writeWarc } from '../../../src/entries/export/index.ts';
import { createClient, type PageAsset } from '../../../src/index.ts';
import { serve } from '../../../src/entries/testing/index.ts';
import { smallPng } from '../../support/small-png.ts';
import { emptyFolder, filesIn, gather, page } from './documents.ts';

const text = 'A lamp gives light where there was none before. '.repeat(12);
const html = (body: string): string =>
  `<html><body><main><article><h1>Lamps</h1><p>${text}</p>${body}<p>${text}</p></article></main></body></html>`;

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

test('images and files lie beside the markdown, each once, and links to them are relative', async () => {
  const lamp = smallPng(20, 10);
  await using server = await serve({
    '/': html(
      `<img src="/lamp.png" srcset="/lamp-large.png 2x" alt="A lamp"><p>See <a href="/docs/manual%20(1).pdf#page=2">the manual</a>. <a href="/b/c">More</a></p>`,
    ),
    '/b/c': html('<p>Again: <img src="/copy.png" alt="B"> <img src="/gone.png" alt="C"></p>'),
    '/lamp-large.png': { body: lamp },
    '/copy.png': { body: lamp },
    '/docs/manual%20(1).pdf': { body: '%PDF-1.4' },
  });
  await using client = createClient({ network: { allow: ['127.0.0.1'] }, browser: false });
  const job = client.crawl(server.url('/'), {
    excludePaths: ['\\.pdf$'],
    scrapeOptions: { assets: { images: true, files: ['pdf'] } },
  });
  const folder = emptyFolder();
  const readAsset = (asset: PageAsset) => client.readAsset(asset);
  await writeMarkdownFolder(job, folder, { readAsset, relativeLinks: true });
  const files = filesIn(folder);
  expect(files).toEqual([
    expect.stringMatching(/^assets\/lamp-large-[0-9a-f]{16}\.png$/),
    expect.stringMatching(/^assets\/manual \(1\)-[0-9a-f]{16}\.pdf$/),
    'b/c.md',
    'index.md',
  ]);
  const [image = '', manual = ''] = files;
  expect(readFileSync(join(folder, image))).toEqual(lamp);
  expect(read(folder, manual)).toBe('%PDF-1.4');
  const start = read(folder, 'index.md');
  expect(start).toContain(`![A lamp](${image})`);
  const linked = manual.replace(' (1)', '%20%281%29');
  expect(start).toContain(`[the manual](${linked}#page=2)`);
  const other = read(folder, 'b/c.md');
  expect(other).toContain(`![B](../${image})`);
  expect(other).toContain(`![C](${server.url('/gone.png')})`);
});

test('names are safe whatever the URL, and what is not an asset is left alone', async () => {
  const folder = emptyFolder();
  const bytes = smallPng(1, 1);
  const asset = (url: string, more = {}) => ({ url, key: 'k', contentType: 'image/png', ...more });
  const urls = [
    'https://x.test/..%2f..%2fetc%2fpasswd.png',
    'https://x.test/CON.png',
    'https://x.test/',
    `https://x.test/${'n'.repeat(500)}.png`,
    'https://x.test/a%00b%3Cc%3E.png?x=/../../y',
  ];
  const markdown = urls.map((url) => `![a](${url})`).join('\n');
  const assets = [
    ...urls.map((url) => asset(url)),
    null,
    'text',
    { url: 'https://x.test/no-key.png', contentType: 'image/png' },
    asset('not a url'),
    asset('https://x.test/type.png', { contentType: 'a\r\nb' }),
  ];
  let count = 0;
  const readAsset = () => Promise.resolve(Buffer.concat([bytes, Buffer.from([(count += 1)])]));
  await writeMarkdownFolder([page('https://x.test/p', { markdown, assets })], folder, {
    readAsset,
  });
  const names = filesIn(folder).filter((name) => name !== 'p.md');
  expect(count).toBe(urls.length);
  expect(names).toHaveLength(urls.length);
  for (const name of names) {
    expect(name).toMatch(/^assets\/[^/\\:<>"|?*\0]{1,200}-[0-9a-f]{16}\.png$/);
    expect(name).not.toContain('/../');
  }
  expect(names.filter((name) => name.startsWith('assets/CON_-'))).toHaveLength(1);
  expect(read(folder, 'p.md')).not.toContain('](https://');
});

test('without a reader, and for files that are gone, links stay', async () => {
  const url = 'https://x.test/a.png';
  const documents = [
    page('https://x.test/p', {
      markdown: `![a](${url})`,
      assets: [{ kind: 'image', url, key: 'assets/0', contentType: 'image/png' }],
    }),
  ];
  const options = [{}, { readAsset: () => Promise.resolve(undefined) }];
  for (const option of options) {
    const folder = emptyFolder();
    await writeMarkdownFolder(documents, folder, option);
    expect(filesIn(folder)).toEqual(['p.md']);
    expect(read(folder, 'p.md')).toContain(`![a](${url})`);
  }
});

test('a web archive has the files as records of their own', async () => {
  const file = join(emptyFolder(), 'site.warc.gz');
  const url = 'https://x.test/a.png';
  const asset = { kind: 'image', url, key: 'assets/0', contentType: 'image/png' };
  const bytes = smallPng(2, 2);
  const documents = ['https://x.test/p', 'https://x.test/q'].map((one) =>
    page(one, { rawHtml: '<p>', assets: [asset] }),
  );
  await writeWarc(documents, file, { readAsset: () => Promise.resolve(bytes) });
  const records = await gather(readWarc(file));
  expect(records.map((record) => record.url)).toEqual([
    'https://x.test/p',
    url,
    'https://x.test/q',
  ]);
  expect(records[1]).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
  expect(Buffer.from(records[1]?.body ?? [])).toEqual(bytes);
});
