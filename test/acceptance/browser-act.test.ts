/** Tasks in words on 12 apps: learned once, repeated without a model, healed after the apps changed. */
import { type ActionInput, type ActReport, type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actModel, type PlannedStep } from '../support/act-model.ts';
import { isDeep } from '../support/deep.ts';

interface App {
  readonly app: string;
  readonly prompt: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The text that shows that the task is done. */
  readonly shows: string;
  /** The steps on the app as it is, and after all its texts changed. */
  readonly steps: (texts: (now: string, later: string) => string) => readonly PlannedStep[];
}

const apps: readonly App[] = [
  {
    app: 'cookie-tabs',
    prompt: 'accept the cookies and open the reviews tab',
    shows: 'Five stars: shines all night.',
    steps: (text) => [
      ['click', 'button', text('Accept all', 'Fine by me'), null, 'textDisappears We use cookies'],
      ['click', 'tab', text('Reviews', 'Opinions'), null, 'textAppears Five stars'],
    ],
  },
  {
    app: 'search',
    prompt: 'search for Mora',
    shows: 'Boats found for Mora',
    steps: (text) => [
      ['write', 'textbox', text('Search boats', 'Name of a boat'), 'Mora', 'valueIs Mora'],
      [
        'press',
        'textbox',
        text('Search boats', 'Name of a boat'),
        'Enter',
        'textAppears Boats found',
      ],
    ],
  },
  {
    app: 'load-more',
    prompt: 'load more rows once',
    shows: 'row 6',
    steps: (text) => [
      ['click', 'button', text('Load more', 'Further down'), null, 'textAppears row 6'],
    ],
  },
  {
    app: 'login',
    prompt: 'sign in',
    variables: { user: 'ada.lovelace', password: 'correct horse' },
    shows: 'account 7 is open.',
    steps: (text) => [
      ['write', 'textbox', text('Username', 'Who are you'), '%user%', 'valueIs %user%'],
      ['write', 'textbox', text('Password', 'Secret word'), '%password%', 'valueIs %password%'],
      ['click', 'button', text('Sign in', 'Enter'), null, 'textAppears Signed in'],
    ],
  },
  {
    app: 'router',
    prompt: 'show the prices',
    shows: 'All that it costs: 5 EUR',
    steps: (text) => [
      ['click', 'link', text('Prices', 'Tariffs'), null, 'urlContains page=prices'],
    ],
  },
  {
    app: 'select-date',
    prompt: 'show trips in the north on 1 March 2027',
    shows: 'Trips: North on 2027-03-01',
    steps: (text) => [
      ['select', 'combobox', text('Region', 'Where to'), 'North', 'valueIs North'],
      ['write', 'textbox', text('Day', 'When'), '2027-03-01', 'valueIs 2027-03-01'],
      ['click', 'button', text('Apply filter', 'Narrow down'), null, 'textAppears Trips: North'],
    ],
  },
  {
    app: 'shadow',
    prompt: 'show the stock',
    shows: '12 lamps in the house',
    steps: (text) => [
      ['click', 'button', text('Show stock', 'How many'), null, 'textAppears in the house'],
    ],
  },
  {
    app: 'iframe',
    prompt: 'show the times',
    shows: 'The ferry leaves at 8:15.',
    steps: (text) => [
      ['click', 'button', text('Show times', 'Departures'), null, 'textAppears The ferry leaves'],
    ],
  },
  {
    app: 'modal',
    prompt: 'open the size guide in centimetres',
    shows: 'Waist 81 cm',
    steps: (text) => [
      ['click', 'button', text('Size guide', 'Measures'), null, 'textAppears Waist'],
      ['click', 'button', text('Centimetres', 'Metric'), null, 'textAppears 81 cm'],
    ],
  },
  {
    app: 'accordion',
    prompt: 'open the answer about delivery',
    shows: 'Two days by ship.',
    steps: (text) => [
      ['click', 'button', text('Delivery', 'How it comes'), null, 'stateIs expanded'],
    ],
  },
  {
    app: 'sort',
    prompt: 'sort by price, cheapest first',
    shows: 'Elm\t10\nAsh\t20',
    steps: (text) => [
      ['click', 'button', text('Price', 'Cost'), null, 'textAppears Elm 10 Ash 20 Oak 30'],
    ],
  },
  {
    app: 'language',
    prompt: 'switch to German',
    shows: 'Willkommen im Hafen',
    steps: (text) => [
      ['click', 'button', text('Language', 'Speak'), null, 'elementAppears Norsk'],
      ['click', 'menuitem', text('Deutsch', 'German'), null, 'textAppears Willkommen'],
    ],
  },
];

let site: FixtureServer;
let version = 1;
let current: App;
const model = actModel(() => current.steps((now, later) => (version === 3 ? later : now)));
let client: Client;

beforeAll(async () => {
  site = await serve(new URL('../../fixtures/act-apps/', import.meta.url));
  client = createClient({ network: { allow: ['127.0.0.1'] }, model, cache: false });
}, 180_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

/** What the page shows, also in frames and shadow roots. */
const shownText = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]
  .map(({ body }) => body.innerText + [...body.querySelectorAll('*')].map((one) => one.shadowRoot?.textContent ?? '').join(' '))
  .join(' ')`;

async function run(
  { app, prompt, variables, shows }: App,
  options: object = {},
): Promise<{ readonly report: ActReport; readonly shown: boolean }> {
  const action: ActionInput = { type: 'act', prompt, variables, ...options };
  const page = await client.scrape(site.url(`/${app}.html?v=${version}`), {
    actions: [action, { type: 'executeJavascript', script: shownText }],
    // The browser closes cookie banners itself else.
    blockAds: false,
  });
  const [report] = page.actions?.acts ?? [];
  if (report === undefined) throw new Error('no report');
  const text = String(page.actions?.javascriptReturns[0]?.value);
  return { report, shown: text.includes(shows) };
}

const replays = isDeep('replays of acts') ? 20 : 3;

describe.each(apps)('$app', (app) => {
  test('is learned with one request, and its recipe repeated without any', async () => {
    [current, version] = [app, 1];
    const asked = model.requests.length;
    const learned = await run(app);
    expect(learned).toMatchObject({
      report: { outcome: 'learned', calls: 1, changes: [] },
      shown: true,
    });
    for (let at = 0; at < replays; at++) {
      const { report, shown } = await run(app, { recipe: 'use' });
      expect({ ...report, shown }).toMatchObject({
        outcome: 'applied',
        id: learned.report.id,
        calls: 0,
        steps: learned.report.steps,
        shown: true,
      });
    }
    expect(model.requests.length - asked).toBe(1);
  }, 240_000);

  test('is healed by likeness, without a model, after ids, classes and places changed', async () => {
    [current, version] = [app, 2];
    const asked = model.requests.length;
    const healed = await run(app, { recipe: 'use' });
    expect(healed).toMatchObject({ report: { outcome: 'healed', calls: 0 }, shown: true });
    expect(healed.report.changes.length).toBeGreaterThan(0);
    const again = await run(app, { recipe: 'use' });
    expect(again).toMatchObject({
      report: { outcome: 'applied', id: healed.report.id },
      shown: true,
    });
    expect(model.requests.length).toBe(asked);
  }, 180_000);

  test('is healed by the model after all texts changed', async () => {
    [current, version] = [app, 3];
    const healed = await run(app);
    expect(healed).toMatchObject({ report: { outcome: 'healed', calls: 1 }, shown: true });
    const again = await run(app, { recipe: 'use' });
    expect(again).toMatchObject({ report: { outcome: 'applied', calls: 0 }, shown: true });
  }, 180_000);
});
