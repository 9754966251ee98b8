/** Shadow roots, slots and frames of real pages in a real Chromium, in the order a reader sees. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageWorld } from '../../../../src/browser/actions/isolated-world.ts';
import { findChromium } from '../../../../src/browser/chromium/open-browser.ts';
import { renderedHtml } from '../../../../src/browser/chromium/rendered-html/rendered-html.ts';
import { openSite, type Site } from '../../../../src/entries/testing/site-files.ts';
import { chromiumFlags } from '../../../support/chromium.ts';
import { rareTest } from '../../../support/deep.ts';

let browser: Browser;
let context: BrowserContext;
/** One page for most tests: each navigates it. */
let shared: Page;
let server: Server;
let site: Site;
let port: number;

beforeAll(async () => {
  site = await openSite(
    fileURLToPath(new URL('../../../../fixtures/sites/shadow', import.meta.url)),
  );
  server = createServer((request, response) => {
    const origin = `http://${request.headers.host ?? ''}`;
    void site.respond(request.url ?? '/', origin).then((answer) => {
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
  browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...chromiumFlags, '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
  context = await browser.newContext();
  shared = await context.newPage();
  await context.route('http://page.test/*', (route) => {
    const body = decodeURIComponent(new URL(route.request().url()).search.slice(1));
    return route.fulfill({ contentType: 'text/html', body: `<!doctype html><body>${body}` });
  });
});

afterAll(async () => {
  await browser.close();
  server.close();
});

const signal = new AbortController().signal;
const limits = { maxCharacters: 20_000_000, signal };

async function opened(path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://www.garden.test:${port}${path}`);
  return page;
}

async function shown(body: string, script?: (() => void) | string): Promise<Page> {
  const page = shared;
  const url = `http://page.test/?${encodeURIComponent(body)}`;
  await page.goto(url);
  if (script !== undefined) await page.evaluate(script);
  return page;
}

async function bodyOf(page: Page): Promise<string> {
  const { html } = await renderedHtml(page, limits);
  return html.replace(/^.*<body>|<\/body><\/html>$/gs, '').trim();
}

const flat = async (body: string, script?: (() => void) | string): Promise<string> =>
  bodyOf(await shown(body, script));

describe('a page without shadow roots and frames', () => {
  test('is what the browser writes, doctype included', async () => {
    const page = await shown('<p title="a<b">One &amp; two&nbsp;<script>1 < 2</script><img src=x>');
    const { html, warnings } = await renderedHtml(page, limits);
    expect(html).toBe(await page.content());
    expect(html).toMatch(/^<!DOCTYPE html><html>/);
    expect(warnings).toEqual([]);
  });

  test('keeps an old doctype', async () => {
    const page = await context.newPage();
    const old =
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">';
    await page.setContent(`${old}<p>x`);
    expect((await renderedHtml(page, limits)).html.startsWith(old)).toBe(true);
  });
});

describe('shadow roots stand in place of their host’s children', () => {
  const attach = (mode: 'open' | 'closed', inside: string): string =>
    `document.querySelector('x-a').attachShadow({ mode: '${mode}' }).innerHTML = ${JSON.stringify(inside)}`;

  test.each(['open', 'closed'] as const)('attached by a script, %s', async (mode) => {
    expect(await flat('<x-a>light</x-a>', attach(mode, '<p>before</p><slot></slot>'))).toBe(
      '<x-a><p>before</p>light</x-a>',
    );
  });

  test.each(['open', 'closed'])('declared in the page, %s', async (mode) => {
    const root = `<template shadowrootmode=${mode}><i>in</i><slot></slot></template>`;
    expect(await flat(`<div>${root}light</div>`)).toBe('<div><i>in</i>light</div>');
  });

  test('a closed root that holds a text only', async () => {
    expect(await flat('<x-a></x-a>', attach('closed', 'price: 5 & 6'))).toBe(
      '<x-a>price: 5 &amp; 6</x-a>',
    );
  });

  test('named slots put light children into the order of the slots', async () => {
    const light = '<b slot=end>3</b><b slot=start>1</b>2';
    expect(
      await flat(
        `<x-a>${light}</x-a>`,
        attach('open', '<slot name="start"></slot><slot></slot><slot name="end"></slot>'),
      ),
    ).toBe('<x-a><b slot="start">1</b>2<b slot="end">3</b></x-a>');
  });

  test('a fallback stands only where nothing is slotted, and children without a slot are not shown', async () => {
    const inside = '<slot name="a">fallback a</slot><slot name="b">fallback b</slot>';
    expect(await flat('<x-a><b slot=a>A</b><b slot=c>C</b></x-a>', attach('closed', inside))).toBe(
      '<x-a><b slot="a">A</b>fallback b</x-a>',
    );
  });

  test('slots in slots over nested roots', async () => {
    const inner = '<template shadowrootmode=closed>[<slot></slot>]</template>';
    const outer = `<template shadowrootmode=open><x-b>${inner}(<slot></slot>)</x-b></template>`;
    expect(await flat(`<x-a>${outer}<b>light</b></x-a>`)).toBe(
      '<x-a><x-b>[(<b>light</b>)]</x-b></x-a>',
    );
  });

  test('slots that a script fills', async () => {
    const script = `{ const host = document.querySelector('x-a');
      const root = host.attachShadow({ mode: 'closed', slotAssignment: 'manual' });
      root.innerHTML = '1<slot></slot>2<slot></slot>';
      const [first, second] = root.querySelectorAll('slot');
      first.assign(host.children[1]); second.assign(host.children[0]); }`;
    expect(await flat('<x-a><b>B</b><i>I</i></x-a>', script)).toBe('<x-a>1<i>I</i>2<b>B</b></x-a>');
  });

  test('style sheets of a root are left out, scripts and what is around stay', async () => {
    const inside = '<style>p { display: none }</style><link rel="stylesheet" href="x"><p>in</p>';
    const page = '<style>b { color: red }</style><x-a></x-a><script>if (1 < 2) 3</script>';
    expect(await flat(page, attach('open', inside))).toBe(
      '<style>b { color: red }</style><x-a><p>in</p></x-a><script>if (1 < 2) 3</script>',
    );
  });

  test('a template that only looks like a root stays a template', async () => {
    const script = `document.body.innerHTML =
      '<div><template shadowrootmode="open">not shown</template>light</div><x-a></x-a>';
      ${attach('open', 'in')}`;
    expect(await flat('', script)).toBe(
      '<div><template shadowrootmode="open">not shown</template>light</div><x-a>in</x-a>',
    );
  });
});

describe('frames of the same site stand in place of the iframe', () => {
  test('srcdoc, same origin, a subdomain and a sandbox, nested, with absolute URLs; other sites stay', async () => {
    const page = await opened('/frames.html');
    const { html, warnings } = await renderedHtml(page, limits);
    const expected = await site.respond('/frames.expected.txt', '');
    const written = html
      .replaceAll(`:${port}`, '')
      .replace(/^.*<body>\s*|\s*<\/body><\/html>$/gs, '');
    expect(written.replace(/\s*\n\s*/g, '\n')).toBe(
      Buffer.from(expected.body)
        .toString()
        .trim()
        .replace(/\s*\n\s*/g, '\n'),
    );
    expect(warnings).toEqual([]);
  });

  test('a closed root in a frame', async () => {
    const inside = '<div><template shadowrootmode=closed>closed</template></div>';
    expect(await flat(`<iframe srcdoc="${inside}"></iframe>`)).toBe(
      '<div data-pagewright-frame="about:srcdoc"><div>closed</div></div>',
    );
  });

  test('closed roots in closed roots, in slots and in frames', async () => {
    const inner = '<template shadowrootmode=closed><i>in</i><slot></slot></template>';
    const outer = `<template shadowrootmode=closed><p><x-b>${inner}1</x-b></p><slot></slot></template>`;
    const page = `<x-a>${outer}<x-b>${inner}2</x-b></x-a>`;
    const written = '<x-a><p><x-b><i>in</i>1</x-b></p><x-b><i>in</i>2</x-b></x-a>';
    expect(await flat(`${page}<iframe srcdoc="${page}"></iframe>`)).toBe(
      `${written}<div data-pagewright-frame="about:srcdoc">${written}</div>`,
    );
  });

  test('a frame in a closed root', async () => {
    const inside = '<template shadowrootmode=closed><iframe srcdoc="in"></iframe></template>';
    expect(await flat(`<div>${inside}</div>`)).toBe(
      '<div><div data-pagewright-frame="about:srcdoc">in</div></div>',
    );
  });

  test('what changes in a frame while an observer of the page watches it', async () => {
    const page = await shown('<iframe srcdoc="Lamps"></iframe>');
    const world = await pageWorld(page);
    const watch = (): Promise<boolean> =>
      new Promise((seen) => {
        const inner = document.querySelector('iframe')?.contentDocument;
        // The records have the list as an element of the window around.
        const see = (records: MutationRecord[]): void =>
          seen(records.every(({ target }) => target instanceof Element));
        if (inner) new MutationObserver(see).observe(inner, { childList: true, subtree: true });
      });
    const seen = world.call(watch);
    await page.frames()[1]?.evaluate(() => {
      document.body.innerHTML = '<ul></ul>';
      document.body.firstElementChild?.append('Lamp');
    });
    expect(await seen).toBe(true);
    expect((await renderedHtml(page, limits)).html).toContain('<ul>Lamp</ul>');
  });

  test('a frame that is not shown stays an iframe', async () => {
    const frame = '<iframe srcdoc="x" style="display: none"></iframe>';
    expect(await flat(`<p>a</p>${frame}`)).toBe(`<p>a</p>${frame}`);
  });

  test('of 60 frames 50 are put in place, and a warning says so', async () => {
    const page = await shown('<iframe srcdoc="in"></iframe>'.repeat(60));
    const { html, warnings } = await renderedHtml(page, limits);
    expect(html.match(/<div data-pagewright-frame/g)).toHaveLength(50);
    expect(html.match(/<iframe/g)).toHaveLength(10);
    expect(warnings.join()).toContain('frames');
  });
});

describe('hostile pages', () => {
  test('replaced built-ins and covered names change nothing', async () => {
    const covers =
      '<img name=documentElement><img name=doctype><form><input name=childNodes><input name=outerHTML><input name=attributes><x-a></x-a></form>';
    const script = `
      document.querySelector('x-a').attachShadow({ mode: 'closed' }).innerHTML = '<b>in</b>';
      for (const name of ['outerHTML', 'innerHTML', 'shadowRoot', 'attributes'])
        Object.defineProperty(Element.prototype, name, { get: () => 'a lie' });
      Element.prototype.attachShadow = Node.prototype.getRootNode = () => null;
      Array.prototype.push = Array.prototype.map = String.prototype.replaceAll = () => { throw 1 };
      document.createTreeWalker = document.evaluate = () => null; JSON.stringify = () => '"a lie"';`;
    const html = await flat(covers, script);
    expect(html).toContain('<input name="attributes"><x-a><b>in</b></x-a></form>');
    expect(html).not.toContain('a lie');
  });

  test('more characters than allowed are BODY_TOO_LARGE with the number', async () => {
    const page = await shown('<p>a</p>', () => document.body.append('x'.repeat(5_000)));
    await expect(renderedHtml(page, { maxCharacters: 5_000, signal })).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      message: expect.stringMatching(/has 50\d\d characters; the limit is 5000/),
    });
  });

  test('more characters in a closed root than allowed are BODY_TOO_LARGE', async () => {
    const page = await shown('<x-a></x-a>', () => {
      const root = document.querySelector('x-a')!.attachShadow({ mode: 'closed' });
      root.innerHTML = '<p>y</p>'.repeat(2_000);
    });
    await expect(renderedHtml(page, { maxCharacters: 5_000, signal })).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
    });
  });

  test('roots nested 200 levels deep are read', async () => {
    const html = await flat('<x-a></x-a>', () => {
      let host = document.querySelector('x-a')!;
      for (let depth = 0; depth < 200; depth += 1) {
        const root = host.attachShadow({ mode: depth % 2 === 0 ? 'open' : 'closed' });
        host = root.appendChild(document.createElement('x-a'));
      }
      host.textContent = 'deep';
    });
    expect(html).toBe(`${'<x-a>'.repeat(201)}deep${'</x-a>'.repeat(201)}`);
  });

  test('a page that is busy forever ends at the signal', async () => {
    const page = await context.newPage();
    await page.evaluate(
      () =>
        void setTimeout(() => {
          for (;;);
        }, 0),
    );
    const reason = new Error('time is up');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 300);
    await expect(
      renderedHtml(page, { maxCharacters: 1e6, signal: controller.signal }),
    ).rejects.toBe(reason);
  });
});

rareTest('5,000 custom elements with open roots are read at once', async () => {
  const page = await shown('', () => {
    for (let index = 0; index < 5_000; index += 1) {
      const host = document.createElement('x-card');
      host.attachShadow({ mode: 'open' }).innerHTML = '<h3><slot></slot></h3><style>a {}</style>';
      host.textContent = `card ${index}`;
      document.body.append(host);
    }
  });
  const { html } = await renderedHtml(page, limits);
  expect(html.match(/<x-card><h3>card \d+<\/h3><\/x-card>/g)).toHaveLength(5_000);
});
