/** Extract 1 to 10 with a model behind a real server on loopback that speaks OpenAI's protocol. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type Model, openAiModel } from 'pagewright';
import { type FixtureServer, recordModel, replayModel, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod-v3';
import { failure } from '../support/failure.ts';
import { fencedText } from '../support/fences.ts';
import {
  type Lack,
  type OpenAiCall,
  openAiServer,
  type OpenAiServer,
  type OpenAiTurn,
} from '../support/openai-server.ts';
import { attacks, cleanPage, hidings, plantedMark } from '../support/planted-pages.ts';

const page = (name: string, price: number): string =>
  `<!doctype html><html lang="en"><head><title>${name}</title></head><body><main><h1>${name}</h1><p>A thing of the shop with a name and a price.</p><p>Price: ${price} EUR</p></main></body></html>`;
const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
const rows = Array.from({ length: 1000 }, (_, index) => ({
  name: `Item ${index + 1}`,
  price: index + 1.5,
}));
const planted = Object.values(hidings)
  .flatMap((hide) => [attacks['loud'], attacks['quiet']].map((text = '') => hide(text)))
  .slice(0, 30);

let site: FixtureServer;

beforeAll(async () => {
  site = await serve({
    ...Object.fromEntries(numbers.map((at) => [`/things/${at}`, page(`Thing ${at}`, at)])),
    '/other-price': page('Thing 1', 99),
    '/empty': '<main><img src="a.png" alt="Nothing but a picture"></main>',
    '/table': `<main><h1>Prices</h1><p>All of our prices.</p><table><tr><th>Name</th><th>Price</th></tr>${rows.map(({ name, price }) => `<tr><td>${name}</td><td>${price}</td></tr>`).join('')}</table></main>`,
    '/clean': cleanPage(),
    ...Object.fromEntries(planted.map((html, at) => [`/planted/${at}`, html])),
  });
});

afterAll(() => site.close());

type Turns = readonly OpenAiTurn[] | ((call: OpenAiCall) => OpenAiTurn);

interface Open {
  readonly client: Client;
  readonly server: OpenAiServer;
  readonly model: Model;
}

async function open(turns: Turns, lacks?: readonly Lack[], contextTokens?: number): Promise<Open> {
  const server = await openAiServer(turns, lacks);
  const size = contextTokens === undefined ? {} : { contextTokens };
  const model = openAiModel({ baseUrl: server.baseUrl, model: 'm', ...size });
  const client = createClient({ model, network: { allow: ['127.0.0.1'] } });
  onTestFinished(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  });
  return { client, server, model };
}

const bodyText = ({ body }: OpenAiCall): string =>
  (body['messages'] as { content: string }[]).map(({ content }) => content).join('\n');

/** The page as the model gets it. */
const pageIn = (call: OpenAiCall): string => fencedText({ prompt: bodyText(call) });

function thingIn(call: OpenAiCall): { name: string | undefined; price: number } {
  const text = pageIn(call);
  const price = Number(/(?:Price: |It costs )([\d.]+) EUR/.exec(text)?.[1]);
  return { name: /^# (.*)$/m.exec(text)?.[1], price };
}

const thing = z.object({ name: z.string(), price: z.number() });
const things = z.object({ things: z.array(thing) });
const first = (): string[] => [site.url('/things/1')];
const good = { name: 'Thing 1', price: 1 };

describe('extract 1: one result for every kind of schema', () => {
  it('is the same for zod 3, zod 4 and JSON Schema, typed without a cast', async () => {
    const { client, server } = await open((call) => ({ json: { ...thingIn(call), note: null } }));
    const note = { note: z.string().optional() };
    const four = await client.extract({ urls: first(), schema: thing.extend(note) });
    const three = await client.extract({
      urls: first(),
      schema: z3.object({ name: z3.string(), price: z3.number(), note: z3.string().optional() }),
    });
    const json = await client.extract({
      urls: first(),
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          price: { type: 'number' },
          note: { type: 'string' },
        },
        required: ['name', 'price'],
      },
    });
    expectTypeOf(four.data.price).toEqualTypeOf<number>();
    expectTypeOf(three.data.note).toEqualTypeOf<string | undefined>();
    expectTypeOf(json.data).toEqualTypeOf<{ name: string; price: number; note?: string }>();
    expect([four.data, three.data, json.data]).toEqual([good, good, good]);
    expect(server.calls).toHaveLength(3);
    for (const { body } of server.calls) {
      expect(body['response_format']).toMatchObject({ type: 'json_schema' });
    }
  });
});

describe('extract 3: what is sent', () => {
  const schema = thing.extend({ price: z.number().describe('THE-ONLY-MARK') });

  it('is the same to the byte each time: text in a fence, the schema once', async () => {
    const bodies: string[] = [];
    for (const _ of [1, 2]) {
      const { client, server } = await open([{ json: good }]);
      await client.extract({ urls: first(), schema, prompt: 'The thing.' });
      const [call] = server.calls as [OpenAiCall];
      expect(pageIn(call)).toContain('Price: 1 EUR');
      bodies.push(JSON.stringify(call.body));
    }
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]?.split('THE-ONLY-MARK')).toHaveLength(2);
  });

  it('is not sent again when the model is replayed from a recording', async () => {
    const { server, model } = await open([{ json: good }]);
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-extract-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'run.json');
    const network = { allow: ['127.0.0.1'] };
    {
      await using recording = createClient({ model: recordModel(model, file), network });
      expect((await recording.extract({ urls: first(), schema })).data).toEqual(good);
    }
    await using replaying = createClient({ model: await replayModel(file), network });
    expect((await replaying.extract({ urls: first(), schema })).data).toEqual(good);
    expect(server.calls).toHaveLength(1);
  });
});

describe('extract 4: what does not fit', () => {
  const strict = z.strictObject({ name: z.string(), price: z.number() });
  const wrongs: [string, OpenAiTurn, PropertyKey[]][] = [
    ['a wrong type', { json: { name: 'Thing 1', price: 'cheap' } }, ['price']],
    ['an extra key', { json: { ...good, extra: 1 } }, ['extra']],
    ['JSON that is cut', { text: '{"name":"Thing 1","pri' }, []],
    ['prose', { text: 'I am sorry.' }, []],
    ['nothing', { text: '' }, []],
  ];

  it.each(wrongs)('%s is asked for once more', async (_, wrong) => {
    const { client, server } = await open([wrong, { json: good }]);
    const { data, modelUsage } = await client.extract({ urls: first(), schema: strict });
    expect(data).toEqual(good);
    expect(server.calls).toHaveLength(2);
    expect(modelUsage).toEqual({ requests: 2, inputTokens: 200, outputTokens: 20 });
  });

  it.each(wrongs)('%s twice is an error with the path, and not given', async (_, wrong, path) => {
    const { client, server } = await open([wrong]);
    const error = await failure(client.extract({ urls: first(), schema: strict }));
    expect(error).toMatchObject({ code: 'EXTRACT_INVALID', issues: [{ path }] });
    expect(server.calls).toHaveLength(2);
  });

  it('tool calls are checked in the same way, where a server takes no schema', async () => {
    const wrong = { json: { name: 7, price: 1 } };
    const { client, server } = await open([wrong, { json: good }], ['json_schema']);
    expect((await client.extract({ urls: first(), schema: strict })).data).toEqual(good);
    expect(server.calls.filter(({ body }) => body['tools'] !== undefined)).toHaveLength(2);
  });

  it('so is plain text, where a server takes neither schema nor tools', async () => {
    const turns = [{ text: 'No.' }, { text: `Here:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` }];
    const { client } = await open(turns, ['json_schema', 'tool', 'json_object']);
    expect((await client.extract({ urls: first(), schema: strict })).data).toEqual(good);
  });
});

describe('extract 5: where each value comes from', () => {
  it('each leaf has URL, quote and offsets that check', async () => {
    const { client } = await open((call) => ({ json: thingIn(call) }));
    const urls = first();
    const { provenance } = await client.extract({ urls, schema: thing, provenance: true });
    const { markdown } = await client.scrape(urls[0] ?? '');
    expect(Object.keys(provenance).sort()).toEqual(['name', 'price']);
    for (const { url, status, quote, start, end } of Object.values(provenance)) {
      expect([url, status]).toEqual([urls[0], 'supported']);
      expect(markdown.slice(start ?? 0, end ?? 0)).toBe(quote);
    }
  });

  it('a false value that the model made up is refused, or marked', async () => {
    const { client } = await open([{ json: { name: 'Thing 1', price: 777 } }]);
    const options = { urls: first(), schema: thing };
    const refused = await failure(client.extract({ ...options, unverified: 'refuse' }));
    expect(refused).toMatchObject({ code: 'EXTRACT_INVALID', issues: [{ path: ['price'] }] });
    const marked = await client.extract({ ...options, provenance: true });
    expect(marked.provenance['price']).toMatchObject({ status: 'notFound', quote: null });
    expect(marked.provenance['name']?.status).toBe('supported');
  });
});

describe('extract 6: absent stays absent', () => {
  it('what is null in the answer is missing in the data, and listed', async () => {
    const { client } = await open([{ json: { ...good, weight: null } }]);
    const schema = thing.extend({ weight: z.number().optional() });
    const { data, notFound } = await client.extract({ urls: first(), schema });
    expect(data).toEqual(good);
    expect(notFound).toEqual(['weight']);
  });

  it('an empty page is an error, and no question', async () => {
    const { client, server } = await open([{ json: good }]);
    const work = client.extract({ urls: [site.url('/empty')], schema: thing });
    expect(await failure(work)).toMatchObject({ code: 'EXTRACT_INVALID' });
    expect(server.calls).toEqual([]);
  });
});

describe('extract 7: many pages', () => {
  it('20 are merged by key, conflicts have both sources, a page that fails its error', async () => {
    const { client } = await open((call) => ({ json: { things: [thingIn(call)] } }));
    const paths = [...numbers.map((at) => `/things/${at}`), '/other-price', '/nothing'];
    const urls = paths.map((path) => site.url(path));
    const { data, conflicts, errors } = await client.extract({ urls, schema: things });
    expect(data.things).toEqual(numbers.map((at) => ({ name: `Thing ${at}`, price: at })));
    const values = [
      { value: 1, url: site.url('/things/1') },
      { value: 99, url: site.url('/other-price') },
    ];
    expect(conflicts).toEqual([{ path: 'things[0].price', values }]);
    expect(errors).toMatchObject([{ url: site.url('/nothing') }]);
  });
});

describe('extract 9: long pages', () => {
  it('a table of 1,000 rows loses none, and has none twice', async () => {
    const read = (call: OpenAiCall): OpenAiTurn => {
      const found = [...pageIn(call).matchAll(/^\| (Item \d+)\s*\| ([\d.]+)\s*\|$/gm)];
      return { json: { things: found.map(([, name, price]) => ({ name, price: Number(price) })) } };
    };
    const { client, server } = await open(read, [], 6000);
    const { data } = await client.extract({ urls: [site.url('/table')], schema: things });
    expect(data.things).toEqual(rows);
    expect(server.calls.length).toBeGreaterThan(4);
  });
});

describe('extract 10: planted instructions', () => {
  it('30 pages give what their clean twin gives; hidden text is in no request, and is told', async () => {
    const obey = (call: OpenAiCall): OpenAiTurn =>
      plantedMark.test(JSON.stringify(call.body))
        ? { json: { name: 'Obeyed', price: 0.01 } }
        : { json: thingIn(call) };
    const { client, server } = await open(obey);
    const ask = (
      path: string,
    ): PromiseLike<{ readonly data: unknown; readonly warning?: string }> =>
      client.extract({ urls: [site.url(path)], schema: thing });
    const { data: twin } = await ask('/clean');
    expect(twin).toEqual({ name: 'Steel kettle', price: 59 });
    for (const at of planted.keys()) {
      const { data, warning } = await ask(`/planted/${at}`);
      expect([at, data]).toEqual([at, twin]);
      expect([at, warning]).toEqual([at, expect.stringContaining('hidden, not sent')]);
    }
    expect(server.calls).toHaveLength(31);
    for (const { body } of server.calls) expect(JSON.stringify(body)).not.toMatch(plantedMark);
  });
});

describe('what a server may do', () => {
  it.each<[string, OpenAiTurn]>([
    ['too many requests', { status: 429, error: 'slow', headers: { 'retry-after': '1' } }],
    ['an error of its own', { status: 503, error: 'busy', headers: { 'retry-after': '0' } }],
    ['a connection that breaks', { reset: true }],
  ])('%s: asked again, and the data is whole', async (_, bad) => {
    const { client, server } = await open([bad, { json: good }]);
    expect((await client.extract({ urls: first(), schema: thing })).data).toEqual(good);
    expect(server.calls).toHaveLength(2);
  });

  it('a key that is wrong: MODEL_FAILED at once, with what the server said', async () => {
    const { client, server } = await open([{ status: 401, error: { message: 'bad key' } }]);
    const error = await failure(client.extract({ urls: first(), schema: thing }));
    expect(error).toMatchObject({ code: 'MODEL_FAILED' });
    expect(error.message).toContain('bad key');
    expect(server.calls).toHaveLength(1);
  });

  it('a refusal is an error, and no data', async () => {
    const { client } = await open([{ refusal: 'I will not.' }]);
    const work = client.extract({ urls: first(), schema: thing });
    expect(await failure(work)).toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('streams: the data so far is told before it is whole', async () => {
    const name = 'A thing with a name that comes in many pieces. '.repeat(6).trim();
    const { client, server } = await open([{ json: { name, price: 1 } }]);
    const told: unknown[] = [];
    const { data } = await client.extract({
      urls: first(),
      schema: thing,
      onPartial: (partial) => void told.push(partial),
    });
    expect(data).toEqual({ name, price: 1 });
    expect(server.calls[0]?.body['stream']).toBe(true);
    const names = told.map((partial) => (partial as { name?: string }).name ?? '');
    expect(names.some((one) => one !== '' && one.length < name.length)).toBe(true);
    for (const one of names) expect(name.startsWith(one)).toBe(true);
  });

  it('a stream that breaks off gives no half of the data', async () => {
    const { client } = await open([{ json: good, cutAfter: 3 }]);
    const options = { urls: first(), schema: thing, onPartial: () => undefined };
    expect(await failure(client.extract(options))).toMatchObject({ code: 'MODEL_FAILED' });
  });
});
