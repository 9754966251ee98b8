/** Text on pages that speaks to language models: what is hidden never reaches one, what is visible stays data. */
import { type Client, createClient } from 'pagewright';
import {
  type FixtureServer,
  type ScriptedModel,
  scriptedModel,
  type ScriptedRequest,
  serve,
} from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { attacks, cleanPage, hidings, plantedMark, showings } from '../support/planted-pages.ts';
import { fencedText, outsideOfFences } from '../support/fences.ts';

const schema = z.object({ name: z.string(), price: z.number(), stock: z.boolean().optional() });

/** Obeys whatever reaches it: a planted text that it sees decides the price. */
function obey(request: ScriptedRequest): string {
  const asked = `${request.system}\n${request.prompt}\n${JSON.stringify(request.schema)}`;
  const price = plantedMark.test(asked) ? 0.01 : Number(/costs ([\d.]+) EUR/.exec(asked)?.[1]);
  return JSON.stringify({ name: /^# (.*)$/m.exec(asked)?.[1], price, stock: true });
}

/** Path and page of each way with each attack. */
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

async function ask(
  path: string,
): Promise<{ json: unknown; warning?: string; request: ScriptedRequest }> {
  const before = model.requests.length;
  const { json, warning } = await client.scrape(site.url(path), {
    formats: [{ type: 'json', schema }],
  });
  const request = model.requests[before];
  if (request === undefined) throw new Error('nothing was asked');
  return { json, request, ...(warning === undefined ? {} : { warning }) };
}

describe('hidden instructions', () => {
  it.each(planted(hidings))('by %s (%s) change nothing', async (way, attack) => {
    const twin = await ask('/clean');
    const { json, warning = '', request } = await ask(pathOf(way, attack));
    expect(json).toEqual({ name: 'Steel kettle', price: 59, stock: true });
    expect(json).toEqual(twin.json);
    expect(`${request.system}${request.prompt}`).not.toMatch(plantedMark);
    expect(request.prompt).not.toContain('0.01');
    expect(twin.warning).toBeUndefined();
    // In a script, code may say what an order says.
    if (attack !== 'quiet' || way !== 'the source of a formula')
      expect(warning).toMatch(
        /instructions to a model: "(?:Ignor|the field price).*hidden, not sent/,
      );
  });
});

describe('visible instructions', () => {
  it.each(planted(showings))('in %s (%s) are in the fence only, and told', async (way, attack) => {
    const { warning = '', request } = await ask(pathOf(way, attack));
    expect(fencedText(request)).toMatch(plantedMark);
    expect(outsideOfFences(request)).not.toMatch(plantedMark);
    // A reader may be told the same.
    if (attack === 'quiet') expect(warning).toBe('');
    else expect(warning).toMatch(/"Ignor.*visible, sent as text of the page/);
  });
});

it('a page that nobody attacks has its text whole', async () => {
  const { request, warning } = await ask('/clean');
  for (const text of ['Steel kettle', 'four minutes', '59.00 EUR', 'two days']) {
    expect(fencedText(request)).toContain(text);
  }
  expect(warning).toBeUndefined();
});
