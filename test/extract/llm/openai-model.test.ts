import { describe, expect, it } from 'vitest';
import { createClient, openAiModel, type OpenAiModelOptions, PagewrightError } from 'pagewright';
import { serve } from '../../../src/entries/testing/index.ts';
import { type ClientModel, clientModel } from '../../support/client-model.ts';
import { failure } from '../../support/failure.ts';
import { lamp, lampSchema as schema } from '../../support/lamp.ts';
import { openAiServer, type OpenAiServer } from '../../support/openai-server.ts';

function open(server: OpenAiServer, options: Partial<OpenAiModelOptions> = {}): ClientModel {
  return clientModel(openAiModel({ baseUrl: server.baseUrl, model: 'm', ...options }));
}

describe('a question', () => {
  it('is one POST with the key, the instructions and the prompt; text and usage come back', async () => {
    await using server = await openAiServer([{ text: 'It is a lamp.' }]);
    await using client = open(server, {
      apiKey: 'secret-key',
      headers: { 'X-Team': 'a' },
      price: { input: 2, output: 10 },
    });
    const answer = await client.ask({ maxOutputTokens: 50 });

    expect(answer).toEqual({
      text: 'It is a lamp.',
      usage: { inputTokens: 100, outputTokens: 10, cost: 0.0003 },
    });
    expect(server.calls).toHaveLength(1);
    const [{ path, headers, body }] = server.calls as [OpenAiServer['calls'][number]];
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({
      authorization: 'Bearer secret-key',
      'x-team': 'a',
      'user-agent': 'test/1',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
    expect(body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Do it.' },
        { role: 'user', content: 'A page.' },
      ],
      max_tokens: 50,
      temperature: 0,
    });
  });

  it('has its tokens estimated where the server does not count, and no cost without a price', async () => {
    await using server = await openAiServer([{ text: 'It is a lamp.', usage: false }]);
    await using client = open(server);
    const { usage } = await client.ask();
    expect(usage.inputTokens).toBeGreaterThan(2);
    expect(usage.outputTokens).toBeGreaterThan(2);
    expect(usage).not.toHaveProperty('cost');
  });

  it('tells that an answer was cut', async () => {
    await using server = await openAiServer([{ text: '{"name":"La', finishReason: 'length' }]);
    await using client = open(server);
    const answer = await client.ask({ schema });
    expect(answer).toMatchObject({ text: '{"name":"La', isCut: true });
  });
});

describe('structured output', () => {
  it('is a strict schema within the limits of the provider; nulls for what is absent are dropped', async () => {
    await using server = await openAiServer([{ json: { name: 'Lamp', price: null } }]);
    await using client = open(server);
    expect(await client.value({ ...schema, 'x-selector': '.product' })).toEqual({ name: 'Lamp' });
    const { response_format: format } = server.calls[0]!.body as {
      response_format: { json_schema: { schema: object } };
    };
    expect(format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          properties: { name: { type: 'string' }, price: { type: ['number', 'null'] } },
          required: ['name', 'price'],
          additionalProperties: false,
        },
      },
    });
  });

  it('wraps a list and gives it back without its wrapper', async () => {
    await using server = await openAiServer([{ json: { value: [lamp] } }]);
    await using client = open(server);
    expect(await client.value({ type: 'array', items: schema })).toEqual([lamp]);
  });

  it.each([
    ['a tool', ['json_schema'], 'tools', 1],
    ['a JSON object', ['json_schema', 'tool'], 'response_format', 2],
    ['the prompt alone', ['json_schema', 'tool', 'json_object'], 'messages', 3],
  ] as const)(
    'steps down to %s where the server lacks more, once',
    async (_, lacks, key, refused) => {
      await using server = await openAiServer([{ json: lamp }], lacks);
      await using client = open(server);
      expect(await client.value(schema)).toEqual(lamp);
      expect(server.calls).toHaveLength(refused + 1);
      expect(server.calls.at(-1)!.body[key]).toBeDefined();

      expect(await client.value(schema)).toEqual(lamp);
      expect(server.calls).toHaveLength(refused + 2);
    },
  );

  it('puts the schema in the prompt where the server does not take it, without our own keywords', async () => {
    await using server = await openAiServer([{ text: '```json\n{"name":"Lamp"}\n```' }]);
    await using client = open(server, { structured: 'none' });
    expect(await client.value({ ...schema, 'x-selector': '.product' })).toEqual({ name: 'Lamp' });
    const [system] = server.calls[0]!.body['messages'] as [{ content: string }];
    expect(system.content).toContain('Do it.\n\nAnswer with JSON only');
    expect(system.content).toContain(JSON.stringify(schema));
    expect(server.calls[0]!.body).not.toHaveProperty('response_format');
  });

  it('asks again without a tool where the server ignores it; both answers are paid', async () => {
    await using server = await openAiServer(
      [{ text: 'A lamp!', ignoresTools: true }, { json: lamp }],
      ['json_schema'],
    );
    await using client = open(server);
    const answer = await client.ask({ schema });
    expect(JSON.parse(answer.text)).toEqual(lamp);
    expect(answer.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
  });

  it('does not step down where the caller chose, and says what the server said', async () => {
    await using server = await openAiServer([{ json: lamp }], ['json_schema']);
    await using client = open(server, { structured: 'json_schema' });
    const error = await failure(client.ask({ schema }));
    expect(error).toMatchObject({ code: 'MODEL_FAILED' });
    expect(error.message).toContain('response_format');
    expect(server.calls).toHaveLength(1);
  });

  it('learns what newer and older servers do not take', async () => {
    const lacks = ['max_tokens', 'temperature', 'stream_options'] as const;
    await using server = await openAiServer([{ text: 'ok' }], lacks);
    await using client = open(server);
    const heard: string[] = [];
    const request = { maxOutputTokens: 9, onText: (text: string) => heard.push(text) };
    expect(await client.ask(request)).toMatchObject({ text: 'ok' });
    expect(server.calls.at(-1)!.body).toMatchObject({ max_completion_tokens: 9, stream: true });
    expect(server.calls.at(-1)!.body).not.toHaveProperty('temperature');
    expect(server.calls).toHaveLength(4);
    await client.ask(request);
    expect(server.calls).toHaveLength(5);
  });
});

describe('a stream', () => {
  it('is told as it comes, the wrapper of a list left out, and is whole in the answer', async () => {
    await using server = await openAiServer([{ json: { value: [lamp, { name: 'Größe 🦉 }' }] } }]);
    await using client = open(server);
    const heard: string[] = [];
    const answer = await client.ask({
      schema: { type: 'array', items: schema },
      onText: (text) => heard.push(text),
    });
    expect(heard.length).toBeGreaterThan(3);
    expect(JSON.parse(heard.join(''))).toEqual([lamp, { name: 'Größe 🦉 }' }]);
    expect(JSON.parse(answer.text)).toEqual([lamp, { name: 'Größe 🦉 }' }]);
    expect(answer.usage).toEqual({ inputTokens: 100, outputTokens: 10 });
  });

  it('is that of a tool, too', async () => {
    await using server = await openAiServer([{ json: lamp }], ['json_schema']);
    await using client = open(server);
    const heard: string[] = [];
    const answer = await client.ask({ schema, onText: (text) => heard.push(text) });
    expect(JSON.parse(heard.join(''))).toEqual(lamp);
    expect(JSON.parse(answer.text)).toEqual(lamp);
  });

  it('is tried again when it breaks before its first word, and not after', async () => {
    await using early = await openAiServer([{ text: 'one two', cutAfter: 1 }, { text: 'one two' }]);
    await using first = open(early);
    const heard: string[] = [];
    expect(await first.ask({ onText: (text) => heard.push(text) })).toMatchObject({
      text: 'one two',
    });
    expect(heard.join('')).toBe('one two');

    await using late = await openAiServer([{ text: 'one two three four', cutAfter: 2 }]);
    await using second = open(late);
    const error = await failure(second.ask({ onText: () => undefined }));
    expect(error.code).toBe('MODEL_FAILED');
    expect(late.calls).toHaveLength(1);
  });

  it('may be answered at once by a server that does not stream', async () => {
    const raw = JSON.stringify({
      choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }],
    });
    const headers = { 'content-type': 'application/json' };
    await using server = await openAiServer([{ raw, headers }]);
    await using client = open(server);
    const heard: string[] = [];
    expect(await client.ask({ onText: (text) => heard.push(text) })).toMatchObject({
      text: 'whole',
    });
    expect(heard).toEqual(['whole']);
  });

  it('rejects with what the listener throws', async () => {
    await using server = await openAiServer([{ text: 'one two three four' }]);
    await using client = open(server);
    const stop = new PagewrightError('CANCELLED', 'enough');
    const asked = client.ask({
      onText: () => {
        throw stop;
      },
    });
    expect(await failure(asked)).toBe(stop);
    expect(server.calls).toHaveLength(1);
  });
});

describe('what passes by itself is tried again', () => {
  it.each([
    [
      'a rate limit',
      { status: 429, error: { message: 'slow down' }, headers: { 'retry-after': '0' } },
    ],
    ['a failing server', { status: 503, error: { message: 'overloaded' } }],
    ['a broken connection', { reset: true }],
    ['an error in place of an answer', { error: { message: 'overloaded', code: 502 } }],
  ])('%s', async (_, turn) => {
    await using server = await openAiServer([turn, { text: 'ok' }]);
    await using client = open(server);
    expect(await client.ask()).toMatchObject({ text: 'ok' });
    // A connection that was kept alive is opened again by the transport itself.
    expect(server.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('three times at most; then the error has the server’s words', async () => {
    await using server = await openAiServer([{ status: 500, error: { message: 'out of memory' } }]);
    await using client = open(server);
    const error = await failure(client.ask());
    expect(error.code).toBe('MODEL_FAILED');
    expect(error.message).toMatch(/answered 500: out of memory\. .*The model was called 3 times\./);
    expect(server.calls).toHaveLength(3);
  });

  it('a wait that is too long is the caller’s to decide', async () => {
    const headers = { 'retry-after': '3600' };
    await using server = await openAiServer([{ status: 429, error: { message: 'slow' }, headers }]);
    await using client = open(server);
    expect(await failure(client.ask())).toMatchObject({
      code: 'MODEL_FAILED',
      retryAfter: 3_600_000,
    });
    expect(server.calls).toHaveLength(1);
  });
});

describe('what does not pass fails at once', () => {
  it.each([
    [401, 'Incorrect API key provided: sk-proj-abcdef123456', /Check the API key/],
    [403, 'no access', /may use this model/],
    [404, 'model not found', /Check the base URL and the name/],
    [400, 'maximum context length is 4096 tokens', /maximum context length/],
    [429, 'You exceeded your current quota (insufficient_quota)', /plan and billing/],
  ])('%i', async (status, message, words) => {
    await using server = await openAiServer([{ status, error: { message } }]);
    await using client = open(server, { apiKey: 'sk-proj-abcdef123456' });
    const error = await failure(client.ask({ schema }));
    expect(error.code).toBe('MODEL_FAILED');
    expect(error.message).toMatch(words);
    expect(JSON.stringify(error) + String(error.stack)).not.toContain('abcdef123456');
    expect(server.calls).toHaveLength(1);
  });

  it('a key or header that the server repeats is not in the message', async () => {
    const message = 'bad header tok3n-of-team and key my.private.key';
    await using server = await openAiServer([{ status: 400, error: message }]);
    await using client = open(server, {
      apiKey: 'my.private.key',
      headers: { 'x-token': 'tok3n-of-team' },
    });
    const error = await failure(client.ask());
    expect(error.message).toContain('bad header [hidden] and key [hidden]');
  });

  it.each([
    [
      'a redirect',
      { status: 307, headers: { location: 'http://127.0.0.1:2/' }, raw: '' },
      /Redirects are not followed/,
    ],
    ['a web page', { raw: '<html>' }, /not JSON.*baseUrl/],
    ['another encoding', { raw: 'x', headers: { 'content-encoding': 'br' } }, /encoding "br"/],
    ['an endless answer', { text: 'x', padding: 17 * 1024 * 1024 }, /larger than 16777216 bytes/],
    ['a refusal', { refusal: 'I cannot help with that.' }, /did not answer: I cannot help/],
    ['a filter', { text: '', finishReason: 'content_filter' }, /content filter/],
  ])('%s', async (_, turn, words) => {
    await using server = await openAiServer([turn]);
    await using client = open(server);
    const error = await failure(client.ask());
    expect(error.code).toBe('MODEL_FAILED');
    expect(error.message).toMatch(words);
    expect(server.calls).toHaveLength(1);
  });

  it('an endless error is read as far as it says something', async () => {
    const raw = `{"error":{"message":"no"}}${' '.repeat(1_000_000)}`;
    await using server = await openAiServer([{ status: 400, raw }]);
    await using client = open(server);
    expect((await failure(client.ask())).message).toMatch(/answered 400: no\./);
  });
});

describe('the network policy', () => {
  it('holds: a private address is refused, and nothing is sent', async () => {
    await using server = await openAiServer([{ text: 'ok' }]);
    const model = openAiModel({ baseUrl: server.baseUrl, model: 'm' });
    await using closed = clientModel(model, {});
    expect(await failure(closed.ask())).toMatchObject({ code: 'BLOCKED_ADDRESS' });
    expect(server.calls).toHaveLength(0);
  });

  it('is not passed by: a model that no client has asks nobody', async () => {
    await using server = await openAiServer([{ text: 'ok' }]);
    const model = openAiModel({ baseUrl: server.baseUrl, model: 'm' });
    const asked = model.generate({ system: '', prompt: 'x', signal: new AbortController().signal });
    expect((await failure(asked)).message).toMatch(/createClient\(\{ model \}\)/);
    expect(server.calls).toHaveLength(0);
  });

  it('stays with the client that has it: pages of a client with a model are fetched as before', async () => {
    await using server = await openAiServer([{ text: 'ok' }]);
    await using site = await serve({ '/': '<p>Hello</p>' });
    await using client = createClient({
      model: openAiModel({ baseUrl: server.baseUrl, model: 'm' }),
      browser: false,
      network: { allow: ['127.0.0.1'] },
    });
    expect(await client.scrape(site.url('/'))).toMatchObject({ markdown: 'Hello' });
    expect(server.calls).toHaveLength(0);
  });
});

describe('an abort', () => {
  it('ends a request that is under way, with its reason', async () => {
    await using server = await openAiServer([{ text: 'late', delay: 60_000 }]);
    await using client = open(server);
    const controller = new AbortController();
    const asked = client.ask({ signal: controller.signal });
    while (server.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new PagewrightError('CANCELLED', 'over');
    controller.abort(reason);
    expect(await failure(asked)).toBe(reason);
    expect(server.calls).toHaveLength(1);
  });

  it('ends the wait between attempts', async () => {
    const headers = { 'retry-after': '20' };
    await using server = await openAiServer([{ status: 429, error: 'slow', headers }]);
    await using client = open(server);
    const controller = new AbortController();
    const asked = client.ask({ signal: controller.signal });
    while (server.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(new PagewrightError('CANCELLED', 'over'));
    expect(await failure(asked)).toMatchObject({ code: 'CANCELLED' });
  });
});

describe('embeddings', () => {
  it('are vectors in the order of the texts, a hundred at a time', async () => {
    await using server = await openAiServer(({ body }) => {
      const input = body['input'] as string[];
      const data = input.map((text, index) => ({ index, embedding: [Number(text), 1] })).reverse();
      return { json: { data, usage: { prompt_tokens: input.length } } };
    });
    await using client = open(server, { embeddingModel: 'e' });
    const texts = Array.from({ length: 150 }, (_, index) => String(index));
    const { vectors, usage } = (await client.model.embed?.(texts, new AbortController().signal))!;
    expect(vectors).toEqual(texts.map((text) => [Number(text), 1]));
    expect(usage).toEqual({ inputTokens: 150, outputTokens: 0 });
    expect(server.calls.map(({ path, body }) => [path, body['model']])).toEqual([
      ['/v1/embeddings', 'e'],
      ['/v1/embeddings', 'e'],
    ]);
  });

  it('fail when some are missing, and are not there without a model for them', async () => {
    await using server = await openAiServer([{ json: { data: [{ index: 0, embedding: ['x'] }] } }]);
    await using client = open(server, { embeddingModel: 'e' });
    const error = await failure(client.model.embed!(['a'], new AbortController().signal));
    expect(error.message).toMatch(/0 vectors for 1 texts/);
    expect(openAiModel({ baseUrl: server.baseUrl, model: 'm' }).embed).toBeUndefined();
  });
});

describe('wrong options', () => {
  it.each([
    [{ baseUrl: 'ftp://x/' }, /baseUrl: expected a URL with http/],
    [{ baseUrl: 'http://u:hunter2@x/' }, /baseUrl: expected/],
    [{ model: '' }, /model: expected a text/],
    [{ apiKey: 'my key' }, /apiKey: expected printable ASCII without spaces$/],
    [{ structured: 'xml' }, /structured: expected one of 'json_schema'/],
    [{ price: { input: 1 } }, /price: expected \{ input, output \}/],
    [{ contextTokens: 10 }, /contextTokens: expected a whole number of at least 1000/],
    [{ headers: { a: 1 } }, /headers: expected an object/],
    [{ apikey: 'x' }, /unknown option "apikey"; did you mean "apiKey"/],
  ])('%j', (wrong, message) => {
    const make = (): unknown =>
      openAiModel({ baseUrl: 'http://x.test/v1', model: 'm', ...(wrong as object) });
    expect(make).toThrow(message);
    expect(make).not.toThrow(/hunter2|my key/);
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});
