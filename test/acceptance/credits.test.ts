/** Credits: 4 for each format that asked the model, none for one that did not, whichever it is. */
import { type Client, type ClientOptions, createClient } from 'pagewright';
import { modelTurn, type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryWeb } from '../support/memory-web.ts';

const url = 'http://shop.test/lamp';
const page = `<html lang="en"><title>Lamp</title><main><h1 class="name">Oak lamp</h1>
<p>The oak lamp gives a warm light. It costs 12 EUR and comes in two days.</p></main></html>`;

/** Answers every question that the formats ask, by the shape that they ask for. */
function reader(): ScriptedModel {
  return scriptedModel(({ schema }) => {
    const asked = Object.keys(schema?.['properties'] ?? {});
    const answers: Record<string, unknown> = {
      summary: 'A lamp of oak.',
      name: 'Oak lamp',
      price: 12,
      answer: 'Two days.',
      quotes: ['comes in two days'],
      passages: [1],
    };
    return modelTurn({ json: Object.fromEntries(asked.map((name) => [name, answers[name]])) });
  });
}

function open(options: ClientOptions): Client {
  const engines = [memoryWeb({ [url]: page })];
  const client = createClient({ engines, cache: false, ...options }) as unknown as Client;
  onTestFinished(() => client.close());
  return client;
}

const schema = z.object({ name: z.string() });
const selected = {
  type: 'object',
  properties: { name: { type: 'string', 'x-selector': '.name' } },
} as const;

describe('creditsUsed', () => {
  it.each([
    ['json', { type: 'json', schema }],
    ['json by a prompt', { type: 'json', prompt: 'the name' }],
    ['summary', 'summary'],
    ['question', { type: 'question', question: 'How long does delivery take?' }],
    ['highlights', { type: 'highlights', query: 'delivery' }],
    ['changeTracking', { type: 'changeTracking', modes: ['json'], schema }],
  ] as const)('counts 4 for %s by the model', async (_, format) => {
    const model = reader();
    const { metadata } = await open({ model }).scrape(url, { formats: ['markdown', format] });
    expect(model.requests).toHaveLength(1);
    expect(metadata.creditsUsed).toBe(5);
  });

  it('counts each format that asked', async () => {
    const formats = [
      'markdown',
      'summary',
      { type: 'json', schema },
      { type: 'highlights', query: 'delivery' },
      { type: 'changeTracking', modes: ['json'], schema },
    ] as const;
    const { metadata } = await open({ model: reader() }).scrape(url, { formats });
    expect(metadata.creditsUsed).toBe(1 + 4 * 4);
  });

  it.each([
    ['json by selectors', { type: 'json', schema: selected }],
    ['json from the markup', { type: 'json', schema, mode: 'markup' }],
    ['markdown', 'markdown'],
    ['changeTracking without values', { type: 'changeTracking', modes: ['git-diff'] }],
  ] as const)('counts nothing for %s, which does not ask the model', async (_, format) => {
    const model = scriptedModel([]);
    const formats = format === 'markdown' ? [format] : (['markdown', format] as const);
    const { metadata } = await open({ model }).scrape(url, { formats });
    expect(metadata.creditsUsed).toBe(1);
  });

  it('counts nothing for formats of a client without a model', async () => {
    const formats = [
      'markdown',
      'summary',
      { type: 'json', schema: selected },
      { type: 'highlights', query: 'delivery' },
      { type: 'changeTracking', modes: ['json'], schema: selected },
    ] as const;
    const { metadata } = await open({}).scrape(url, { formats });
    expect(metadata.creditsUsed).toBe(1);
  });

  it('counts nothing for changeTracking where the text is what it was', async () => {
    const client = open({ model: reader() });
    const formats = ['markdown', { type: 'changeTracking', modes: ['json'], schema }] as const;
    const first = await client.scrape(url, { formats });
    const second = await client.scrape(url, { formats });
    expect([first, second].map(({ metadata }) => metadata.creditsUsed)).toEqual([5, 1]);
  });

  it('takes the price of the caller, also by the name that it had', async () => {
    for (const costs of [{ model: 2.5 }, { json: 2.5 }, { json: 9, model: 2.5 }]) {
      const client = open({ model: reader(), costs });
      const { metadata } = await client.scrape(url, { formats: ['summary'] });
      expect(metadata.creditsUsed).toBe(3.5);
    }
  });

  it('of a job and its budget are those of its documents', async () => {
    const options = { formats: ['summary'], budget: { credits: 9 } } as const;
    const client = open({
      model: reader(),
      engines: [memoryWeb((at) => (at.endsWith('/') ? undefined : page))],
    });
    const urls = ['1', '2'].map((path) => `http://shop.test/${path}`);
    const { creditsUsed, completed, skipped } = await client.batchScrape(urls, options);
    expect({ creditsUsed, completed, skipped }).toEqual({
      creditsUsed: 5,
      completed: 1,
      skipped: 1,
    });
  });
});

describe('creditsUsed of an extraction', () => {
  it('counts 4 for each page of which the model was asked', async () => {
    const client = open({ model: reader() });
    const both = [url, `${url}?2`];
    const engines = [memoryWeb((at) => (at.includes('lamp') ? page : undefined))];
    const asked = await open({ model: reader(), engines }).extract({ urls: both, schema });
    expect(asked.creditsUsed).toBe(10);
    const unasked = await client.extract({ urls: [url], schema: selected });
    expect(unasked.creditsUsed).toBe(1);
  });
});
