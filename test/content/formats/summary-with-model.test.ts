/** The summary format where the client has a model. */
import { createClient, openAiModel, parse } from 'pagewright';
import { type ModelScript, type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { memoryWeb } from '../../support/memory-web.ts';

const kettle = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Steel kettle</h1>
<p>Boils a litre and a half of water in four minutes.</p><p>It costs 1,299.00 EUR since 5 March 2025.</p></main></body></html>`;

async function sumUp(model: ScriptedModel, html = kettle) {
  await using client = createClient({ model });
  return await client.parse(html, { url: 'https://shop.test/kettle', formats: ['summary'] });
}

const summary = (text: string | null): object => ({ summary: text });

describe('what the model is asked', () => {
  it('is the same to the byte as it was, with the text of the page in a fence', async () => {
    const model = scriptedModel([summary('A kettle of steel boils water in 4 minutes.')]);
    await sumUp(model);
    const [{ system, prompt, schema } = { system: '', prompt: '', schema: {} }] = model.requests;
    const asked = `${system}\n=====\n${prompt}\n=====\n${JSON.stringify(schema)}\n`;
    await expect(asked).toMatchFileSnapshot('./summary-with-model.golden.txt');
  });

  it('is nothing about a page without words', async () => {
    const model = scriptedModel([]);
    const page = await sumUp(model, '<main><img src="a.png" alt="A picture."></main>');
    expect(page.summary).toBe('');
    expect(page.warning).toMatch(/no text that a summary could be made of/);
  });
});

describe('the summary', () => {
  it('is the one of the model, and says so', async () => {
    const {
      summary: text,
      metadata,
      warning,
    } = await sumUp(
      scriptedModel([summary('A steel kettle for 1299 EUR boils water in 4 minutes.')]),
    );
    expect(text).toBe('A steel kettle for 1299 EUR boils water in 4 minutes.');
    expect(metadata.summaryMethod).toBe('model');
    expect(metadata.modelUsage).toMatchObject({ requests: 1 });
    expect(warning).toBeUndefined();
  });

  it('is plain text, whatever the model writes', async () => {
    const { summary: text } = await sumUp(
      scriptedModel([
        summary(
          '# Kettle\n\nA **steel** [kettle](https://evil.test/?q=1) ![x](https://evil.test/).',
        ),
      ]),
    );
    expect(text).toBe('# Kettle A steel kettle x.');
  });

  it('is asked for again when it has a number that the page does not have', async () => {
    const model = scriptedModel([summary('It costs 12 EUR.'), summary('It costs 1,299 EUR.')]);
    const page = await sumUp(model);
    expect(page.summary).toBe('It costs 1,299 EUR.');
    expect(page.warning).toBeUndefined();
    expect(model.requests[1]?.prompt).toMatch(/summary: the text does not have 12/);
  });

  it('is asked for again when it has an address of e-mail, or part of a number', async () => {
    const model = scriptedModel([
      summary('Write to sales@evil.test for 299 EUR.'),
      summary('It costs 1,299 EUR.'),
    ]);
    expect((await sumUp(model)).summary).toBe('It costs 1,299 EUR.');
    expect(model.requests[1]?.prompt).toMatch(/does not have sales@evil\.test, 299/);
  });

  it('tells the number when it stays', async () => {
    const model = scriptedModel([summary('It costs 12 EUR.'), summary('See https://evil.test/x.')]);
    const page = await sumUp(model);
    expect(page.summary).toBe('See https://evil.test/x.');
    expect(page.warning).toMatch(
      /the model wrote https:\/\/evil\.test\/x, which the page does not/,
    );
  });

  it.each<[string, unknown, RegExp]>([
    [
      'whose answer cannot be used, twice',
      ['Well', '{"summary":5}'],
      /summary: must be string,null/,
    ],
    ['that fails', [new Error('down')], /the model failed: .*down/],
  ])('is made of the own sentences with a model %s', async (_, script, reason) => {
    const page = await sumUp(scriptedModel(script as ModelScript));
    expect(page.summary).toBe((await parse(kettle, { formats: ['summary'] })).summary);
    expect(page.summary).toContain('Boils a litre and a half');
    expect(page.metadata).toMatchObject({ summaryMethod: 'extractive', creditsUsed: 5 });
    expect(page.warning).toMatch(reason);
  });

  it('costs no model where none could be reached', async () => {
    const model = openAiModel({ baseUrl: 'http://127.0.0.1:2/v1', model: 'none' });
    await using client = createClient({ model });
    const page = await client.parse(kettle, { formats: ['summary'] });
    expect(page.metadata).toMatchObject({ summaryMethod: 'extractive', creditsUsed: 1 });
    expect(page.warning).toMatch(/network: \{ allow/);
  });

  it('is not given when the scrape was ended while the model was asked', async () => {
    const ending = new AbortController();
    await using client = createClient({
      model: () => {
        ending.abort();
        throw new Error('down');
      },
    });
    const options = { formats: ['summary'], signal: ending.signal } as const;
    await expect(client.parse(kettle, options)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is not given when the budget of the job does not pay for the model', async () => {
    const model = scriptedModel([summary('A kettle.')]);
    await using client = createClient({
      model,
      engines: [memoryWeb({ 'http://shop.test/': kettle })],
    });
    const { data, skipped } = await client.batchScrape(['http://shop.test/'], {
      formats: ['summary'],
      budget: { tokens: 10 },
    });
    expect({ data, skipped }).toEqual({ data: [], skipped: 1 });
    expect(model.requests).toEqual([]);
  });

  it('of a long page is made of those of its parts', async () => {
    const html = `<main>${Array.from(
      { length: 300 },
      (_, index) => `<p>Room ${index} of the old house has a window and a door to the garden.</p>`,
    ).join('')}</main>`;
    const model = scriptedModel(
      ({ system, prompt }) =>
        summary(
          system.includes('summaries of its parts')
            ? `${prompt.match(/^Part \d+$/gm)?.length ?? 0} parts of a house.`
            : `From room ${/Room (\d+)/.exec(prompt)?.[1] ?? ''} on.`,
        ),
      { contextTokens: 4000 },
    );
    const page = await sumUp(model, html);
    const parts = model.requests.length - 1;
    expect(parts).toBeGreaterThan(2);
    expect(page.summary).toBe(`${parts} parts of a house.`);
    expect(page.metadata.modelUsage).toMatchObject({ requests: parts + 1 });
  });
});
