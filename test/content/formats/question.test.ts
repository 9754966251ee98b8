/** The question format: an answer with quotes that are on the page, or none. */
import { type Client, createClient, scrape } from 'pagewright';
import { modelTurn, type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';

const lamp = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>Desk lamp</h1><p>A lamp for desks, with a <b>long arm</b> and a heavy foot.</p>
<p>It costs 1,299.00 EUR. Delivery takes two days.</p>
<p>More in the <a href="/manual">manual</a>, which is <img src="/book.png" width="300" height="200" alt="A thick book"> long.</p>
<p>It costs 1,299.00 EUR.</p></main></body></html>`;

const url = 'https://shop.test/lamp';

function clientWith(model: ScriptedModel): Client {
  return createClient({ model, network: { allow: ['127.0.0.1'] } });
}

const answer = (text: string | null, ...quotes: string[]): object => ({ answer: text, quotes });

/** What the page gives when the model answers so. */
async function ask(answers: readonly (object | string)[], html = lamp) {
  const model = scriptedModel(answers);
  await using client = clientWith(model);
  const page = await client.parse(html, {
    url,
    formats: ['markdown', { type: 'question', question: 'What does it cost?' }],
  });
  return { ...page, requests: model.requests, remaining: model.remaining };
}

describe('what the model is asked', () => {
  it('is the same to the byte as it was, with the text of the page in a fence', async () => {
    const { requests } = await ask([answer('1,299 EUR', 'It costs 1,299.00 EUR.')]);
    const [{ system, prompt, schema } = { system: '', prompt: '', schema: {} }] = requests;
    const asked = `${system}\n=====\n${prompt}\n=====\n${JSON.stringify(schema)}\n`;
    await expect(asked).toMatchFileSnapshot('./question.golden.txt');
  });

  it('is nothing about a page without words', async () => {
    const { question, requests } = await ask([], '<main><img src="a.png" alt="Price: 5"></main>');
    expect(question).toEqual({ answer: null, status: 'notFound', quotes: [] });
    expect(requests).toEqual([]);
  });
});

describe('the answer', () => {
  it('has the quotes as they stand in the markdown, in the order of the page', async () => {
    const { question, markdown, metadata, warning } = await ask([
      answer('Two days, for 1299 euros', 'delivery takes two days', '“It costs 1,299.00 EUR.”'),
    ]);
    expect(question.status).toBe('supported');
    expect(question.answer).toBe('Two days, for 1299 euros');
    expect(question.quotes.map(({ quote }) => quote)).toEqual([
      'It costs 1,299.00 EUR.',
      'Delivery takes two days',
    ]);
    for (const { start, end, quote, url: from } of question.quotes) {
      expect(markdown.slice(start ?? -1, end ?? -1)).toBe(quote);
      expect(from).toBe(url);
    }
    expect(metadata.modelUsage).toMatchObject({ requests: 1 });
    expect(warning).toBeUndefined();
  });

  it('is honest when the page does not say it', async () => {
    const { question, warning } = await ask([answer(null)]);
    expect(question).toEqual({ answer: null, status: 'notFound', quotes: [] });
    expect(warning).toBeUndefined();
  });

  it('is found where it has the marks of emphasis, and without an offset beside a picture', async () => {
    const { question, markdown } = await ask([
      answer('a thick one', 'with a long arm', 'which is long'),
    ]);
    const [first, second] = question.quotes;
    expect(first?.quote).toBe('with a **long arm');
    expect(markdown).toContain('A thick book');
    expect(second).toMatchObject({ start: null, end: null });
  });

  it('is asked for again when a quote is not on the page', async () => {
    const good = answer('1,299.00 EUR', 'It costs 1,299.00 EUR');
    const { question, requests, metadata } = await ask([
      answer('1,299.00 EUR', 'It is 1,299.00 EUR'),
      good,
    ]);
    expect(question.status).toBe('supported');
    expect(requests[1]?.prompt).toMatch(/quotes\[0\]: this is not in the text of the page/);
    expect(metadata.modelUsage).toMatchObject({ requests: 2 });
  });

  it('is left out when its quotes are made up twice', async () => {
    const { question, warning } = await ask([
      answer('3 EUR', 'It costs 3 EUR'),
      answer('3 EUR', '…'),
    ]);
    expect(question).toEqual({ answer: null, status: 'notFound', quotes: [] });
    expect(warning).toMatch(/without a quote that is on the page; it was left out/);
  });

  it('keeps the quotes that are on the page, and is not verified then', async () => {
    const some = answer('1,299.00 EUR', 'It costs 1,299.00 EUR.', 'and not a cent more');
    const { question } = await ask([some, some]);
    expect(question.status).toBe('unverified');
    expect(question.quotes).toHaveLength(1);
  });

  it('is not verified when it has a number that no quote has', async () => {
    const { question, warning } = await ask([answer('2,598 EUR a pair', 'It costs 1,299.00 EUR.')]);
    expect(question).toMatchObject({ answer: '2,598 EUR a pair', status: 'unverified' });
    expect(warning).toMatch(/the quotes do not have 2,598 of the answer/);
  });

  it('is text without markup', async () => {
    const text = '**1,299** EUR ![x](https://evil.test/?q=1), see the [shop](https://evil.test/)';
    const { question } = await ask([answer(text, 'It costs 1,299.00 EUR.')]);
    expect(question).toMatchObject({ answer: '1,299 EUR x, see the shop', status: 'supported' });
  });

  it('cannot be a key of the prototype, or anything but the shape', async () => {
    const { question } = await ask([
      '{"__proto__":{"answer":"x"},"answer":5,"quotes":[]}',
      '{"__proto__":{"answer":"x"},"answer":null,"quotes":[]}',
    ]);
    expect(question.answer).toBeNull();
    await expect(ask(['no idea', 'still none'])).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
      url,
    });
    await expect(ask([modelTurn({ text: '{"answer":"1', isCut: true }), '[]'])).rejects.toThrow(
      /Use another model/,
    );
  });
});

describe('a long page', () => {
  const long = `<main>${Array.from(
    { length: 400 },
    (_, index) => `<h2>Part ${index}</h2><p>Room ${index} has ${index * 7} chairs of old oak.</p>`,
  ).join('')}</main>`;

  it('is asked about in parts, whose answers become one', async () => {
    const model = scriptedModel(
      ({ system, prompt }) => {
        if (system.includes('the answers that its parts gave')) {
          expect(prompt).toMatch(/<page-text-[\da-f]{16}>\nURL:/);
          return answer('21 and 2,723', 'Room 3 has 21 chairs', 'Room 389 has 2723 chairs');
        }
        const quotes = [3, 389].flatMap(
          (room) => new RegExp(`Room ${room} has \\d+ chairs`).exec(prompt)?.[0] ?? [],
        );
        return quotes.length === 0 ? answer(null) : answer(`some: ${quotes.length}`, ...quotes);
      },
      { contextTokens: 6000 },
    );
    await using client = clientWith(model);
    const { question, markdown } = await client.parse(long, {
      formats: ['markdown', { type: 'question', question: 'How many chairs?' }],
    });
    expect(model.requests.length).toBeGreaterThan(3);
    expect(question.status).toBe('supported');
    expect(question.quotes.map(({ quote }) => quote)).toEqual([
      'Room 3 has 21 chairs',
      'Room 389 has 2723 chairs',
    ]);
    expect(markdown.slice(question.quotes[1]?.start ?? -1)).toMatch(/^Room 389/);
  });

  it('needs no further request when one part has the answer', async () => {
    const model = scriptedModel(
      ({ prompt }) =>
        prompt.includes('Room 3 has') ? answer('21', 'Room 3 has 21 chairs') : answer(null),
      { contextTokens: 6000 },
    );
    await using client = clientWith(model);
    const { question } = await client.parse(long, {
      formats: [{ type: 'question', question: 'How many chairs are in room 3?' }],
    });
    expect(question).toMatchObject({ answer: '21', status: 'supported' });
    expect(model.requests.every(({ system }) => system.includes('one part of it'))).toBe(true);
  });

  it('fails when the model takes too little of it', async () => {
    const model = scriptedModel(() => answer(null), { contextTokens: 100 });
    await using client = clientWith(model);
    const much = long.repeat(8);
    await expect(
      client.parse(much, { formats: [{ type: 'question', question: 'How many?' }] }),
    ).rejects.toMatchObject({ code: 'PARSE_LIMIT' });
    expect(model.requests).toEqual([]);
  });
});

describe('options', () => {
  it('need a model, before anything is fetched', async () => {
    await expect(
      scrape('https://shop.test', { formats: [{ type: 'question', question: 'Why?' }] }),
    ).rejects.toMatchObject({ code: 'MODEL_REQUIRED' });
  });

  it.each<[string, unknown, RegExp]>([
    ['no question', { type: 'question' }, /question: question: expected a text of 1 to 10000/],
    ['a name alone', 'question', /question: expected a text/],
    ['white space', { type: 'question', question: ' ' }, /expected a text/],
    ['a long text', { type: 'question', question: 'x'.repeat(10_001) }, /expected a text/],
    [
      'another key',
      { type: 'question', question: 'Why?', quotes: 3 },
      /unknown option "quotes"; known: question/,
    ],
  ])('with %s are refused', async (_, format, message) => {
    await using client = clientWith(scriptedModel([]));
    await expect(
      client.scrape('https://shop.test', { formats: [format as 'markdown'] }),
    ).rejects.toThrow(message);
  });
});
