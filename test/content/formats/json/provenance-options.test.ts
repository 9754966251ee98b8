import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createClient, ExtractError } from 'pagewright';
import { json } from '../../../../src/content/formats/json.ts';
import { groundExtraction } from '../../../../src/extract/provenance/ground-extraction.ts';
import type { UnverifiedChoice } from '../../../../src/extract/provenance/provenance.ts';
import type { JsonSchema } from '../../../../src/extract/schema/compile-schema.ts';
import { memoryWeb } from '../../../support/memory-web.ts';

const url = 'https://fixture.test/lamp';
const page = {
  url,
  markdown: '# Lamp\n\nPrice: 12 €, made by Lux\n\n- red\n- blue',
  language: 'en',
};

const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    price: { type: ['number', 'null'] },
    sku: { type: 'string' },
    colors: { type: 'array', items: { type: 'string' } },
    offers: {
      type: 'array',
      items: {
        type: 'object',
        properties: { seller: { type: 'string' }, price: { type: 'number' } },
      },
    },
  },
};

const planted = {
  name: 'Lamp',
  price: 13,
  sku: 'L-1',
  colors: ['red', 'green', 'blue'],
  offers: [
    { seller: 'Nobody', price: 99 },
    { seller: 'Lux', price: 12 },
  ],
};

const settle = (unverified: UnverifiedChoice): ReturnType<typeof groundExtraction> =>
  groundExtraction({ value: planted, notFound: [], sources: {} }, schema, page, unverified);

describe('values that are not on the page', () => {
  test('are kept and marked', async () => {
    const { extraction, provenance, removed } = await settle('keep');
    expect(extraction.value).toBe(planted);
    expect(removed).toEqual([]);
    const marked = Object.entries(provenance).filter(([, { status }]) => status !== 'supported');
    expect(marked.map(([path]) => path)).toEqual([
      'price',
      'sku',
      'colors[1]',
      'offers[0].seller',
      'offers[0].price',
    ]);
    expect(provenance['sku']).toEqual({
      url,
      status: 'notFound',
      quote: null,
      start: null,
      end: null,
    });
  });

  test('are refused with their paths', async () => {
    const error: unknown = await settle('refuse').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExtractError);
    const { issues, message, code } = error as ExtractError;
    expect(code).toBe('EXTRACT_INVALID');
    expect(issues.map(({ path }) => path)).toEqual([
      ['price'],
      ['sku'],
      ['colors', 1],
      ['offers', 0, 'seller'],
      ['offers', 0, 'price'],
    ]);
    expect(message).toContain('price: not on the page');
  });

  test('are null or absent, and lists go without them', async () => {
    const { extraction, provenance, removed } = await settle('null');
    expect(extraction.value).toEqual({
      name: 'Lamp',
      price: null,
      colors: ['red', 'blue'],
      offers: [{ seller: 'Lux', price: 12 }],
    });
    expect(removed).toEqual(['price', 'sku', 'colors[1]', 'offers[0].seller', 'offers[0].price']);
    expect(extraction.notFound).toEqual(removed);
    expect(provenance).toMatchObject({
      price: { status: 'notFound' },
      'colors[1]': { status: 'supported', quote: 'blue' },
      'offers[0].seller': { status: 'supported', quote: 'Lux' },
    });
    expect(provenance).not.toHaveProperty('colors[2]');
  });

  test('a source counts only for the value that it gave', async () => {
    const grounds = {
      value: { name: 'Lamp', sku: 'L-1', price: 12 },
      sources: { sku: 'json-ld', price: 'json-ld' },
    } as const;
    const { provenance } = await groundExtraction(
      { value: { sku: 'L-1', price: 13 }, notFound: [], sources: {} },
      schema,
      page,
      'keep',
      grounds,
    );
    expect(provenance).toMatchObject({
      sku: { status: 'supported', quote: null, source: 'json-ld' },
      price: { status: 'notFound' },
    });
    expect(provenance['price']).not.toHaveProperty('source');
  });
});

describe('the json format', () => {
  const source = `<html lang="en"><script type="application/ld+json">{"@type":"Product","name":"Lamp","sku":"L-1","offers":{"price":12}}</script><main><h1>Lamp</h1><p>A <b>good</b> lamp of solid oak, for the desk and for the shelf.</p><p class="p">12 €</p></main></html>`;
  const shape = z.object({
    name: z.string(),
    sku: z.string(),
    price: z.number().meta({ 'x-selector': ['.price', '.p'] }),
  });

  test('gives the provenance beside the data, fitting the markdown of the document', async () => {
    await using client = createClient({ engines: [memoryWeb({ 'http://site.test/': source })] });
    const format = { type: 'json', schema: shape, provenance: true } as const;
    const document = await client.scrape('http://site.test/', { formats: ['markdown', format] });
    const { markdown, jsonProvenance } = document;
    expect(Object.keys(jsonProvenance)).toEqual(['name', 'sku', 'price']);
    expect(jsonProvenance['name']).toMatchObject({ quote: 'Lamp', source: 'json-ld' });
    expect(jsonProvenance['sku']).toMatchObject({ status: 'supported', quote: null });
    expect(jsonProvenance['price']).toMatchObject({ source: 'selector', selector: '.p' });
    for (const { quote, start, end } of Object.values(jsonProvenance)) {
      if (start !== null && end !== null) expect(markdown.slice(start, end)).toBe(quote);
    }
    const alone = await client.scrape('http://site.test/', { formats: [format] });
    expect(alone.jsonProvenance).toEqual(jsonProvenance);
    expect(alone).not.toHaveProperty('markdown');
  });

  test('has no such field when it was not asked for', async () => {
    await using client = createClient({ engines: [memoryWeb({ 'http://site.test/': source })] });
    const document = await client.scrape('http://site.test/', {
      formats: [{ type: 'json', schema: shape, unverified: 'refuse' }],
    });
    expect(document).not.toHaveProperty('jsonProvenance');
    expect(document.json).toEqual({ name: 'Lamp', sku: 'L-1', price: 12 });
  });

  test('refuses options of the wrong kind', () => {
    expect(() => json.parseOptions?.({ schema: {}, provenance: 'yes' })).toThrow(
      'provenance: expected true or false',
    );
    expect(() => json.parseOptions?.({ schema: {}, unverified: 'drop' })).toThrow(
      'unverified: expected "keep", "refuse" or "null"',
    );
  });
});
