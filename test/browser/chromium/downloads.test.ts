/** Pages that start downloads by themselves are read; nothing is saved, and what they wanted to save is told. */
import { readdir, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Behaviour, FixtureServer } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../src/browser/chromium/open-browser.ts';
import { parseActions } from '../../../src/core/options/rendering-options.ts';
import { chromiumFlags } from '../../support/chromium.ts';
import { answer, type BrowserLab, browserLab, hostileSite, script } from './hostile-lab.ts';
import { rareTest, usualAnd } from '../../support/deep.ts';

/** Found nowhere on the disk afterwards. */
const secret = `downloaded-${Math.random()}`;

const file =
  (headers: Record<string, string>): Behaviour =>
  ({ response }) =>
    void response.writeHead(200, headers).end(secret);

const click = (href: string, name = ''): string =>
  `const a = document.createElement('a'); a.href = ${href}; a.download = '${name}'; a.click();`;

const pages: Record<string, Behaviour> = {
  '/file.zip': file({ 'content-type': 'application/zip' }),
  '/endless.zip': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/zip' });
    const timer = setInterval(() => response.write(secret), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/huge.iso': ({ response }) => {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': '99999999999' };
    response.writeHead(200, headers).write(secret);
  },
  '/report*': file({
    'content-type': 'text/html',
    'content-disposition': `attachment; filename="report.html"; filename*=UTF-8''m%C3%A4rz.html`,
  }),
  '/moved': ({ response }) => void response.writeHead(302, { location: '/report?moved' }).end(),
  '/data.json': answer('{"a":1}', { 'content-type': 'application/json' }),
  '/link': script(click(`'/file.zip'`, 'mine.zip')),
  '/late': script(`setTimeout(() => { ${click(`'/file.zip'`, 'late.zip')} }, 100)`),
  '/location': script(`location = '/file.zip'`),
  '/endless': script(`location = '/endless.zip'`),
  '/huge': script(`location.href = '/huge.iso'`),
  '/redirected': script(`location = '/moved'`),
  '/frame': answer(`<p>Text.</p><iframe src="/report"></iframe><p>More text.</p>`),
  '/form': answer(
    `<p>Text.</p><form action="/report" method="post"></form><script>document.forms[0].submit()</script>`,
  ),
  '/refresh': answer(`<meta http-equiv="refresh" content="0; url=/report"><p>Text.</p>`),
  '/slow-refresh': answer(`<meta http-equiv="refresh" content="1; url=/file.zip"><p>Text.</p>`),
  '/blob': script(click(`URL.createObjectURL(new Blob(['${secret}']))`, 'notes.txt')),
  '/blob-location': script(
    `location = URL.createObjectURL(new Blob(['${secret}'], { type: 'application/zip' }))`,
  ),
  '/data': script(click(`'data:text/plain,${secret}${'x'.repeat(1000)}'`, 'data.txt')),
  '/several': script(
    `for (const at of [1, 2, 3]) { ${click(`'/file.zip?' + at`)} }
     for (const at of [4, 5]) document.body.append(Object.assign(document.createElement('iframe'), { src: '/report?' + at }))`,
  ),
  '/many': script(
    `for (let at = 0; at < 40; at++) document.body.append(Object.assign(document.createElement('iframe'), { src: '/report?' + at }))`,
  ),
  '/clicked': answer('<p>Text.</p><a href="/data.json">Data</a>'),
  '/large': answer('<p>Text.</p><a href="/large.json">Data</a>'),
  '/large.json': answer(`"${'x'.repeat(2_000)}"`, { 'content-type': 'application/json' }),
  '/unknown': answer('<p>Text.</p><a href="/unknown.json">Data</a>'),
  '/unknown.json': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('"');
    response.end('x'.repeat(2_000));
  },
  '/shows': script(`location = '/data.json'`),
};

describe('a page that starts a download', { timeout: 90_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  const started = Date.now();
  beforeAll(async () => {
    lab = browserLab({ idleTimeout: 60_000 });
    site = await hostileSite(pages);
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
    expect(await savedFiles(started)).toEqual([]);
  });

  const told = (url: string, name: string): string =>
    `The page started a download, which was not saved: ${url} (suggested name "${name}").`;

  test.each(
    usualAnd(1, [
      ['/link', '/file.zip', 'mine.zip'],
      ['/late', '/file.zip', 'late.zip'],
      ['/location', '/file.zip', 'file.zip'],
      ['/endless', '/endless.zip', 'endless.zip'],
      ['/huge', '/huge.iso', 'huge.iso'],
      ['/redirected', '/report?moved', 'märz.html'],
      ['/frame', '/report', 'märz.html'],
      ['/form', '/report', 'märz.html'],
      ['/refresh', '/report', 'märz.html'],
      ['/slow-refresh', '/file.zip', 'file.zip'],
    ]),
  )('%s is read, and the download is told', async (from, url, name) => {
    const visit = await lab.visit(site.url(from));
    expect(visit).toMatchObject({ statusCode: 200, url: site.url(from) });
    expect(visit.text).toContain('<p>Text.</p>');
    expect(visit.warnings).toEqual([told(site.url(url), name)]);
  });

  rareTest('of its own making is told without what is in it', async () => {
    const blob =
      /^The page started a download, which was not saved: blob:http:\S+ \(suggested name "/;
    const { text, warnings } = await lab.visit(site.url('/blob'));
    expect(text).toContain('<p>Text.</p>');
    expect(warnings).toEqual([expect.stringMatching(blob)]);
    expect(warnings[0]).toContain('"notes.txt"');
    const location = await lab.visit(site.url('/blob-location'));
    expect(location).toMatchObject({ url: site.url('/blob-location') });
    expect(location.warnings).toEqual([expect.stringMatching(blob)]);
    const data = await lab.visit(site.url('/data'));
    expect(data.warnings).toEqual([expect.stringContaining('"data.txt"')]);
    expect(data.warnings[0]?.length).toBeLessThan(200);
  });

  rareTest('after download is told of each, up to 20', async () => {
    const { text, warnings } = await lab.visit(site.url('/several'));
    expect(text).toContain('<p>Text.</p>');
    expect([...warnings].sort()).toEqual([
      ...[1, 2, 3].map((at) => told(site.url(`/file.zip?${at}`), 'file.zip')),
      ...[4, 5].map((at) => told(site.url(`/report?${at}`), 'märz.html')),
    ]);
    const many = await lab.visit(site.url('/many'));
    expect(many.warnings).toHaveLength(21);
    expect(many.warnings.at(-1)).toBe('The page started 20 more downloads.');
  });

  rareTest('leaves no trace of it in the next visit', async () => {
    await lab.visit(site.url('/link'));
    await lab.visit(site.url('/frame'));
    expect((await lab.visit(site.url('/shows'))).warnings).toEqual([]);
  });

  test('is another matter than a URL that is one, and than a page that leads to what browsers show', async () => {
    for (const from of ['/report', '/moved', '/file.zip']) {
      const { text, warnings } = await lab.visit(site.url(from));
      expect([text, warnings]).toEqual([secret, []]);
    }
    const { text, url } = await lab.visit(site.url('/shows'));
    expect([text, url]).toEqual(['{"a":1}', site.url('/data.json')]);
  });

  test('by an action, of what browsers show, is told where to get it', async () => {
    const actions = parseActions('scrape', [{ type: 'click', selector: 'a' }], []);
    const { text, warnings } = await lab.visit(site.url('/clicked'), { rendering: { actions } });
    expect(text).toContain('<p>Text.</p>');
    expect(warnings).toEqual([
      `The page led to a file, which is not in this document: ${site.url('/data.json')}. Scrape that URL itself.`,
    ]);
  });

  test.each(['/large', '/unknown'])(
    'that is too large, by an action, is told: %s',
    async (path) => {
      const actions = parseActions('scrape', [{ type: 'click', selector: 'a' }], []);
      const limits = { bodyBytes: 1_000 };
      const { text, warnings } = await lab.visit(site.url(path), {
        rendering: { actions },
        limits,
      });
      expect(text).toContain('<p>Text.</p>');
      expect(warnings).toEqual([
        `The page led to what is not in this document: ${site.url(`${path}.json`)} has more than 1000 bytes. Raise limits.bodyBytes to read it.`,
      ]);
    },
  );

  rareTest('saves nothing in a context of the caller either', async () => {
    const executablePath = await findChromium();
    const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] });
    onTestFinished(() => browser.close());
    const context = await browser.newContext({ acceptDownloads: true });
    await using own = browserLab({ context });
    for (const from of ['/link', '/blob']) {
      const { text, warnings } = await own.visit(site.url(from));
      expect(text).toContain('<p>Text.</p>');
      expect(warnings).toHaveLength(1);
    }
    await expect.poll(() => savedFiles(started)).toEqual([]);
  });
});

/** Files with the bytes of a download where browsers and their drivers put them. */
async function savedFiles(since: number): Promise<string[]> {
  const found: string[] = [];
  const places = [os.tmpdir(), process.cwd(), path.join(os.homedir(), 'Downloads')];
  for (const place of places) {
    for (const name of await readdir(place).catch(() => [])) {
      const isDriver = name.startsWith('playwright');
      const inside = isDriver ? await readdir(path.join(place, name)).catch(() => []) : [];
      for (const one of [name, ...inside.map((inner) => path.join(name, inner))]) {
        const at = path.join(place, one);
        const facts = await stat(at).catch(() => undefined);
        if (facts?.isFile() !== true || facts.mtimeMs < since || facts.size > 100_000) continue;
        if ((await readFile(at, 'utf8').catch(() => '')).includes(secret)) found.push(at);
      }
    }
  }
  return found;
}
