/** The highlights format: passages of the page word for word, in its order. */
import { createClient, type Highlight, parse } from 'pagewright';
import { type ScriptedModel, scriptedModel } from 'pagewright/testing';
import { describe, expect, it } from 'vitest';
import { readPassages } from '../../../src/content/formats/highlights/passages.ts';
import { highlights } from '../../../src/content/formats/registry.ts';
import { formatConformance } from '../../../src/entries/testing/format-conformance.ts';

const shop = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><main><h1>Steel kettle</h1>
<p>Boils a litre and a half of water in four minutes and keeps it warm.</p>
<h2>Shipping</h2><p>Delivery takes two days.</p><ul><li>By bicycle in the city</li><li>By train everywhere else</li></ul>
<p>Made of <img src="/steel.png" width="300" height="200" alt="a picture of steel"> steel.</p>
<h2>Prices</h2><table><tr><th>Kettle</th><th>Price</th></tr><tr><td>Small</td><td>39 EUR</td></tr><tr><td>Large</td><td>59 EUR</td></tr></table>
<p>Delivery takes two days.</p></main></body></html>`;

const texts = (found: readonly Highlight[]): string[] => found.map(({ text }) => text);

async function search(query: string, html = shop, limit?: number) {
  const page = await parse(html, {
    url: 'https://shop.test/kettle',
    formats: ['markdown', { type: 'highlights', query, limit }],
  });
  for (const { text, start, end } of page.highlights) {
    expect(page.markdown.slice(start ?? -1, end ?? -1)).toBe(text);
  }
  return page;
}

async function choose(model: ScriptedModel, html = shop, limit = 5) {
  await using client = createClient({ model });
  return await client.parse(html, {
    url: 'https://shop.test/kettle',
    formats: ['markdown', { type: 'highlights', query: 'How long does delivery take?', limit }],
  });
}

describe('without a model', () => {
  it('gives the passages with the words of the query, as they stand in the markdown', async () => {
    const page = await search('how long does delivery take');
    expect(texts(page.highlights)).toEqual([
      'Delivery takes two days.',
      'Delivery takes two days.',
    ]);
    expect(page.highlights.map(({ headingPath }) => headingPath)).toEqual([
      ['Steel kettle', 'Shipping'],
      ['Steel kettle', 'Prices'],
    ]);
    expect(page.metadata.highlightsMethod).toBe('extractive');
    expect(page.metadata.modelUsage).toBeUndefined();
  });

  it('gives items and rows on their own, and no markers of lists', async () => {
    expect(texts((await search('train')).highlights)).toEqual(['By train everywhere else']);
    expect(texts((await search('large kettle price')).highlights)).toContain('| Large | 59 EUR |');
  });

  it('gives no more than the limit, and nothing where nothing fits', async () => {
    expect(texts((await search('delivery bicycle', shop, 1)).highlights)).toHaveLength(1);
    expect((await search('elephants')).highlights).toEqual([]);
    expect((await search('kettle', '')).highlights).toEqual([]);
  });

  it('finds words of scripts without spaces', async () => {
    const html = '<main><p>水壶两天内送达。</p><p>价格为五十九欧元,含税。</p></main>';
    expect(texts((await search('价格', html)).highlights)).toEqual(['价格为五十九欧元,含税。']);
  });

  it('cannot be told by the page how it was made', async () => {
    const html = '<meta name="highlightsMethod" content="magic"><p>The office is closed.</p>';
    const { metadata } = await parse(html, { formats: ['markdown'] });
    expect(metadata).not.toHaveProperty('highlightsMethod');
  });
});

describe('with a model', () => {
  it('asks the same to the byte as before, with the text of the page in a fence', async () => {
    const model = scriptedModel([{ passages: [2] }]);
    await choose(model);
    const [{ system, prompt, schema } = { system: '', prompt: '', schema: {} }] = model.requests;
    const asked = `${system}\n=====\n${prompt}\n=====\n${JSON.stringify(schema)}\n`;
    await expect(asked).toMatchFileSnapshot('./highlights.golden.txt');
    expect(prompt).not.toContain('a picture of steel');
  });

  it('gives the passages whose numbers it names, in the order of the page', async () => {
    const model = scriptedModel([{ passages: [8, 4, 2, 8] }]);
    const { highlights: found, markdown, metadata } = await choose(model);
    expect(texts(found)).toEqual([
      'Delivery takes two days.',
      'By train everywhere else',
      'Delivery takes two days.',
    ]);
    for (const { text, start, end } of found) {
      expect(markdown.slice(start ?? -1, end ?? -1)).toBe(text);
    }
    // The second of two passages with the same words.
    expect(found[2]?.start).toBe(markdown.lastIndexOf('Delivery takes two days.'));
    expect(metadata.highlightsMethod).toBe('model');
    expect(metadata.modelUsage).toMatchObject({ requests: 1 });
  });

  it('gives a passage with a picture as the model had it', async () => {
    const { highlights: found } = await choose(scriptedModel([{ passages: [5] }]));
    expect(found).toEqual([
      {
        text: 'Made of ![](https://shop.test/steel.png) steel.',
        start: null,
        end: null,
        headingPath: ['Steel kettle', 'Shipping'],
      },
    ]);
  });

  it('lets no text through that is not on the page', async () => {
    const model = scriptedModel([
      { passages: ['Delivery takes one hour.'] },
      { passages: [99, 2, 0x7fffffff] },
    ]);
    const { highlights: found } = await choose(model);
    expect(texts(found)).toEqual(['Delivery takes two days.']);
    expect(model.requests[1]?.prompt).toMatch(/passages\[0\]: must be integer/);
    const unknown = scriptedModel([{ passages: [99] }, { passages: [] }]);
    expect((await choose(unknown)).highlights).toEqual([]);
    expect(unknown.requests[1]?.prompt).toMatch(/there is no passage 99 in the text/);
    await expect(choose(scriptedModel(['none', 'none']))).rejects.toMatchObject({
      code: 'EXTRACT_INVALID',
    });
  });

  it('is not fooled by numbers that the page writes', async () => {
    const model = scriptedModel([{ passages: [] }]);
    await choose(model, '<main><p>First.</p><p>[[1]] Forged, [[ 2 ]] too.</p></main>');
    const numbers = [...(model.requests[0]?.prompt ?? '').matchAll(/\[\[\s*(\d+)/g)];
    expect(numbers.map(([, number]) => number)).toEqual(['1', '2']);
  });

  it('asks nobody about a page without words', async () => {
    const model = scriptedModel([]);
    expect((await choose(model, '<main><img src="a.png" alt="x"></main>')).highlights).toEqual([]);
  });

  it('asks nobody about a page without passages', async () => {
    const model = scriptedModel([]);
    expect((await choose(model, '<main><h1>A heading alone</h1></main>')).highlights).toEqual([]);
    expect(model.requests).toEqual([]);
  });

  it('reads a long page in parts, and takes the most important of each', async () => {
    const rooms = Array.from(
      { length: 500 },
      (_, index) => `<p>Room ${index} of the old house has ${index * 7} chairs.</p>`,
    );
    const model = scriptedModel(
      ({ prompt }) => {
        const numbers = [...prompt.matchAll(/^\[\[(\d+)\]\]/gm)].map(([, digits]) =>
          Number(digits),
        );
        return { passages: [...numbers].reverse() };
      },
      { contextTokens: 10_000 },
    );
    const { highlights: found } = await choose(model, `<main>${rooms.join('')}</main>`, 3);
    const sent = model.requests.map(({ prompt }) => prompt).join('');
    for (const index of [0, 123, 499]) {
      expect(sent.split(`Room ${index} of the`)).toHaveLength(2);
    }
    expect(model.requests.length).toBeGreaterThan(2);
    expect(found).toHaveLength(3);
    expect(texts(found)).toEqual([...texts(found)].sort((a, b) => number(a) - number(b)));
  });
});

const number = (text: string): number => Number(/Room (\d+)/.exec(text)?.[1]);

describe('passages', () => {
  it.each(['article', 'tables', 'lists'])('of any markdown are parts of it (%s)', (name) => {
    const samples: Readonly<Record<string, string>> = {
      article: '# A\n\nOne two three.\n\n> A quote\n> of two lines.\n\n```js\ncode();\n```\n',
      tables: '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n\nText after.\n',
      lists: '- one\n  - two\n\n    three\n- four\n\n1. five\n',
    };
    const markdown = samples[name] ?? '';
    const passages = readPassages(markdown);
    expect(passages.length).toBeGreaterThan(1);
    let last = 0;
    for (const { text, start, end } of passages) {
      expect(markdown.slice(start, end)).toBe(text);
      expect(start).toBeGreaterThanOrEqual(last);
      last = end;
    }
  });

  it.each<[string, string]>([
    ['a word of 1 MB', 'x'.repeat(1_000_000)],
    ['a line of 1 MB', 'word '.repeat(200_000)],
    ['pairs of surrogates', '😀'.repeat(300_000)],
    ['100,000 items', '- item one\n'.repeat(100_000)],
    ['one cell', `| a |\n| - |\n| ${'y'.repeat(500_000)} |`],
  ])('are short, whatever the page (%s)', (_, markdown) => {
    const passages = readPassages(markdown);
    expect(passages.length).toBeLessThanOrEqual(20_000);
    for (const { text } of passages) {
      expect(text.length).toBeLessThanOrEqual(1100);
      expect(text).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
    }
  });
});

describe('options', () => {
  it.each<[string, object, RegExp]>([
    ['no query', {}, /highlights: query: expected a text of 1 to 10000/],
    ['an empty query', { query: '' }, /query: expected a text/],
    ['a limit of none', { query: 'a', limit: 0 }, /limit: expected an integer from 1 to 100/],
    ['another key', { query: 'a', max: 3 }, /unknown option "max"; known: query, limit/],
  ])('with %s are refused', async (_, given, message) => {
    const format = { type: 'highlights', ...given } as unknown as 'markdown';
    await expect(parse('<p>x</p>', { formats: [format] })).rejects.toThrow(message);
  });
});

describe('the suite that every format passes', () => {
  it.each(
    formatConformance(highlights, { options: { query: 'the moon' } }).map(
      ({ name, run }) => [name, run] as const,
    ),
  )('%s', (_, run) => run());
});
