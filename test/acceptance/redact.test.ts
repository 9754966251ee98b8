/** `redact`: personal data is in no format, no question to a model and no store. */
import {
  createClient,
  type Client,
  type ClientOptions,
  memoryStore,
  type ScrapeOptions,
  type Store,
} from '../../src/index.ts';
import type { RedactFunction } from '../../src/content/text/redactor.ts';
import { documentOf } from '../../src/core/jobs/durable/stored-value.ts';
import { type FixtureServer, scriptedModel, serve } from '../../src/entries/testing/index.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../support/failure.ts';
import { docxOf, paragraph, workbookOf } from '../support/office-file.ts';
import { onePage, pdfOf, shown } from '../support/pdf-file.ts';

const redact = ['email', 'phone', 'card', 'iban', 'ip', 'ssn'] as const;

/** In no result, whatever is asked for. */
const secrets = [
  'jane',
  'x.org',
  '1234567',
  '4111',
  'DE89',
  '0532',
  '192.168',
  '078-05',
  '555-0123',
];

const page = `<!doctype html><html><head><title>Write to jane@x.org</title>
<meta name="description" content="Call +49 30 1234567"><meta property="og:title" content="jane@x.org">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Person","name":"J","email":"jane@x.org","telephone":"+49 30 1234567"}</script>
</head><body><!-- jane@x.org --><main data-mail="jane@x.org"><h1>Contact</h1>
<p>Our address is ja<b>ne@x.</b>org or <a href="mailto:jane@x.org?cc=jane@x.org">mail</a>, <a href="tel:+49301234567">call</a>,
jane&#64;x.org, ja&shy;ne@x.org, <a href="/kettle?mail=jane%40x.org" title="jane@x.org">profile</a>.</p>
<p>The account is DE89 3704 0044 0532 0130 00, the card 4111 1111 1111 1111, the server 192.168.1.20.</p>
<table><tr><th>Name</th><th>Contact</th></tr><tr><td>A</td><td>jane@x.org</td></tr><tr><td>B</td><td>078-05-1120 or (202) 555-0123</td></tr></table>
<img src="/a.png" alt="Portrait of jane@x.org"><p>A kettle costs 1,299.00 EUR since 01.02.2024.</p>
<a href="/lamp">Lamp of jane@x.org</a></main></body></html>`;

const lamp =
  '<!doctype html><title>Lamp</title><main><p>Ask jane@x.org, +49 30 1234567.</p></main>';

let site: FixtureServer;
beforeAll(async () => {
  site = await serve({ '/': page, '/lamp': lamp, '/kettle': lamp, '/missing': lamp });
});
afterAll(() => site.close());

const clientOf = (options: ClientOptions = {}): Client =>
  createClient({
    ...options,
    network: { allow: ['127.0.0.1'] },
    logger: { warn: () => undefined },
  });

function expectNone(value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}

describe('a document', () => {
  test('has none of it in any format', async () => {
    await using client = clientOf();
    const document = await client.scrape(site.url('/'), {
      redact,
      onlyMainContent: false,
      formats: [
        ...(['markdown', 'html', 'rawHtml', 'links', 'images', 'modelText', 'tables'] as const),
        ...(['structuredData', 'chunks', 'summary', 'product'] as const),
        { type: 'attributes', selectors: [{ selector: 'main', attribute: 'data-mail' }] },
        { type: 'highlights', query: 'address account' },
        { type: 'json', schema: { type: 'object', properties: { email: { type: 'string' } } } },
      ],
    });
    expectNone(document);
    const { markdown, json, metadata, structuredData, attributes } = document;
    expect(markdown).toContain('Our address is [email] or [mail](mailto:[email]?cc=[email])');
    expect(markdown).toContain('The account is [iban], the card [card], the server [ip].');
    expect(markdown).toContain('| B | [ssn] or [phone] |');
    expect(markdown).toContain('A kettle costs 1,299.00 EUR since 01.02.2024.');
    expect(json).toEqual({ email: '[email]' });
    expect(structuredData.jsonLd).toMatchObject([{ email: '[email]', telephone: '[phone]' }]);
    expect(attributes[0]?.values).toEqual(['[email]']);
    expect(metadata).toMatchObject({ title: 'Write to [email]', description: 'Call [phone]' });
    expect(metadata.redactions).toEqual({ card: 1, email: 1, iban: 1, ip: 1, phone: 2, ssn: 1 });
    // Every format is loaded for it.
  }, 60_000);

  test('has none of it in names of elements and attributes, in styles and in links that dial', async () => {
    const html = `<main><p>Jane Doe <jane@x.org><b>wrote</b> and <i jane@x.org id="a">signed</i>.</p>
      <p style="background:url(/a.php?mail=jane@x.org)" class="by-jane@x.org">030/1234567</p>
      <a href="tel:030/1234567">call</a><a href="https://wa.me/49301234567/x">write</a></main>`;
    await using client = clientOf();
    const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'] as const;
    const { markdown, rawHtml } = await client.parse(html, { formats, redact });
    for (const text of [markdown, rawHtml]) expectNone(text);
    expect(markdown).toContain('[call](tel:[phone])');
    expect(rawHtml).toContain('<b>wrote</b> and <i id="a">signed</i>');
  });

  test('has none of it in signs of other scripts', async () => {
    await using client = clientOf();
    const html = `<p>電話：０３－１２３４－５６７８</p><p>ｊａｎｅ＠ｘ．ｏｒｇ</p><p>هاتف: +٤٩ ٣٠ ١٢٣٤٥٦٧</p><p>दूरभाष: +९१ ९८ १२३४ ५६७८</p>`;
    const { markdown } = await client.parse(html, { redact });
    expect(markdown.match(/\[(?:phone|email)\]/g)).toEqual([
      '[phone]',
      '[email]',
      '[phone]',
      '[phone]',
    ]);
  });

  test('has none of it where `redact` is a default: parse() and map() have it, too', async () => {
    await using client = clientOf({ defaults: { scrape: { redact } } });
    expectNone((await client.parse(page, { formats: ['markdown', 'rawHtml'] })).rawHtml);
    const { links } = await client.map(site.url('/'));
    expect(links.map(({ title }) => title)).toContain('Write to [email]');
    expectNone(links.map(({ title, description }) => [title, description]));
    await using other = clientOf();
    const own = await other.map(site.url('/'), { redact: ['email'] });
    expect(own.links[0]?.description).toBe('Call +49 30 1234567');
  });

  test('is the same without the option, and says nothing of redactions', async () => {
    await using client = clientOf();
    const { markdown, metadata } = await client.scrape(site.url('/lamp'), { redact: [] });
    expect(markdown).toContain('Ask jane@x.org, +49 30 1234567.');
    expect(metadata).not.toHaveProperty('redactions');
  });

  test('keeps what was not asked for', async () => {
    await using client = clientOf();
    const { markdown } = await client.scrape(site.url('/lamp'), { redact: ['email'] });
    expect(markdown).toContain('Ask [email], +49 30 1234567.');
  });

  test.each([
    ['application/json', '{"to":"jane@x.org","card":4111111111111111}'],
    ['text/plain', 'Write to jane@x.org'],
    ['text/csv', 'name,mail\nA,jane@x.org\n'],
    ['application/xml', '<a to="jane@x.org">jane&#64;x.org</a>'],
    [
      'application/rss+xml',
      '<rss version="2.0"><channel><title>T</title><item><title>To jane@x.org</title><author>jane@x.org</author><link>https://a.test/</link></item></channel></rss>',
    ],
    [
      'message/rfc822',
      'From: jane@x.org\r\nTo: jane@x.org\r\nSubject: Hi\r\n\r\nCall +49 30 1234567',
    ],
  ])('of %s has none of it', async (contentType, content) => {
    await using client = clientOf();
    const document = await client.parse(content, {
      contentType,
      redact,
      formats: ['markdown', 'html', 'rawHtml', 'modelText'],
    });
    expectNone(document);
    expect(document.markdown).toContain('[email]');
  });

  test('of a page for a worker is the one of the caller’s thread', async () => {
    const long = `<main>${'<p>Ask jane@x.org about it.</p>'.repeat(10_000)}</main>`;
    await using client = clientOf();
    const options = { contentType: 'text/html', formats: ['markdown', 'rawHtml'] } as const;
    const sent = await client.parse(long, { ...options, redact: ['email'] });
    const here = await client.parse(long, { ...options, redact: ['email', () => []] });
    expect(sent.markdown).toBe(here.markdown);
    expect(sent.rawHtml).toBe(here.rawHtml);
    expect(sent.metadata.redactions).toEqual({ email: 1 });
    expectNone(sent);
    // A worker is started.
  }, 60_000);

  test('has what a function finds under its name', async () => {
    const find: RedactFunction = (text) =>
      [...text.matchAll(/kettle/gi)].map(({ index }) => ({
        type: 'thing',
        start: index,
        end: index + 6,
      }));
    await using client = clientOf();
    const { markdown } = await client.scrape(site.url('/'), { redact: [find] });
    expect(markdown).toContain('A [thing] costs 1,299.00 EUR');
  });
});

test('no model gets it', async () => {
  const asked: string[] = [];
  const model = scriptedModel(({ system, prompt }) => {
    asked.push(system, prompt);
    if (system.startsWith('You answer')) return { answer: 'It is [email].', quotes: ['[email]'] };
    if (system.startsWith('You choose')) return { passages: [1] };
    if (system.startsWith('You take')) return { email: '[email]' };
    return { summary: 'Write to [email].' };
  });
  await using client = clientOf({ model });
  const schema = { type: 'object', properties: { email: { type: 'string' } } } as const;
  const document = await client.scrape(site.url('/'), {
    redact,
    formats: [
      ...(['markdown', 'summary'] as const),
      { type: 'question', question: 'Who answers?' },
      { type: 'highlights', query: 'Who answers?' },
      { type: 'json', prompt: 'The address', schema },
    ],
  });
  const extracted = await client.extract({
    urls: [site.url('/')],
    schema,
    prompt: 'The address',
    provenance: true,
    scrapeOptions: { redact },
  });
  expect(asked.length).toBeGreaterThanOrEqual(8);
  expect(asked.join()).toContain('[email]');
  expectNone(asked);
  expectNone(document);
  expectNone(extracted);
});

describe('a store', () => {
  test('has none of it after a crawl, and the crawl follows the same links', async () => {
    const storage = memoryStore();
    await using client = clientOf({ storage });
    const { data } = await client.crawl(site.url('/'), {
      crawlEntireDomain: true,
      // The frontier needs the URLs to visit as they are.
      excludePaths: ['kettle'],
      scrapeOptions: {
        redact,
        formats: ['markdown', 'rawHtml', { type: 'changeTracking', modes: ['git-diff'] }],
      },
    });
    expect(data.map(({ metadata }) => new URL(metadata.url).pathname)).toEqual(['/', '/lamp']);
    expectNone(data);
    const texts = await textsOf(storage);
    expect(texts.some((text) => text.includes('[email]'))).toBe(true);
    for (const text of texts) {
      // The URL that is left out is reported as it is.
      expectNone(text.replaceAll(/kettle\?mail=jane(?:%40|@)x\.org/g, ''));
    }
  });

  test('has a page only without the option', async () => {
    const storage = memoryStore();
    await using client = clientOf({ storage });
    await client.scrape(site.url('/lamp'), { redact });
    expect(await textsOf(storage)).toEqual([]);
    await client.scrape(site.url('/lamp'));
    expect((await textsOf(storage)).join()).toContain('jane@x.org');
  });

  test('that has it from before gives no diff with it', async () => {
    await using client = clientOf({ storage: memoryStore() });
    const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'] }] as const;
    await client.scrape(site.url('/lamp'), { formats });
    const { changeTracking } = await client.scrape(site.url('/lamp'), { formats, redact });
    expect(changeTracking?.changeStatus).toBe('changed');
    expectNone(changeTracking);
  });
});

/** Keys and values, as they are and unpacked. */
async function textsOf(storage: Store): Promise<string[]> {
  const texts: string[] = [];
  for await (const key of storage.list('')) {
    const value = (await storage.get(key)) ?? new Uint8Array();
    texts.push(key, Buffer.from(value).toString('latin1'));
    try {
      texts.push(JSON.stringify(documentOf(value)));
    } catch {
      // It is none.
    }
  }
  return texts;
}

describe('a job', () => {
  test('sums what was redacted, also when it is killed and resumed, and once it has ended', async () => {
    // The duplicate of a page is no document, and is not counted.
    const duplicate = `<p>Second: 192.168.1.20. ${'It is long enough to be a duplicate. '.repeat(20)}</p>`;
    await using server = await serve({
      '/': `<p>jane@x.org</p>${['a', 'b', 'c', 'd'].map((path) => `<a href="/${path}">${path}</a>`).join('')}`,
      '/a': '<p>First: jane@x.org, jim@x.org and +49 30 1234567.</p>',
      '/b': duplicate,
      '/c': duplicate,
      '/d': '<p>Last: jane@x.org and (202) 555-0123.</p>',
    });
    const sums = { email: 4, phone: 2, ip: 1 };
    const scrapeOptions = { redact, formats: ['markdown'] } as const;
    for (const killed of [1, 3]) {
      const storage = memoryStore();
      const first = clientOf({ storage, cache: false });
      const job = first.crawl(server.url('/'), { scrapeOptions, maxConcurrency: 1 });
      let seen = 0;
      for await (const _ of job) if (++seen === killed) break;
      await first.close();
      await using second = clientOf({ storage, cache: false });
      const resumed = await second.jobs.resume(job.id);
      expect(resumed.redactions).toEqual(sums);
      expectNone(resumed.data);
      await using third = clientOf({ storage, cache: false });
      expect((await third.jobs.resume(job.id).status()).redactions).toEqual(sums);
      for (const text of await textsOf(storage)) expectNone(text);
    }
    await using client = clientOf();
    const urls = ['/a', '/b'].map((path) => server.url(path));
    const batch = await client.batchScrape(urls, scrapeOptions);
    expect(batch.redactions).toEqual({ email: 2, phone: 1, ip: 1 });
    expect(await client.batchScrape(urls)).not.toHaveProperty('redactions');
  });
});

describe('a file', () => {
  const words = 'Mail jane@x.org, call +49 30 1234567';
  test.each([
    ['contact.pdf', pdfOf(onePage(shown(words)))],
    ['contact.docx', docxOf(paragraph(words))],
    [
      'contact.xlsx',
      workbookOf(
        `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${words}</t></is></c></row></sheetData>`,
      ),
    ],
  ])('has none of it: %s', async (name, body) => {
    await using server = await serve({ [`/${name}`]: { body } });
    await using client = clientOf();
    const document = await client.scrape(server.url(`/${name}`), {
      redact,
      formats: ['markdown', 'html', 'chunks', 'summary'],
    });
    expect(document.markdown).toContain('Mail [email], call [phone]');
    expect(document.metadata.redactions).toEqual({ email: 1, phone: 1 });
    expectNone(document);
  });
});

describe('an option that would show the page as it is', () => {
  const refused: [string, ScrapeOptions][] = [
    ['the format screenshot', { formats: ['screenshot'] }],
    ['the action screenshot', { actions: [{ type: 'screenshot' }] }],
    ['the action pdf', { actions: [{ type: 'pdf' }] }],
    ['parsers without "pdf"', { parsers: [] }],
  ];
  test.each(refused)('is refused: %s', async (name, options) => {
    await using client = clientOf();
    const error = await failure(client.scrape(site.url('/'), { ...options, redact: ['email'] }));
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.message).toContain(`redact: ${name} would return`);
  });

  test('is refused: repeated blocks, until which pages are kept', async () => {
    await using client = clientOf();
    const options = { removeRepeatedBlocks: true, scrapeOptions: { redact } };
    expect(() => client.crawl(site.url('/'), options)).toThrow('leave out removeRepeatedBlocks');
  });

  test('and an unknown kind is refused by name', async () => {
    await using client = clientOf();
    // @ts-expect-error: it is none of the kinds.
    const error = await failure(client.scrape(site.url('/'), { redact: ['mail'] }));
    expect(error).toMatchObject({ code: 'BAD_REQUEST' });
    expect(error.message).toContain('"email", "phone", "card", "iban", "ip", "ssn" or a function');
  });
});
