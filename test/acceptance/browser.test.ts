/** What a demanding user asks of the browser first, through the client, in a real Chromium. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { mixedPages, mixedPagesFolder } from '../support/mixed-pages.ts';
import { usualAnd } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };

describe('engine auto', { timeout: 120_000 }, () => {
  let server: FixtureServer;
  let client: Client;
  beforeAll(async () => {
    server = await serve(mixedPagesFolder);
    client = createClient({ network });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  test('is right on mixed pages, and opens one page for each that is dynamic', async () => {
    for (const page of usualAnd(10, mixedPages)) {
      server.clearLog();
      const { markdown, rawHtml, metadata } = await client.scrape(server.url(page.path), {
        formats: ['markdown', 'rawHtml'],
        onlyMainContent: false,
      });
      const where = `${page.path}: ${metadata.engineReason}`;
      expect(metadata.engine, where).toBe(page.dynamic ? 'browser' : 'http');
      const found = page.in === 'title' ? rawHtml : markdown;
      expect(found.replace(/[\s\\*_]+/g, ' '), where).toContain(page.text);
      const documents = server.log.filter(({ url }) => url === page.path);
      expect(documents.length, where).toBe(page.dynamic ? 2 : 1);
    }
  });
});
