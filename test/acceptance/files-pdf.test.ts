/** PDFs over the network: to markdown and other formats, counted by the page, refused by code. */
import { readFileSync } from 'node:fs';
import { createClient } from 'pagewright';
import { serve, type SitePage } from 'pagewright/testing';
import { expect, it } from 'vitest';

const folder = new URL('../../fixtures/files/pdf/', import.meta.url);
const pdf = (name: string): Buffer => readFileSync(new URL(`${name}.pdf`, folder));
const served = (name: string, type: string): SitePage => ({
  headers: { 'content-type': type },
  body: pdf(name),
});

const client = createClient({ network: { allow: ['127.0.0.1'] } });

it('reads a PDF to markdown, links, tables and metadata, whatever the server calls it', async () => {
  await using server = await serve({
    '/minutes.pdf': served('libreoffice-tagged', 'application/pdf'),
    '/download': served('libreoffice-tagged', 'text/html'),
  });
  const formats = ['markdown', 'links', 'tables'] as const;
  const document = await client.scrape(server.url('/minutes.pdf'), { formats });
  expect(`${document.markdown}\n`).toBe(
    readFileSync(new URL('libreoffice-tagged.md', folder), 'utf8'),
  );
  expect(document.links).toEqual(['https://tidewater.test/report']);
  expect(document.tables).toHaveLength(1);
  expect(document.metadata).toMatchObject({
    title: 'Minutes of the harbour board',
    contentType: 'application/pdf',
    numPages: 1,
    creditsUsed: 1,
  });
  const disguised = await client.scrape(server.url('/download'), { formats });
  expect(disguised.markdown).toBe(document.markdown);
});

it('counts a credit for each page that is read, and one for the file itself', async () => {
  await using server = await serve({ '/a.pdf': served('running-heads', 'application/pdf') });
  const url = server.url('/a.pdf');
  const credits = async (parsers: Parameters<typeof client.scrape>[1]): Promise<unknown> =>
    (await client.scrape(url, { ...parsers, maxAge: 0 })).metadata.creditsUsed;
  expect(await credits({})).toBe(4);
  expect(await credits({ parsers: [{ type: 'pdf', maxPages: 3 }] })).toBe(3);
  expect(await credits({ parsers: [] })).toBe(1);
});

it('reads the same file in another way without stale pages from the cache', async () => {
  await using server = await serve({ '/a.pdf': served('running-heads', 'application/pdf') });
  const url = server.url('/a.pdf');
  const first = await client.scrape(url, { parsers: [{ type: 'pdf', maxPages: 1 }] });
  const marked = await client.scrape(url, { parsers: [{ type: 'pdf', pageMarkers: true }] });
  expect(first.markdown).not.toContain('Summer');
  expect(marked.markdown).toContain('<!-- page 4 -->\n\n# Winter');
});

it.each([
  ['encrypted', 'PDF_ENCRYPTED'],
  ['truncated', 'PDF_DAMAGED'],
])('%s.pdf rejects with %s and the URL', async (name, code) => {
  await using server = await serve({ '/a.pdf': served(name, 'application/pdf') });
  const url = server.url('/a.pdf');
  await expect(client.scrape(url)).rejects.toMatchObject({ code, url });
});

it('leaves the event loop free while a PDF is read', async () => {
  await using server = await serve({ '/a.pdf': served('two-columns', 'application/pdf') });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  await client.scrape(server.url('/a.pdf'));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(1);
});
