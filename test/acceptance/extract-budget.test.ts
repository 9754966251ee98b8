/** extract() within a budget: how it ends, what it tells, what it used. */
import {
  type Client,
  type ClientOptions,
  createClient,
  ExtractError,
  ValidationError,
} from 'pagewright';
import { modelTurn, type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryWeb, seeded } from '../support/memory-web.ts';

const numbers = Array.from({ length: 30 }, (_, index) => index + 1);
const urls = numbers.map((number) => `http://shop.test/${number}`);

const schema = {
  type: 'object',
  properties: {
    things: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string', 'x-selector': 'h1' } } },
    },
  },
} as const;

const prompt = 'All things of the page.';

function shop(failing: readonly number[] = []): ReturnType<typeof memoryWeb> {
  const chance = seeded(7);
  return memoryWeb((url) => {
    const number = Number(new URL(url).pathname.slice(1));
    if (!numbers.includes(number)) return undefined;
    return {
      body: `<main><h1>Thing ${number}</h1><p>A thing that is sold here, one of thirty.</p></main>`,
      delay: Math.floor(chance() * 15),
      fails: failing.includes(number),
    };
  });
}

/** Names one thing for 500 tokens. */
function reader(price = false): ScriptedModel {
  return scriptedModel((_, index) =>
    modelTurn({
      json: { things: [{ name: `Thing of answer ${index}` }] },
      usage: { inputTokens: 450, outputTokens: 50, ...(price ? { cost: 0.25 } : {}) },
    }),
  );
}

function open(options: ClientOptions): Client {
  const client = createClient({ engines: [shop()], cache: false, ...options }) as unknown as Client;
  onTestFinished(() => client.close());
  return client;
}

/** The names of an extraction without a model. */
const plain = {
  urls,
  mode: 'markup',
  schema: {
    type: 'object',
    properties: { title: { type: 'array', items: { type: 'string' }, 'x-selector': 'h1' } },
  },
} as const;

describe('extract within a budget', () => {
  it('asks the model as long as tokens last, and tells the pages that were left out', async () => {
    const model = reader();
    const client = open({ model });
    const result = await client.extract({ urls, schema, prompt, budget: { tokens: 5_000 } });
    const { data, skipped, errors, usage, modelUsage, warning, creditsUsed } = result;
    expect(result.status).toBe('completed');
    expect(usage.tokens).toBeLessThanOrEqual(5_000);
    expect(usage.tokens).toBe(model.requests.length * 500);
    expect(model.requests.length).toBeGreaterThanOrEqual(9);
    expect(data.things).toHaveLength(model.requests.length);
    expect(modelUsage).toMatchObject({ requests: model.requests.length });
    expect(creditsUsed).toBe(model.requests.length * 5);
    expect(errors).toEqual([]);
    expect(skipped).toHaveLength(30 - model.requests.length);
    expect(new Set(skipped.map(({ reason, rule }) => `${reason} ${rule}`))).toEqual(
      new Set(['BUDGET budget.tokens: 5000']),
    );
    expect(warning).toContain('its budget was used up (budget.tokens: 5000)');
  });

  it('stops by money, too', async () => {
    const model = { ...reader(true), price: { input: 1, output: 1 } };
    const client = open({ model });
    const { usage, skipped } = await client.extract({
      urls,
      schema,
      prompt,
      budget: { cost: 1 },
      maxConcurrency: 1,
    });
    expect(usage).toMatchObject({ tokens: 2_000, cost: 1 });
    expect(skipped.map(({ url }) => url)).toEqual(urls.slice(4));
    expect(skipped[0]?.rule).toBe('budget.cost: 1');
  });

  it('without a page that it pays for is an error that names the budget', async () => {
    const model = scriptedModel([]);
    const client = open({ model });
    const job = client.extract({ urls, schema, prompt, budget: { tokens: 10 } });
    await expect(job).rejects.toThrow(ExtractError);
    await expect(job).rejects.toThrow(/No page was read: .*budget\.tokens: 10/);
    expect(job.status().status).toBe('failed');
    expect(model.requests).toEqual([]);
  });

  it('counts no request for a page that beforeRequest vetoes', async () => {
    const client = open({
      hooks: { beforeRequest: ({ url, skip }) => void (url.endsWith('/1') && skip()) },
    });
    const some = urls.slice(0, 3);
    const result = await client.extract({ ...plain, urls: some, budget: { requests: 1 } });
    expect(result.pages).toEqual([{ url: some[1], isUsed: true }]);
    expect(result.errors).toMatchObject([{ url: some[0] }]);
    expect(result.skipped).toEqual([
      { url: some[2], reason: 'BUDGET', rule: 'budget.requests: 1' },
    ]);
  });

  it('without one tells what it used, and leaves nothing out', async () => {
    const client = open({});
    const { usage, skipped, warning } = await client.extract(plain);
    expect(usage).toMatchObject({ requests: 30 });
    expect('tokens' in usage).toBe(false);
    expect(skipped).toEqual([]);
    expect(warning).toBeUndefined();
  });

  it.each<[unknown, RegExp]>([
    [{ pages: 0 }, /budget\.pages/],
    [{ tokens: 1.5 }, /budget\.tokens/],
    [{ words: 5 }, /words/],
    [5, /budget/],
  ])('refuses %o at once', (budget, message) => {
    const client = open({});
    const options = { ...plain, budget } as unknown as typeof plain;
    expect(() => client.extract(options)).toThrow(ValidationError);
    expect(() => client.extract(options)).toThrow(message);
  });
});
