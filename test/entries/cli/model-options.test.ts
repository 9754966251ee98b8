/** Models on the command line, against an endpoint on loopback that speaks the protocol. */
import { serve } from 'pagewright/testing';
import { expect, test } from 'vitest';
import { openAiServer } from '../../support/openai-server.ts';
import { commandLine } from './command-line.ts';

const lamp = '<title>Lamp</title><main><h1>Lamp</h1><p>It costs 12.50 and weighs 3 kg.</p></main>';

test('extract --prompt asks the model at --model-url', async () => {
  await using site = await serve({ '/lamp': lamp });
  await using model = await openAiServer([{ json: { weight: '3 kg' } }]);
  const { code, stdout, stderr } = await commandLine([
    'extract', site.url('/lamp'), '--prompt', 'its weight', '--allow', '127.0.0.1',
    '--model', 'small:8b', '--model-url', model.baseUrl,
  ]); // prettier-ignore
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toEqual({ weight: '3 kg' });
  expect(model.calls[0]?.body).toMatchObject({ model: 'small:8b' });
  expect(model.calls[0]?.headers.authorization).toBeUndefined();
});

test('scrape --question and --prompt ask it, with the key of the provider', async () => {
  await using model = await openAiServer(({ body }) =>
    JSON.stringify(body).includes('How heavy')
      ? { json: { answer: '3 kg', quotes: ['weighs 3 kg'] } }
      : { json: { price: 12.5 } },
  );
  const before = process.env['OPENAI_API_KEY'];
  process.env['OPENAI_API_KEY'] = 'sk-of-the-test';
  try {
    const { code, stdout, stderr } = await commandLine(
      [
        'scrape', '-', '--url', 'https://a.test/lamp', '--question', 'How heavy is it?',
        '--prompt', 'the price', '--model', 'openai:gpt-x', '--model-url', model.baseUrl,
      ],
      { stdin: lamp },
    ); // prettier-ignore
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      question: { answer: '3 kg', status: 'supported' },
      json: { price: 12.5 },
    });
    expect(model.calls[0]?.headers.authorization).toBe('Bearer sk-of-the-test');
    expect(model.calls[0]?.body).toMatchObject({ model: 'gpt-x' });
  } finally {
    if (before === undefined) delete process.env['OPENAI_API_KEY'];
    else process.env['OPENAI_API_KEY'] = before;
  }
});

test('the endpoint may be on this machine, and pages still may not', async () => {
  await using site = await serve({ '/lamp': lamp });
  await using model = await openAiServer([{ json: {} }]);
  const { code, stderr } = await commandLine([
    'scrape', site.url('/lamp'), '--prompt', 'x', '--model', 'm', '--model-url', model.baseUrl,
  ]); // prettier-ignore
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^BLOCKED_ADDRESS/) as string,
  });
  expect(model.calls).toEqual([]);
});

// Starts a browser.
test('scrape --act has the model do a task on the page', async () => {
  await using site = await serve({
    '/': `<title>Lamp</title><main><h1>Lamp</h1><button onclick="out.textContent = 'More of it'">More</button><p id="out"></p></main>`,
  });
  const effect = { kind: 'textAppears', text: 'More of it', role: null };
  const json = { status: 'steps', steps: [{ action: 'click', element: 0, effect }] };
  await using model = await openAiServer([{ json }]);
  const { code, stdout, stderr } = await commandLine([
    'scrape', site.url('/'), '--act', 'show more', '--allow', '127.0.0.1', '--json',
    '--model', 'small:8b', '--model-url', model.baseUrl,
  ]); // prettier-ignore
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    markdown: expect.stringContaining('More of it') as string,
    actions: { acts: [{ outcome: 'learned', calls: 1, steps: ['click button "More"'] }] },
    metadata: { modelUsage: { requests: 1 } },
  });
}, 180_000);

test.each([
  [['--model', 'gpt-5'], 'name the provider, as in openai:gpt-5-mini'],
  [['--model', 'nobody:gpt-5'], 'openrouter'],
  [['--model', 'mistral:small'], 'MISTRAL_API_KEY, which is not set'],
  [['--model-url', 'http://localhost:1/v1'], '--model-url needs --model'],
  [['--model', 'm', '--model-url', 'localhost'], 'baseUrl'],
])('wrong use: %j', async (words, message) => {
  const { code, stderr } = await commandLine(['scrape', 'https://a.test/', ...words]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
});

test('--question without a model says what to add', async () => {
  const { code, stderr } = await commandLine(
    ['scrape', '-', '--url', 'https://a.test/', '--question', 'Why?'],
    { stdin: lamp },
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('--model <provider:name>') as string,
  });
});
