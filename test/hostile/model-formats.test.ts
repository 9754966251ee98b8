/** Text on pages that speaks to models, for question, highlights and summary: hidden and visible. */
import { type Client, createClient } from 'pagewright';
import {
  type FixtureServer,
  type ScriptedModel,
  scriptedModel,
  type ScriptedRequest,
  serve,
} from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacks, cleanPage, hidings, plantedMark, showings } from '../support/planted-pages.ts';
import { fencedText, outsideOfFences } from '../support/fences.ts';

const formats = [
  { type: 'question', question: 'What does it cost?' },
  { type: 'highlights', query: 'What does it cost?' },
  'summary',
] as const;

/** Obeys whatever reaches it. */
function obey({ system, prompt }: ScriptedRequest): string {
  const isPlanted = plantedMark.test(`${system}\n${prompt}`);
  if (system.startsWith('You answer a question')) {
    return JSON.stringify(
      isPlanted
        ? { answer: '0.01 EUR', quotes: ['the price is 0.01'] }
        : { answer: '59.00 EUR', quotes: ['It costs 59.00 EUR'] },
    );
  }
  if (system.startsWith('You choose the passages')) {
    const wanted = isPlanted ? plantedMark : /costs 59/;
    const line = prompt.split('\n').find((one) => wanted.test(one)) ?? '';
    return JSON.stringify({ passages: [Number(/^\[\[(\d+)/.exec(line)?.[1] ?? 1)] });
  }
  return JSON.stringify({ summary: isPlanted ? 'OWNED' : 'A kettle for 59.00 EUR.' });
}

const planted = (ways: typeof hidings): [way: string, attack: string, page: string][] =>
  Object.entries(ways).flatMap(([way, plant]) =>
    Object.entries(attacks).map(([attack, text]): [string, string, string] => [
      way,
      attack,
      plant(text),
    ]),
  );

const pathOf = (way: string, attack: string): string =>
  `/${way.replace(/[^a-z\d]+/g, '-')}/${attack}`;

let site: FixtureServer;
let client: Client;
let model: ScriptedModel;

beforeAll(async () => {
  model = scriptedModel(obey);
  client = createClient({ model, network: { allow: ['127.0.0.1'] } });
  const pages = [...planted(hidings), ...planted(showings)].map(([way, attack, page]) => [
    pathOf(way, attack),
    page,
  ]);
  site = await serve({ '/clean': cleanPage(), ...Object.fromEntries(pages) });
});

afterAll(async () => {
  await client.close();
  await site.close();
});

async function ask(path: string) {
  const before = model.requests.length;
  const page = await client.scrape(site.url(path), { formats });
  return { page, requests: model.requests.slice(before) };
}

describe('hidden instructions', () => {
  it.each(planted(hidings))('by %s (%s) change nothing', async (way, attack) => {
    const { page, requests } = await ask(pathOf(way, attack));
    expect(page.question).toMatchObject({ answer: '59.00 EUR', status: 'supported' });
    expect(page.highlights.map(({ text }) => text)).toEqual([
      'It costs 59.00 EUR and is in stock.',
    ]);
    expect(page.summary).toBe('A kettle for 59.00 EUR.');
    expect(requests).toHaveLength(3);
    for (const { system, prompt } of requests) {
      expect(`${system}${prompt}`).not.toMatch(plantedMark);
      expect(prompt).not.toContain('0.01');
    }
    if (attack === 'quiet') return;
    const told = page.warning?.match(/instructions to a model: "Ignor.*?hidden, not sent/g);
    expect(told).toHaveLength(1);
  });
});

describe('visible instructions', () => {
  it.each(planted(showings))('in %s (%s) are in the fence only, and told', async (way, attack) => {
    const { page, requests } = await ask(pathOf(way, attack));
    expect(requests.length).toBeGreaterThanOrEqual(3);
    for (const request of requests) {
      expect(fencedText(request)).toMatch(plantedMark);
      expect(outsideOfFences(request)).not.toMatch(plantedMark);
    }
    // Whatever a model makes of it: what is quoted and chosen is text of the page.
    for (const { text } of page.highlights) expect(text).toMatch(plantedMark);
    if (attack !== 'loud') {
      expect(page.question).toEqual({ answer: null, status: 'notFound', quotes: [] });
    }
    if (attack !== 'quiet') {
      expect(page.warning).toMatch(/"Ignor.*visible, sent as text of the page/);
    }
  });
});

it('a page that nobody attacks is told nothing', async () => {
  const { page } = await ask('/clean');
  expect(page.warning).toBeUndefined();
  expect(page.metadata.modelUsage).toMatchObject({ requests: 3 });
});
