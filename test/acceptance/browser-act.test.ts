/** Tasks in words on 12 apps: learned once, repeated without a model, healed after the apps changed. */
import { type ActionInput, type ActReport, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actModel, type PlannedStep } from '../support/act-model.ts';
import { launchForClients } from '../support/chromium.ts';
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
/** One for the clients of all apps. */
let browser: Browser;

beforeAll(async () => {
  site = await serve(new URL('../../fixtures/act-apps/', import.meta.url));
  browser = await launchForClients();
}, 180_000);

afterAll(async () => {
  await browser.close();
  await site.close();
});

/** What the page shows, also in frames and shadow roots. */
const shownText = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]
  .map(({ body }) => body.innerText + [...body.querySelectorAll('*')].map((one) => one.shadowRoot?.textContent ?? '').join(' '))
  .join(' ')`;

const replays = isDeep('replays of acts') ? 20 : 3;

// Half of each visit is waiting: several apps at a time.
test.concurrent.each(apps)(
  '$app: learned, repeated, healed by likeness and by the model',
  async ({ app, prompt, variables, shows, steps }) => {
    let version = 1;
    const model = actModel(() => steps((now, later) => (version === 3 ? later : now)));
    await using client = createClient({
      network: { allow: ['127.0.0.1'] },
      browser: { browser },
      model,
      cache: false,
    });

    async function run(options: object = {}): Promise<{ report: ActReport; shown: boolean }> {
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

    // Learned with one request, and its recipe repeated without any.
    const learned = await run();
    expect(learned).toMatchObject({
      report: { outcome: 'learned', calls: 1, changes: [] },
      shown: true,
    });
    const { id } = learned.report;
    for (let at = 0; at < replays; at++) {
      expect(await run({ recipe: 'use' })).toMatchObject({
        report: { outcome: 'applied', id, calls: 0, steps: learned.report.steps },
        shown: true,
      });
    }
    expect(model.requests).toHaveLength(1);

    // Ids, classes and places changed: healed by likeness, without the model.
    version = 2;
    const alike = await run({ recipe: 'use' });
    expect(alike).toMatchObject({ report: { outcome: 'healed', calls: 0 }, shown: true });
    expect(alike.report.changes.length).toBeGreaterThan(0);
    expect(await run({ recipe: 'use' })).toMatchObject({
      report: { outcome: 'applied', id: alike.report.id },
      shown: true,
    });
    expect(model.requests).toHaveLength(1);

    // All texts changed: healed by the model.
    version = 3;
    const healed = await run();
    expect(healed).toMatchObject({ report: { outcome: 'healed', calls: 1 }, shown: true });
    expect(await run({ recipe: 'use' })).toMatchObject({
      report: { outcome: 'applied', calls: 0 },
      shown: true,
    });
  },
  600_000,
);
