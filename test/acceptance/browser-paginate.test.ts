/** Documents of several pages, through a real browser. */
import { createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: FixtureServer;

const rows = (page: number): string =>
  [1, 2, 3].map((row) => `<li><a href="${page}-${row}">Lamp ${page}.${row}</a></li>`).join('');

const list = (page: number): string => `<title>Lamps ${page}</title><header>Shop</header>
  <main><h1>Lamps</h1><ul>${rows(page)}</ul></main>
  <nav>${page < 3 ? `<a href="/${page + 1}/">Next</a>` : ''}</nav><footer>Imprint</footer>`;

beforeAll(async () => {
  server = await serve({ '/1/': list(1), '/2/': list(2), '/3/': list(3) });
});

afterAll(() => server.close());

test('one document has the rows and links of all pages', async () => {
  await using client = createClient({ network: { allow: ['127.0.0.1'] } });
  const document = await client.scrape(server.url('/1/'), {
    timeout: 90_000,
    formats: ['markdown', 'links'],
    onlyMainContent: false,
    actions: [{ type: 'paginate' }],
  });
  expect(document.markdown.match(/Lamp \d\.\d|Imprint|^# .*/gm)).toEqual([
    '# Lamps',
    ...[1, 2, 3].flatMap((page) => [1, 2, 3].map((row) => `Lamp ${page}.${row}`)),
    'Imprint',
  ]);
  expect(document.links).toContain(server.url('/3/3-2'));
  expect(document.metadata).toMatchObject({ title: 'Lamps 1', url: server.url('/1/') });
  expect(document.actions).toMatchObject({ paginations: [{ pages: 3, end: 'none' }], pages: [] });
}, 120_000);

test('or there is one document for each', async () => {
  await using client = createClient({ network: { allow: ['127.0.0.1'] } });
  const { metadata, markdown, actions } = await client.scrape(server.url('/1/'), {
    timeout: 90_000,
    formats: ['markdown'],
    actions: [{ type: 'paginate', as: 'pages', max: 2 }],
  });
  expect(metadata.title).toBe('Lamps 1');
  expect(markdown).not.toContain('Lamp 2.1');
  expect(actions?.pages.map((page) => [page.metadata.url, page.metadata.title])).toEqual([
    [server.url('/1/'), 'Lamps 1'],
    [server.url('/2/'), 'Lamps 2'],
  ]);
  expect(actions?.pages[1]?.['markdown']).toContain('Lamp 2.3');
}, 120_000);
