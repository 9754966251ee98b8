import { describe, expect, test } from 'vitest';
import { createClient, memoryStore } from '../../../src/index.ts';
import type { Asset } from '../../../src/core/model/snapshot.ts';
import { serve } from '../../../src/entries/testing/index.ts';
import { smallPng } from '../../support/small-png.ts';

const network = { allow: ['127.0.0.1'] };
const program = Buffer.from('7f454c46020101000000', 'hex');
const html = Buffer.from('<html><title>Caf\xe9</title><a href="/program">x</a>', 'latin1');
const site = {
  '/': { body: html, headers: { 'content-type': 'text/html; charset=latin1' } },
  '/lamp.png': { body: smallPng(4, 4) },
  '/program': { body: program, headers: { 'content-type': 'application/octet-stream' } },
};

describe('the bytes as they were received', () => {
  test.each([
    ['/', html, 'text/html'],
    ['/lamp.png', smallPng(4, 4), 'image/png'],
    ['/program', program, 'application/x-elf'],
  ])('%s', async (path, bytes, contentType) => {
    await using server = await serve(site);
    await using client = createClient({ network, browser: false });
    const { rawBase64, metadata, warning } = await client.scrape(server.url(path), {
      formats: ['rawBase64'],
    });
    expect(Buffer.from(rawBase64, 'base64')).toEqual(bytes);
    expect(metadata).toMatchObject({ contentType, statusCode: 200 });
    expect(warning).toBeUndefined();
  });
});

test('together with other formats the page is parsed', async () => {
  await using server = await serve(site);
  await using client = createClient({ network, browser: false });
  const formats = ['rawBase64', 'links'] as const;
  const { links, metadata } = await client.scrape(server.url('/'), { formats });
  expect(links).toEqual([server.url('/program')]);
  expect(metadata.title).toBe('Café');
  await expect(client.scrape(server.url('/program'), { formats })).rejects.toMatchObject({
    code: 'UNSUPPORTED_CONTENT',
  });
});

test('the same from the cache, from stored jobs, and of content that the caller brings', async () => {
  await using server = await serve(site);
  await using client = createClient({ network, browser: false, storage: memoryStore() });
  const options = { formats: ['rawBase64'] as const };
  const base64 = program.toString('base64');
  const url = server.url('/program');
  await client.scrape(url, options);
  expect((await client.scrape(url, { ...options, cacheOnly: true })).rawBase64).toBe(base64);
  const job = client.batchScrape([url], options);
  expect((await job).data.map(({ rawBase64 }) => rawBase64)).toEqual([base64]);
  expect((await client.parse(program, options)).rawBase64).toBe(base64);
});

test('a crawl gives files that no parser reads, and follows the links of its pages', async () => {
  await using server = await serve(site);
  await using client = createClient({ network, browser: false });
  const { data } = await client.crawl(server.url('/'), {
    scrapeOptions: { formats: ['rawBase64'] },
    sitemap: 'skip',
  });
  expect(data.map(({ rawBase64 }) => Buffer.from(rawBase64, 'base64'))).toEqual([html, program]);
});

test("the client's assets keep the bytes, and their text stands for them", async () => {
  await using server = await serve(site);
  const given: Asset[] = [];
  await using client = createClient({
    network,
    browser: false,
    assets: (asset) => `file-${given.push(asset)}`,
  });
  const { rawBase64, metadata } = await client.scrape(server.url('/lamp.png'), {
    formats: ['rawBase64'],
  });
  expect(rawBase64).toBe('file-1');
  expect(given).toEqual([
    {
      kind: 'raw',
      mediaType: 'image/png',
      url: server.url('/lamp.png'),
      bytes: smallPng(4, 4),
      scrapeId: metadata.scrapeId,
    },
  ]);
});

test('refused together with redact; larger bodies than the limit are errors', async () => {
  await using server = await serve(site);
  await using client = createClient({ network, browser: false });
  const formats = ['rawBase64'] as const;
  await expect(
    client.scrape(server.url('/'), { formats, redact: ['email'] }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(
    client.scrape(server.url('/lamp.png'), { formats, limits: { bodyBytes: 10 } }),
  ).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
});
