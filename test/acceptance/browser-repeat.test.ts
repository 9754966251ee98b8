/** Repeated actions on pages that are hard to read to the end, through a real browser. */
import { type ActionInput, createClient, type Document } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

// The first starts Chromium.
vi.setConfig({ testTimeout: 120_000 });

let server: FixtureServer;
let frames: FixtureServer;
const client = createClient({ network: { allow: ['127.0.0.1', 'localhost'] } });

beforeAll(async () => {
  server = await serve('fixtures/sites/load-more');
  // Another host is another site: its frames have a process of their own.
  const other = server.origin.replace('127.0.0.1', 'localhost');
  const frame = (src: string): string =>
    `<h1>Shop</h1><iframe src="${src}" width="700" height="500"></iframe>`;
  const files = await Promise.all(
    ['button', 'virtual', 'shadow'].map((name) => fetch(server.url(`/${name}.html`))),
  );
  const [button = '', virtual = '', shadow = ''] = await Promise.all(
    files.map((file) => file.text()),
  );
  frames = await serve({
    '/button.html': button,
    '/virtual.html': virtual,
    '/shadow.html': shadow,
    ...Object.fromEntries(
      ['button', 'virtual', 'shadow'].flatMap((name) => [
        [`/same/${name}`, frame(`/${name}.html`)],
        [`/other/${name}`, frame(`${other}/${name}.html`)],
      ]),
    ),
  });
});

afterAll(() => Promise.all([client.close(), server.close(), frames.close()]));

function read(url: string, ...actions: ActionInput[]): Promise<Document<readonly ['markdown']>> {
  const options = { timeout: 90_000, formats: ['markdown'], onlyMainContent: false } as const;
  return client.scrape(url, { ...options, actions });
}

/** The numbers of the rows, in their order. */
const lampsOf = ({ markdown }: Document<readonly ['markdown']>): string =>
  [...markdown.matchAll(/Lamp (\d+)/g)].map(([, number = '']) => number).join(' ');

const lamps = (count: number, first = 1): string =>
  Array.from({ length: count }, (_, at) => at + first).join(' ');

const clickAll: ActionInput = { type: 'click', selector: 'button', repeat: {} };
const scrollDown: ActionInput = { type: 'scroll', direction: 'down', repeat: {} };

describe.concurrent('rows that are replaced while one scrolls are all in the document', () => {
  test('in a virtual list', async () => {
    const document = await read(server.url('/virtual.html'), scrollDown);
    expect(lampsOf(document)).toEqual(lamps(100));
    expect(document.actions?.repeats).toMatchObject([{ runs: 10, end: 'noChange' }]);
    expect(document.warning).toBeUndefined();
  });

  test('and scrollToEnd collects them too', async () => {
    const document = await read(server.url('/virtual.html'), { type: 'scrollToEnd' });
    expect(lampsOf(document)).toEqual(lamps(100));
  });

  test('up to `max`, which is in the warning', async () => {
    const step: ActionInput = { ...scrollDown, selector: '#rows', repeat: { max: 3 } };
    const document = await read(server.url('/virtual.html'), step);
    expect(lampsOf(document)).toEqual(lamps(40));
    expect(document.actions?.repeats).toMatchObject([{ runs: 3, end: 'max' }]);
    expect(document.warning).toMatch(/stopped at repeat.max after 3 run/);
  });

  test('in a feed that loads more of them at its end', async () => {
    const document = await read(server.url('/feed.html'), scrollDown);
    expect(lampsOf(document)).toEqual(lamps(60));
    expect(document.actions?.repeats).toMatchObject([{ end: 'noChange' }]);
  });

  test('in a chat that is scrolled up', async () => {
    const document = await read(server.url('/chat.html'), { ...scrollDown, direction: 'up' });
    expect(lampsOf(document)).toEqual(lamps(50));
    expect(document.actions?.repeats).toMatchObject([{ end: 'noChange' }]);
  });
});

describe.concurrent('in shadow roots, one inside of the other', () => {
  test.each([
    ['', { runs: 4, end: 'gone' }],
    ['?stays', { end: 'noChange' }],
  ])('"Load more" gives all rows (%s)', async (query, ran) => {
    const document = await read(server.url(`/shadow.html${query}`), clickAll);
    expect(lampsOf(document)).toEqual(lamps(50));
    expect(document.actions?.repeats).toMatchObject([ran]);
  });
});

// Frames of another site are not in the document: a script reads the rows of both.
describe.concurrent.each(['same', 'other'])('in a frame of the %s site', (site) => {
  const frame = 'iframe';
  const script = `
    const shop = document.querySelector('lamp-shop');
    const root = shop?.shadowRoot.querySelector('lamp-list').shadowRoot ?? document.body;
    return [...root.querySelectorAll('li, .row')].map((row) => row.textContent.slice(5)).join(' ')`;
  const readRows: ActionInput = { type: 'executeJavascript', frame, script };

  test.each(['button', 'shadow'])('"Load more" gives all rows: %s', async (name) => {
    const document = await read(frames.url(`/${site}/${name}`), { ...clickAll, frame }, readRows);
    expect(document.actions?.javascriptReturns).toEqual([{ type: 'string', value: lamps(50) }]);
    expect(document.actions?.repeats).toMatchObject([{ runs: 4, end: 'gone' }]);
    expect(lampsOf(document)).toBe(site === 'same' ? lamps(50) : '');
  });

  test('a virtual list gives all rows', async () => {
    const document = await read(frames.url(`/${site}/virtual`), { ...scrollDown, frame }, readRows);
    expect(document.actions?.javascriptReturns).toEqual([{ type: 'string', value: lamps(100) }]);
    expect(document.actions?.repeats).toMatchObject([{ runs: 10, end: 'noChange' }]);
  });
});

describe.concurrent('in a single-page application', () => {
  const open: ActionInput = { type: 'click', selector: '.lamps' };

  test('"Next" is followed to the last route', async () => {
    const document = await read(server.url('/'), open, {
      type: 'click',
      selector: '.next',
      repeat: {},
    });
    expect(lampsOf(document)).toEqual(lamps(3, 13));
    expect(document.actions?.repeats).toMatchObject([{ runs: 4, end: 'gone' }]);
  });

  test('paginate makes one document of all routes', async () => {
    const document = await read(server.url('/'), open, { type: 'paginate' });
    expect(lampsOf(document)).toEqual(lamps(15));
    expect(document.actions?.paginations).toEqual([{ pages: 5, end: 'none' }]);
  });
});
