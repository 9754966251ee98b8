/** Files over the wire: what a scrape, a crawl and a map make of them. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from 'pagewright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryWeb } from '../support/memory-web.ts';

const fixture = (path: string): Buffer =>
  readFileSync(new URL(`../../fixtures/files/${path}`, import.meta.url));
const expected = (path: string): string => fixture(`${path}.md`).toString().trimEnd();

/** Each path with its type and body; the types of the last ones lie. */
const files: Readonly<Record<string, readonly [type: string | undefined, body: Buffer]>> = {
  '/feed.xml': ['application/xml', fixture('feeds/rss091.xml')],
  '/mail.eml': ['application/octet-stream', fixture('email/forward.eml')],
  '/talk.srt': ['text/plain', fixture('subtitles/talk.srt')],
  '/tide.py': ['text/plain; charset=utf-8', fixture('source/tide.py')],
  '/handbook.zip': ['application/zip', fixture('archives/handbook.zip')],
  '/handbook.tar.gz': ['text/html', fixture('archives/handbook.tar.gz')],
  '/picture': ['text/html', fixture('images/dusk.png')],
  '/film.mp4': ['text/html', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0', 'latin1')],
};

const documents = [
  'pdf',
  'docx',
  'doc',
  'xlsx',
  'xls',
  'pptx',
  'odt',
  'ods',
  'rtf',
  'epub',
  'csv',
  'tsv',
  'md',
  'txt',
  'xml',
  'rss',
  'atom',
  'json',
  'yaml',
  'py',
  'eml',
  'srt',
  'vtt',
  'PPTX',
].map((extension) => `/docs/file.${extension}`);
const assets = ['png', 'jpg', 'svg', 'mp4', 'mp3', 'zip', 'exe', 'css', 'woff2'].map(
  (extension) => `/docs/file.${extension}`,
);

let server: Server;
let client: Client;
let origin: string;
const log: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '/';
    log.push(path);
    const [type, body] = files[path] ?? [];
    if (body !== undefined) {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body);
    } else if (path === '/') {
      const links = [...documents, ...assets].map((href) => `<a href="${href}">${href}</a>`);
      response.setHeader('content-type', 'text/html').end(`<p>Files</p>${links.join(' ')}`);
    } else if (path === '/archives/') {
      response
        .setHeader('content-type', 'text/html')
        .end('<p>Archives</p><a href="/handbook.zip">a</a> <a href="/film.mp4">b</a>');
    } else response.writeHead(404).end('none');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createClient({ network: { allow: ['127.0.0.1'] } });
});
afterAll(async () => {
  await client.close();
  server.close();
});

describe('scrape', () => {
  it.each([
    ['/feed.xml', 'feeds/rss091.xml'],
    ['/mail.eml', 'email/forward.eml'],
    ['/talk.srt', 'subtitles/talk.srt'],
    ['/tide.py', 'source/tide.py'],
  ])('%s is a document', async (path, file) => {
    const { markdown } = await client.scrape(origin + path);
    expect(markdown.trimEnd()).toBe(expected(file));
  });

  it.each([
    ['/handbook.zip', 'archives/handbook.zip'],
    ['/handbook.tar.gz', 'archives/handbook.tar.gz'],
  ])('%s is read where it is asked for, on a thread', async (path, file) => {
    const parsers = ['archive' as const];
    const { markdown, warning } = await client.scrape(origin + path, { parsers });
    expect(markdown.trimEnd()).toBe(expected(file));
    expect(warning).toContain('blob.bin');
    await expect(client.scrape(origin + path)).rejects.toMatchObject({
      code: 'UNSUPPORTED_CONTENT',
    });
  });

  it('a picture under HTML is a picture, with one request', async () => {
    log.length = 0;
    const page = await client.scrape(`${origin}/picture`, { formats: ['markdown', 'images'] });
    expect(page.markdown).toBe(
      `![Sunset](${origin}/picture)\n\nPNG image, 64 × 48 pixels, 676 bytes\n\nThe harbour at dusk\n\nBy Ada Quay`,
    );
    expect(page.images).toEqual([`${origin}/picture`]);
    expect(page.metadata.contentType).toBe('image/png');
    expect(log).toEqual(['/picture']);
  });

  it('a film under HTML is refused by its type, with one request', async () => {
    log.length = 0;
    await expect(client.scrape(`${origin}/film.mp4`)).rejects.toMatchObject({
      code: 'UNSUPPORTED_CONTENT',
      message: expect.stringContaining('is video/mp4') as string,
    });
    expect(log).toEqual(['/film.mp4']);
  });
});

describe('crawl and map', () => {
  it('follow links to documents by their type, and say what they left', async () => {
    const job = client.crawl(origin, { sitemap: 'skip', ignoreRobotsTxt: true });
    await job;
    const reached = new Set(log);
    expect(documents.filter((path) => !reached.has(path))).toEqual([]);
    expect(assets.filter((path) => reached.has(path))).toEqual([]);
    const left = job.skipped().filter(({ reason }) => reason === 'FILE_TYPE');
    expect(left.map(({ url }) => new URL(url).pathname)).toEqual(assets);
  });

  it('map lists the documents', async () => {
    const { links } = await client.map(origin, { sitemap: 'skip' });
    const paths = links.map(({ url }) => new URL(url).pathname);
    expect(paths).toEqual(['/', ...documents]);
  });

  it('crawl reads archives where it is asked for, and nothing else of that kind', async () => {
    const options = { sitemap: 'skip', ignoreRobotsTxt: true, crawlEntireDomain: true } as const;
    const start = `${origin}/archives/`;
    const plain = client.crawl(start, options);
    expect((await plain).data).toHaveLength(1);
    expect(plain.skipped().map(({ rule }) => rule)).toEqual(['.zip', '.mp4']);
    for (const scrapeOptions of [
      { parsers: ['archive' as const] },
      () => ({ parsers: [{ type: 'archive' as const }] }),
    ]) {
      const job = client.crawl(start, { ...options, scrapeOptions });
      const { data } = await job;
      expect(data.map(({ metadata }) => new URL(metadata.url).pathname)).toEqual([
        '/archives/',
        '/handbook.zip',
      ]);
      const left = job.skipped().filter(({ reason }) => reason === 'FILE_TYPE');
      expect(left.map(({ rule }) => rule)).toEqual(['.mp4']);
    }
  });
});

describe('exportShareLinks', () => {
  const link = 'https://github.com/acme/tool/blob/main/README.md';
  const file = 'https://raw.githubusercontent.com/acme/tool/main/README.md';
  const pages = {
    [link]: '<p>A page around a file</p>',
    [file]: { type: 'text/plain', body: '# Tool\n' },
    'http://site.test/': `<p>Start</p><a href="${link}">source</a>`,
  };

  it('fetches the file and keeps the link as its source', async () => {
    const web = memoryWeb(pages);
    await using own = createClient({ engines: [web] });
    const { markdown, metadata } = await own.scrape(link, { exportShareLinks: true });
    expect(markdown).toBe('# Tool\n');
    expect(metadata).toMatchObject({ sourceURL: link, url: file });
    expect(web.log).toEqual([file]);
    expect((await own.scrape(link, { maxAge: 0 })).markdown).toBe('A page around a file');
  });

  it('sends no header of the caller to another site', async () => {
    let sent: Readonly<Record<string, string>> | undefined;
    const web = memoryWeb(pages);
    const engine = {
      ...web,
      fetch: (request: Parameters<typeof web.fetch>[0]) => {
        sent = request.headers;
        return web.fetch(request);
      },
    };
    await using own = createClient({ engines: [engine] });
    const headers = { Authorization: 'Bearer secret', Cookie: 'a=1', 'X-Api-Key': 'secret' };
    await own.scrape(link, { exportShareLinks: true, headers });
    expect(sent).toBeDefined();
    expect(Object.keys(sent ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(authorization|cookie|x-api-key)$/)]),
    );
    expect(JSON.stringify(sent)).not.toContain('secret');
  });

  it('works for the pages of a crawl', async () => {
    const web = memoryWeb(pages);
    await using own = createClient({ engines: [web] });
    const { data } = await own.crawl('http://site.test/', {
      sitemap: 'skip',
      ignoreRobotsTxt: true,
      allowExternalLinks: true,
      scrapeOptions: { exportShareLinks: true },
    });
    expect(data.map(({ markdown }) => markdown)).toContain('# Tool\n');
  });

  it('wants true or false', async () => {
    await using own = createClient({ engines: [memoryWeb(pages)] });
    await expect(own.scrape(link, { exportShareLinks: 'yes' as never })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('exportShareLinks') as string,
    });
  });
});
