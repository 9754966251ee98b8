/** scrape 6 of a demanding user: actions in order, with exact values, through the client. */
import {
  ActionError,
  type ActionInput,
  type Client,
  createClient,
  defineAction,
  ValidationError,
} from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { bytesOf, sizeOf } from '../support/picture.ts';
import { rareTest } from '../support/deep.ts';

const network = { allow: ['127.0.0.1'] };
const form = `<!doctype html><html lang="en"><title>Booking</title><body><main><h1>Booking</h1>
<form><input id="name"><select id="boat"><option value="four">Four</option><option value="eight">Eight</option></select>
<button id="add" type="button">Add</button><button class="seat" type="button">1</button><button class="seat" type="button">2</button></form>
<p id="hover">Rest here</p><ol id="log"></ol></main><div style="height: 3000px"></div><script>
const log = (text) => { const item = document.createElement('li'); item.textContent = text; document.querySelector('#log').append(item); };
document.querySelector('#name').addEventListener('keydown', ({ key }) => log('key ' + key));
document.querySelector('#name').addEventListener('input', ({ target }) => log('name ' + target.value));
document.querySelector('#boat').addEventListener('change', ({ target }) => log('boat ' + target.value));
document.querySelector('#add').addEventListener('click', () => setTimeout(() => {
  log('added'); const done = document.createElement('p'); done.id = 'done'; done.textContent = 'Booked.'; document.querySelector('main').append(done);
}, 300));
for (const seat of document.querySelectorAll('.seat')) seat.addEventListener('click', () => log('seat ' + seat.textContent));
document.querySelector('#hover').addEventListener('mouseenter', () => log('hovered'));
addEventListener('scroll', () => { document.documentElement.dataset.scrolled = String(scrollY > 0); });
</script>`;

const rows = `<!doctype html><html lang="en"><title>Rows</title><main><h1>Rows</h1><ul></ul>
<button id="more">Load more</button></main><script>
let page = 0;
document.querySelector('#more').onclick = async ({ target }) => {
  target.disabled = true;
  const answer = await fetch('/rows/' + page++);
  document.querySelector('ul').insertAdjacentHTML('beforeend', await answer.text());
  target.disabled = false;
  if (page === 5) target.remove();
};
</script>`;
const rowsOf = (page: number): string =>
  Array.from({ length: 10 }, (_, at) => `<li>row ${page * 10 + at + 1}</li>`).join('');

const countRows = defineAction({
  type: 'countRows',
  parseOptions: ({ selector = 'li' }) => {
    if (typeof selector !== 'string') throw new Error('selector has to be a string');
    return { selector };
  },
  run: (page, { selector }) => page.locator(selector).count(),
});

let client: Client;
let site: FixtureServer;
let url: string;

beforeAll(async () => {
  client = createClient({ network, actions: [countRows] });
  site = await serve({
    '/': form,
    '/other': '<!doctype html><title>Other</title><h1>Other</h1>',
    '/rows': rows,
    ...Object.fromEntries([0, 1, 2, 3, 4].map((page) => [`/rows/${page}`, rowsOf(page)])),
    '/leads': '<!doctype html><title>Leads</title><a id="go" href="/other">Other</a>',
  });
  url = site.url('/');
}, 60_000);

afterAll(async () => {
  await client.close();
  await site.close();
});

describe('actions', { timeout: 60_000 }, () => {
  test('run in order, each on what the one before left, with exact values', async () => {
    site.clearLog();
    const { markdown, metadata } = await client.scrape(url, {
      onlyMainContent: false,
      actions: [
        { type: 'fill', selector: '#name', text: 'Ma' },
        { type: 'click', selector: '#name' },
        { type: 'press', key: 'End' },
        { type: 'write', text: 'ya' },
        { type: 'select', selector: '#boat', value: 'eight' },
        { type: 'click', selector: '.seat', all: true },
        { type: 'hover', selector: '#hover' },
        { type: 'click', selector: '#add' },
        { type: 'wait', selector: '#done' },
      ],
    });
    const rows = [...markdown.matchAll(/^\d+\. (.*)$/gm)].map(([, row]) => row);
    expect(rows).toEqual([
      'name Ma',
      'key End',
      'key y',
      'name May',
      'key a',
      'name Maya',
      'boat eight',
      'seat 1',
      'seat 2',
      'hovered',
      'added',
    ]);
    expect(markdown).toContain('Booked.');
    expect(metadata).toMatchObject({ engine: 'browser', engineReason: 'actions needs actions' });
    expect(site.log).toHaveLength(1);
  });

  rareTest('bring their results in lists of their own', async () => {
    const page = await client.scrape(url, {
      formats: ['links'],
      actions: [
        { type: 'screenshot' },
        { type: 'scrape' },
        { type: 'executeJavascript', script: 'return [document.title, 1, null]' },
        { type: 'executeJavascript', script: 'location.pathname' },
        { type: 'executeJavascript', script: 'await Promise.resolve(); return { a: undefined }' },
        { type: 'executeJavascript', script: 'null' },
        { type: 'scroll', direction: 'down' },
        { type: 'scrape' },
        { type: 'screenshot', fullPage: true, quality: 40, viewport: { width: 400, height: 300 } },
        { type: 'pdf', format: 'A4' },
        countRows,
      ],
    });
    const { actions } = page;
    if (actions === undefined) throw new Error('no results');
    expectTypeOf(actions.screenshots).toEqualTypeOf<string[]>();
    expect(Object.keys(page).sort()).toEqual(['actions', 'links', 'metadata']);
    expect(Object.keys(actions).sort()).toEqual([
      'acts',
      'dialogs',
      'javascriptReturns',
      'pages',
      'paginations',
      'pdfs',
      'repeats',
      'returns',
      'scrapes',
      'screenshots',
    ]);
    expect(actions.screenshots.map((uri) => uri.slice(0, 16))).toEqual([
      'data:image/png;b',
      'data:image/jpeg;',
    ]);
    expect(sizeOf(bytesOf(actions.screenshots[0]))).toEqual([1280, 720]);
    expect(sizeOf(bytesOf(actions.screenshots[1]))[1]).toBeGreaterThan(3000);
    expect(bytesOf(actions.pdfs[0]).toString('latin1', 0, 5)).toBe('%PDF-');
    expect(actions.javascriptReturns).toEqual([
      { type: 'array', value: ['Booking', 1, null] },
      { type: 'string', value: '/' },
      { type: 'object', value: {} },
      { type: 'null', value: null },
    ]);
    expect(actions.returns).toEqual([{ type: 'countRows', value: 0 }]);
    expect(actions.scrapes.map((scrape) => scrape.url)).toEqual([url, url]);
    expect(actions.scrapes[0]?.html).not.toContain('data-scrolled="true"');
    expect(actions.scrapes[1]?.html).toContain('data-scrolled="true"');
  });

  test('repeat presses "Load more" until it is gone: 50 rows by 10', async () => {
    const { markdown, actions, warning } = await client.scrape(site.url('/rows'), {
      actions: [{ type: 'click', selector: '#more', repeat: {} }],
    });
    const rows = [...markdown.matchAll(/^- row (\d+)$/gm)].map(([, row]) => Number(row));
    expect(rows).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
    expect(actions?.repeats).toEqual([
      { actionIndex: 0, actionType: 'click', runs: 5, end: 'gone' },
    ]);
    expect(warning).toBeUndefined();
  });

  test('may lead to another page, which is then the document', async () => {
    const { markdown, metadata } = await client.scrape(site.url('/leads'), {
      actions: [{ type: 'click', selector: '#go' }],
    });
    expect(markdown).toBe('# Other');
    expect(metadata).toMatchObject({ sourceURL: site.url('/leads'), url: site.url('/other') });
  });

  test('[] is none: nothing asks for a browser', async () => {
    const page = await client.scrape(site.url('/other'), { actions: [] });
    expect(page.metadata.engine).toBe('http');
    expect('actions' in page).toBe(false);
  });

  rareTest('run on each page of a batch', async () => {
    const { data } = await client.batchScrape([site.url('/other'), site.url('/leads')], {
      formats: [],
      actions: [{ type: 'executeJavascript', script: 'document.title' }],
    });
    const values = data.map(({ actions }) => actions?.javascriptReturns.map(({ value }) => value));
    expect(values).toEqual([['Other'], ['Leads']]);
  });
});

describe('an action of your own', () => {
  rareTest('by value, and by the name that it is registered with', async () => {
    const { actions } = await client.scrape(url, {
      actions: [
        countRows,
        // The types of a client know its formats, not its actions.
        { type: 'countRows', selector: 'button' } as unknown as ActionInput,
      ],
    });
    expect(actions?.returns).toEqual([
      { type: 'countRows', value: 0 },
      { type: 'countRows', value: 3 },
    ]);
  });

  test('fails the scrape with what it throws as the cause', async () => {
    const thrown = new Error('no tide today');
    const fails = defineAction({
      type: 'fails',
      run: () => {
        throw thrown;
      },
    });
    const call = client.scrape(url, { actions: [{ type: 'scrape' }, fails] });
    await expect(call).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      actionIndex: 1,
      actionType: 'fails',
      cause: thrown,
      message: `actions[1] (fails) on ${url}: no tide today`,
    });
  });

  test('its own check speaks to the caller', async () => {
    const actions = [{ type: 'countRows', selector: 5 }] as unknown as [];
    const call = client.scrape(url, { actions });
    await expect(call).rejects.toBeInstanceOf(ValidationError);
    await expect(call).rejects.toThrow('actions[0]: countRows: selector has to be a string');
  });
});

describe('a failing action', () => {
  rareTest('names its index, type and selector, and is tried once', async () => {
    site.clearLog();
    const call = client.scrape(url, {
      actions: [
        { type: 'click', selector: '#add' },
        { type: 'click', selector: '#nowhere' },
      ],
    });
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ActionError);
    expect(error).toMatchObject({
      code: 'ACTION_FAILED',
      actionIndex: 1,
      actionType: 'click',
      url,
    });
    expect((error as ActionError).message).toMatch(/^actions\[1\] \(click\) on .*"#nowhere"/);
    expect(site.log).toHaveLength(1);
  });

  test('a script that throws is one, with its message', async () => {
    const call = client.scrape(url, {
      actions: [{ type: 'executeJavascript', script: 'throw new Error("low water")' }],
    });
    await expect(call).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      actionIndex: 0,
      actionType: 'executeJavascript',
      message: expect.stringContaining('low water') as string,
    });
  });

  rareTest('in a batch it is that page alone', async () => {
    const job = client.batchScrape([site.url('/other'), site.url('/leads')], {
      actions: [{ type: 'click', selector: '#go' }],
    });
    const { data } = await job;
    expect(data.map(({ metadata }) => metadata.sourceURL)).toEqual([site.url('/leads')]);
    expect(job.errors()).toMatchObject([{ url: site.url('/other'), code: 'ACTION_FAILED' }]);
  });

  test('the time limit ends a wait', async () => {
    const call = client.scrape(url, {
      timeout: 2000,
      actions: [{ type: 'wait', milliseconds: 30_000 }],
    });
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('actions that are wrong', () => {
  const click = { type: 'click', selector: 'p' };
  test.each<[string, unknown, readonly (string | number)[], RegExp]>([
    [
      'an unknown key',
      [click, { ...click, selectr: 'p' }],
      ['actions', 1, 'selectr'],
      /^unknown option "actions\[1\]\.selectr"; did you mean "actions\[1\]\.selector"\?$/,
    ],
    [
      'an unknown type',
      [{ type: 'jump' }],
      ['actions', 0, 'type'],
      /unknown action "jump"; known: act, click, .*, countRows$/,
    ],
    [
      'both of wait',
      [{ type: 'wait', milliseconds: 1, selector: 'p' }],
      ['actions', 0],
      /milliseconds.*selector/,
    ],
    ['neither of wait', [{ type: 'wait' }], ['actions', 0], /milliseconds.*selector/],
    [
      'a missing selector',
      [{ type: 'click' }],
      ['actions', 0, 'selector'],
      /^actions\[0\]\.selector: /,
    ],
    ['a wrong type', [{ type: 'write', text: 5 }], ['actions', 0, 'text'], /expected string/],
    [
      'a wrong direction',
      [{ type: 'scroll', direction: 'left' }],
      ['actions', 0, 'direction'],
      /"up"|"down"/,
    ],
    ['51 of them', Array.from({ length: 51 }, () => click), ['actions'], /51 steps; at most 50/],
    [
      '61 s of waits',
      [
        { type: 'wait', milliseconds: 31_000 },
        { type: 'wait', milliseconds: 30_000 },
      ],
      ['actions'],
      /wait 61000 ms in all; at most 60000/,
    ],
    ['no object', ['click'], ['actions', 0], /expected \{ type/],
    ['no list', 'click', ['actions'], /expected array/],
  ])(
    '%s is a ValidationError with the path, before anything is fetched',
    async (_, actions, path, message) => {
      site.clearLog();
      const call = client.scrape(url, { actions: actions as [] });
      const error = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ValidationError);
      const { code, issues } = error as ValidationError;
      expect(code).toBe('BAD_REQUEST');
      expect(issues.map((issue) => issue.path)).toContainEqual(path);
      expect(issues.map((issue) => issue.message).join('\n')).toMatch(message);
      expect(site.log).toEqual([]);
    },
  );

  test('throw at once in a crawl and in a batch', () => {
    const actions = [{ type: 'clik' }] as unknown as [];
    expect(() => client.batchScrape([url], { actions })).toThrow(ValidationError);
    expect(() => client.crawl(url, { scrapeOptions: { actions } })).toThrow(/actions\[0\]\.type/);
  });
});
