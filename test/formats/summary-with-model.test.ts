/** The summary format where the client has a model. */
import { createClient } from 'pagewright';
import { type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';

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

  it('fails the page when it cannot be used, twice', async () => {
    await expect(sumUp(scriptedModel(['Well', '{"summary":5}']))).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      message: expect.stringMatching(/summary: must be string,null/) as string,
    });
    await expect(sumUp(scriptedModel([new Error('down')]))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
    });
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
