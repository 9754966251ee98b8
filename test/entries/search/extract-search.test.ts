/** extract() without URLs: the search engine finds the pages that the model reads. */
import { createClient, type FoundPage, type SearchRequest } from 'pagewright';
import { type FixtureServer, modelTurn, scriptedModel, serve } from 'pagewright/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { failure } from '../../support/failure.ts';
import { fencedText } from '../../support/fences.ts';

let site: FixtureServer;

beforeAll(async () => {
  const page = (name: string, price: number): string =>
    `<!doctype html><html lang="en"><title>${name}</title><main><h1>${name}</h1><p>A lamp of the shop, with its price.</p><p>Price: ${price} EUR</p></main></html>`;
  site = await serve({ '/tern': page('Tern', 39), '/skell': page('Skell', 64) });
});

afterAll(() => site.close());

function clientWith(
  search?: (query: string, request: SearchRequest) => FoundPage[],
): ReturnType<typeof createClient> {
  const model = scriptedModel((request) => {
    const text = fencedText(request);
    const name = /^# (.*)$/m.exec(text)?.[1] ?? null;
    const price = Number(/Price: (\d+) EUR/.exec(text)?.[1]);
    return modelTurn({ json: { lamps: [{ name, price }] } });
  });
  const client = createClient({ model, search, network: { allow: ['127.0.0.1'] } });
  onTestFinished(() => client.close());
  return client;
}

const schema = z.object({ lamps: z.array(z.object({ name: z.string(), price: z.number() })) });

test('the prompt is the query, and the pages found are the sources', async () => {
  const asked: [string, number, string | undefined][] = [];
  const client = clientWith((query, { limit, country }) => {
    asked.push([query, limit, country]);
    return [{ url: site.url('/tern') }, { url: site.url('/skell') }, { url: 'javascript:x' }];
  });
  const prompt = 'lamps with their prices';
  const { data, pages } = await client.extract({ prompt, schema });
  expect(asked).toEqual([[prompt, 5, undefined]]);
  expect(data).toEqual({
    lamps: [
      { name: 'Tern', price: 39 },
      { name: 'Skell', price: 64 },
    ],
  });
  expect(pages.map(({ url }) => url)).toEqual([site.url('/tern'), site.url('/skell')]);
  await client.extract({ prompt, schema, search: { query: 'lamps', limit: 1, country: 'de' } });
  expect(asked[1]).toEqual(['lamps', 1, 'DE']);
});

test('an engine of the call is asked', async () => {
  const { data } = await clientWith().extract({
    prompt: 'the lamp',
    schema,
    search: { engine: () => [{ url: site.url('/skell') }] },
  });
  expect(data.lamps).toEqual([{ name: 'Skell', price: 64 }]);
});

test('without a model, too', async () => {
  const client = createClient({
    search: () => [{ url: site.url('/tern') }],
    network: { allow: ['127.0.0.1'] },
  });
  onTestFinished(() => client.close());
  const { data } = await client.extract({
    schema: { type: 'object', properties: { name: { type: 'string', 'x-selector': 'h1' } } },
    search: { query: 'lamps' },
  });
  expect(data).toEqual({ name: 'Tern' });
});

test('no pages, and an engine that fails, are errors', async () => {
  expect(await failure(clientWith(() => []).extract({ prompt: 'lamps', schema }))).toMatchObject({
    code: 'EXTRACT_INVALID',
    message: expect.stringContaining('found no pages for "lamps"') as string,
  });
  const failing = clientWith(() => {
    throw new Error('down');
  });
  expect((await failure(failing.extract({ prompt: 'lamps', schema }))).code).toBe('SEARCH_FAILED');
});

test.each([
  [{ prompt: 'lamps' }, /no search engine is configured: pass createClient\(\{ search:/],
  [{ schema }, /urls: expected a list of URLs/],
  [{ prompt: 'x', search: { query: '' } }, /search\.query: expected words/],
  [{ prompt: 'x', search: { limit: 0 } }, /search\.limit/],
  [{ prompt: 'x', urls: ['https://a.example/'], search: {} }, /leave one of them out/],
])('%j is refused at once', (options, message) => {
  const client = clientWith();
  expect(() => client.extract(options)).toThrow(message);
});
