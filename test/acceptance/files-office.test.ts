/** Office files through scrape(): fetched from a server, every format works. */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let client: Client;
let files: FixtureServer;

beforeAll(async () => {
  client = createClient({ network: { allow: ['127.0.0.1'] }, cache: false });
  files = await serve('fixtures/files');
});

afterAll(async () => {
  await client.close();
  await files.close();
});

describe('office files', () => {
  it('gives a document as markdown, links, images, tables and chunks, with one request', async () => {
    files.clearLog();
    const url = files.url('/docx/order.docx');
    const document = await client.scrape(url, {
      formats: ['markdown', 'html', 'rawHtml', 'links', 'images', 'tables', 'chunks', 'summary'],
    });
    expect(files.log).toHaveLength(1);
    expect(document.markdown).toContain('## 1.2 Regeln\n\n1. Anmelden\n   1. beim Meister');
    expect(document.links).toEqual(
      expect.arrayContaining(['https://hafen.test/karte', 'https://hafen.test/f']),
    );
    expect(document.tables[0]).toMatchObject({ headers: ['Platz', 'Boot', 'Gast'] });
    expect(document.chunks.length).toBeGreaterThan(0);
    expect(document.html).toContain('<h2>1.1 Plätze</h2>');
    expect(document.metadata).toMatchObject({
      title: 'Ordnung des Hafens',
      author: 'Jörg Müßig',
      language: 'de-DE',
      publishedTime: '2024-05-17T08:00:00Z',
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      statusCode: 200,
      creditsUsed: 1,
    });
  });

  it('gives slides with their number, and says which were hidden', async () => {
    const document = await client.scrape(files.url('/pptx/harbour.pptx'));
    expect(document.markdown).toMatch(/^## The harbour/);
    expect(document.metadata.numPages).toBe(3);
    expect(document.warning).toContain('Hidden slides were left out: 3.');
  });

  it('gives the rows of a workbook as data', async () => {
    const document = await client.scrape(files.url('/xlsx/ledger.xlsx'), { formats: ['tables'] });
    expect(document.tables).toHaveLength(2);
    expect(document.warning).toContain('Hidden sheets were left out: "Scratch".');
  });

  it('gives values as a table', async () => {
    const document = await client.scrape(files.url('/csv/links.csv'));
    expect(document.markdown).toContain('| Harbour | https://harbour.test/ | a, b \\| c |');
  });
});
