import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, defineFormat, ExtractError, type Parser } from 'pagewright';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { memoryWeb, pageOf } from '../../support/memory-web.ts';
import { allFormats, endlessPage, heavyPage, turnsDuring, watchThreads } from './heavy-page.ts';
import { rareTest } from '../../support/deep.ts';

const url = 'http://site.test/';
const html = { url, contentType: 'text/html' };
const filler = `<p>${'Words that make the page heavy. '.repeat(12_000)}</p>`;
const heavier = (page: string): string => page.replace('</main>', `${filler}</main>`);

/** Formats of a caller's own keep a page where the caller is. */
const here = defineFormat({ name: 'here', needs: 'page', run: () => true });

describe('scrape and parse', () => {
  it('give the same document from a thread, byte for byte', async () => {
    using workers = watchThreads();
    await using client = createClient();
    const page = heavyPage();
    const there = await client.parse(page, { ...html, formats: allFormats });
    expect(workers.started).toBe(1);
    const { here: _, ...document } = await client.parse(page, {
      ...html,
      formats: [...allFormats, here],
    });
    expect(workers.started).toBe(1);
    const { scrapeId } = there.metadata;
    const expected = { ...document, metadata: { ...document.metadata, scrapeId } };
    expect(JSON.stringify(there)).toBe(JSON.stringify(expected));
    expect(there.markdown.length).toBeGreaterThan(1000);
  });

  it('start no thread for a light page', async () => {
    using workers = watchThreads();
    await using client = createClient({ engines: [memoryWeb({ [url]: pageOf('Light') })] });
    await client.scrape(url, { formats: allFormats });
    expect(workers.started).toBe(0);
  });

  it('end at the deadline while the process goes on', async () => {
    using workers = watchThreads();
    await using client = createClient();
    const work = client.parse(endlessPage(), { ...html, formats: allFormats, timeout: 1000 });
    const outcome = expect(work).rejects.toMatchObject({ code: 'TIMEOUT', url });
    const turns = await turnsDuring(work);
    await outcome;
    expect(turns).toBeGreaterThan(10);
    expect(workers.started).toBe(1);
  });

  it('end when they are aborted', async () => {
    await using client = createClient();
    const controller = new AbortController();
    const { signal } = controller;
    const work = client.parse(endlessPage(), { ...html, formats: allFormats, signal });
    const outcome = expect(work).rejects.toMatchObject({ code: 'CANCELLED', url });
    let abortedAt = 0;
    setTimeout(() => {
      abortedAt = performance.now();
      controller.abort();
    }, 300);
    await outcome;
    expect(performance.now() - abortedAt).toBeLessThan(5000);
  });

  it('leave no thread when the client is closed', async () => {
    using workers = watchThreads();
    const client = createClient();
    await client.parse(heavyPage(), html);
    const work = client.parse(endlessPage(), { ...html, formats: allFormats });
    const outcome = expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
    await client.close();
    await outcome;
    expect(workers.started).toBeGreaterThan(0);
    expect(workers.alive).toBe(0);
  });

  it('refuse on a thread what they refuse anywhere', async () => {
    await using client = createClient();
    const limits = { nodes: 5 };
    await expect(client.parse(heavyPage(), { ...html, limits })).rejects.toMatchObject({
      name: 'PagewrightError',
      code: 'PARSE_LIMIT',
      url,
    });
  });
});

describe('what is the caller’s own stays where the caller is', () => {
  it('a parser that reads the page', async () => {
    using workers = watchThreads();
    const shout: Parser = {
      name: 'shout',
      accepts: (mediaType) => mediaType === 'text/plain',
      parse: ({ url, statusCode, body }, { mediaType }) => ({
        kind: 'text',
        url,
        baseUrl: url,
        statusCode,
        mediaType,
        warnings: [],
        source: '',
        markdown: `${body.length} BYTES`,
      }),
    };
    await using client = createClient({ parsers: [shout] });
    const text = await client.parse('words '.repeat(100_000), { url, contentType: 'text/plain' });
    expect(text.markdown).toBe('600000 BYTES');
    expect(workers.started).toBe(0);
    await client.parse(heavyPage(), html);
    expect(workers.started).toBe(1);
  });

  it('the transforms of a schema, and its verdict', async () => {
    using workers = watchThreads();
    await using client = createClient();
    const page = heavier(
      pageOf('Lamp').replace('<ul>', '<dl><dt>Price</dt><dd>12.50 EUR</dd></dl><ul>'),
    );
    const schema = z.object({ price: z.number().transform((price) => price * 2) });
    const { json } = await client.parse(page, { ...html, formats: [{ type: 'json', schema }] });
    expect(json).toEqual({ price: 25 });
    const wrong = z.object({ price: z.number().max(5), weight: z.number() });
    const failing = client.parse(page, { ...html, formats: [{ type: 'json', schema: wrong }] });
    await expect(failing).rejects.toBeInstanceOf(ExtractError);
    await expect(failing).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      url,
      issues: [{ path: ['price'] }, { path: ['weight'], message: 'weight: not found on the page' }],
    });
    expect(workers.started).toBeGreaterThan(0);
  });

  rareTest('the counting of tokens: the markdown is made on a thread, and cut here', async () => {
    using workers = watchThreads();
    await using client = createClient();
    const calls: string[] = [];
    const countTokens = (text: string): number => calls.push(text) && Math.ceil(text.length / 4);
    const formats = [{ type: 'chunks', countTokens }, 'markdown'] as const;
    const { chunks, markdown } = await client.parse(heavyPage(), { ...html, formats });
    expect(workers.started).toBe(1);
    expect(calls.length).toBeGreaterThan(chunks.length);
    const bare = (text: string): string => text.replace(/\s+/g, '');
    expect(bare(chunks.map(({ text }) => text).join('\n'))).toBe(bare(markdown));
    for (const { text, tokens } of chunks) expect(tokens).toBe(Math.ceil(text.length / 4));
  });

  it('a JSON Schema that cannot be sent', async () => {
    await using client = createClient();
    const page = heavier(pageOf('Lamp').replace('<ul>', '<dl><dt>Price</dt><dd>12.50</dd></dl>'));
    const schema = {
      type: 'object',
      properties: { price: { type: 'number', 'x-note': () => 'a function' } },
    } as const;
    const { json } = await client.parse(page, { ...html, formats: [{ type: 'json', schema }] });
    expect(json).toEqual({ price: 12.5 });
  });
});

describe('the other verbs', () => {
  const site = memoryWeb({
    [url]: heavier(pageOf('Home', ['/a', '/b', 'mailto:x@site.test'])),
    [`${url}a`]: heavier(pageOf('A', ['/c'])),
    // The same text at another address.
    [`${url}b`]: heavier(pageOf('A', ['/c'])),
    [`${url}c`]: pageOf('C'),
  });

  it('crawl: heavy pages have their links, and twins are one document', async () => {
    using workers = watchThreads();
    await using client = createClient({ engines: [site] });
    const job = client.crawl(url, { sitemap: 'skip' });
    const { data } = await job;
    expect(workers.started).toBeGreaterThan(0);
    expect(data.map(({ metadata }) => metadata.title)).toEqual(['Home', 'A', 'C']);
    expect(job.explain(`${url}b`)).toMatchObject({
      state: 'skipped',
      reason: 'DUPLICATE_CONTENT',
      rule: `${url}a`,
    });
    expect(job.explain('mailto:x@site.test')).toMatchObject({ reason: 'PROTOCOL', parent: url });
  });

  it('map: heavy pages give title and links', async () => {
    using workers = watchThreads();
    await using client = createClient({ engines: [site] });
    const { links } = await client.map(url, { sitemap: 'skip' });
    expect(workers.started).toBeGreaterThan(0);
    expect(links).toMatchObject([
      { url, title: 'Home' },
      { url: `${url}a`, title: 'A' },
      { url: `${url}b`, title: 'A' },
      { url: `${url}c`, title: 'to /c' },
    ]);
  });

  it('extract: heavy pages give data', async () => {
    using workers = watchThreads();
    await using client = createClient({ engines: [site] });
    const schema = z.object({ title: z.string() });
    const { data } = await client.extract({ urls: [url], schema });
    expect(workers.started).toBeGreaterThan(0);
    expect(data).toEqual({ title: 'Home' });
  });
});

describe('the built package', () => {
  const built = new URL('../../../dist/index.js', import.meta.url).href;
  const run = (script: string, ...flags: string[]): string =>
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const parseHeavy = `
    import { parse } from '${built}';
    const threads = [];
    process.on('worker', (thread) => threads.push(thread));
    process.on('warning', ({ name, message }) => console.log(name, message));
    const { markdown } = await parse('<p>' + 'words '.repeat(100_000), { contentType: 'text/html' });
    console.log(threads.length, markdown.length);
  `;

  rareTest('ends by itself after a heavy page, without close', () => {
    expect(run(parseHeavy)).toBe('1 599999\n');
  });

  it('reads heavy pages where the caller is when it may have no threads, and says so', () => {
    const permission = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission';
    const output = run(parseHeavy, permission, '--allow-fs-read=*');
    expect(output).toMatch(/^0 599999$/m);
    expect(output).toMatch(/PagewrightWarning No thread can be started .*--allow-worker/);
  });

  it('tries once where the file of the thread is missing, however many pages wait for it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-bundle-'));
    try {
      cpSync(new URL('../../../dist', import.meta.url), join(folder, 'dist'), { recursive: true });
      cpSync(new URL('../../../package.json', import.meta.url), join(folder, 'package.json'));
      symlinkSync(new URL('../../../node_modules', import.meta.url), join(folder, 'node_modules'));
      rmSync(join(folder, 'dist/chunks/worker.js'));
      const output = run(`
        import { createClient } from '${join(folder, 'dist/index.js')}';
        import { fixturesEngine } from '${join(folder, 'dist/entries/testing/index.js')}';
        let threads = 0;
        process.on('worker', () => (threads += 1));
        process.on('warning', ({ message }) => console.log(message));
        const site = fixturesEngine({ 'http://site.test': 'fixtures/sites/blog' });
        const client = createClient({ engines: [site] });
        const urls = Array.from({ length: 60 }, (_, page) => 'http://site.test/en/rye-bread.html?' + page);
        const { data } = await client.batchScrape(urls, { maxConcurrency: 32 });
        console.log(threads, data.length);
        await client.close();
      `);
      expect(output).toMatch(/^1 60$/m);
      expect(output).toMatch(/^No thread can be started/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
