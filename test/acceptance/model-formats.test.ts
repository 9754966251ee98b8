/** question, highlights and summary in every verb that makes documents, with what they share. */
import { type Client, createClient, PagewrightError } from 'pagewright';
import { type FixtureServer, modelTurn, scriptedModel, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const page = (name: string, days: string): string =>
  `<!doctype html><html lang="en"><title>${name}</title><main><h1>${name}</h1><p>A ${name} of steel.</p>
<p>Delivery takes ${days} days.</p><a href="/kettle">Kettle</a> <a href="/lamp">Lamp</a></main></html>`;

let site: FixtureServer;

beforeAll(async () => {
  site = await serve({ '/kettle': page('kettle', '2'), '/lamp': page('lamp', '5') });
});
afterAll(() => site.close());

/** Answers from what it reads. */
const reader = scriptedModel(({ system, prompt }) => {
  const quote = /Delivery takes \d days/.exec(prompt)?.[0] ?? '';
  if (system.startsWith('You answer')) return { answer: `${quote}.`, quotes: [quote] };
  if (system.startsWith('You choose')) return { passages: [2] };
  return { summary: `${quote}.` };
});

const formats = [
  'markdown',
  { type: 'question', question: 'How long does delivery take?' },
  { type: 'highlights', query: 'delivery' },
  'summary',
] as const;

function clientWith(model = reader): Client {
  return createClient({ model, network: { allow: ['127.0.0.1'] } });
}

const days = (url: string | undefined): string => (url?.endsWith('/lamp') === true ? '5' : '2');

describe('documents of jobs', () => {
  test('have them in a batch, with the usage of each page', async () => {
    await using client = clientWith();
    const { data } = await client.batchScrape([site.url('/kettle'), site.url('/lamp')], {
      formats,
    });
    expect(data).toHaveLength(2);
    for (const { question, highlights, summary, metadata } of data) {
      const text = `Delivery takes ${days(metadata.url)} days`;
      expect(question).toMatchObject({ answer: `${text}.`, status: 'supported' });
      expect(highlights.map((one) => one.text)).toEqual([`${text}.`]);
      expect(summary).toBe(`${text}.`);
      expect(metadata.modelUsage).toMatchObject({ requests: 3 });
    }
  });

  test('have them in a crawl', async () => {
    await using client = clientWith();
    const { data, usage } = await client.crawl(site.url('/kettle'), {
      crawlEntireDomain: true,
      scrapeOptions: { formats },
    });
    expect(data.map(({ question }) => question.answer).sort()).toEqual([
      'Delivery takes 2 days.',
      'Delivery takes 5 days.',
    ]);
    expect(usage.tokens).toBeGreaterThan(0);
  });
});

async function scrapeAll(client: Client) {
  return client.scrape(site.url('/kettle'), { formats });
}

describe('what they share', () => {
  test('one request a format, and what the caller did not ask for is not in the document', async () => {
    await using client = clientWith();
    const before = reader.requests.length;
    const { markdown, ...document } = await scrapeAll(client);
    expect(markdown).toContain('Delivery');
    expect(reader.requests.length - before).toBe(3);
    const alone = await client.scrape(site.url('/kettle'), { formats: [formats[1]] });
    expect(Object.keys(alone).sort()).toEqual(['metadata', 'question']);
    expect(alone.question).toEqual(document.question);
  });

  test('an answer that comes too late ends with the time of the scrape', async () => {
    const slow = scriptedModel([modelTurn({ json: { answer: null, quotes: [] }, delay: 60_000 })]);
    await using client = clientWith(slow);
    await expect(
      client.scrape(site.url('/kettle'), { formats: [formats[1]], timeout: 1500 }),
    ).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  test('a caller who goes away ends it', async () => {
    const leaving = new AbortController();
    const model = scriptedModel(() => {
      leaving.abort();
      return modelTurn({ json: { summary: 'x' }, delay: 60_000 });
    });
    await using client = clientWith(model);
    const failure: unknown = await client
      .scrape(site.url('/kettle'), { formats: ['summary'], signal: leaving.signal })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PagewrightError);
    expect(failure).toMatchObject({ code: 'CANCELLED' });
  });

  test('a heavy page, which a thread reads, has them like any other', async () => {
    const heavy = page('kettle', '2').replace(
      '</main>',
      `${'<p>A paragraph of some words.</p>'.repeat(5000)}</main>`,
    );
    await using client = clientWith();
    const { question, summary } = await client.parse(heavy, { formats: [formats[1], 'summary'] });
    expect(question.status).toBe('supported');
    expect(summary).toBe('Delivery takes 2 days.');
    const { highlights } = await createClient().parse(heavy, { formats: [formats[2]] });
    expect(highlights.map(({ text }) => text)).toEqual(['Delivery takes 2 days.']);
  });
});
