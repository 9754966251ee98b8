/** Browsers and pages that die, are killed, closed or given up: no page is lost and nothing is left. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type FixtureServer, hang, slowHeaders } from 'pagewright/testing';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import type { ActionStep } from '../../../src/core/model/request.ts';
import { chromiumOf, descendants } from '../../support/process-tree.ts';
import { answer, type BrowserLab, browserLab, hostileSite, script } from './hostile-lab.ts';
import { rareTest } from '../../support/deep.ts';

const plain = answer('<title>Plain</title><p>Text.</p>');

const step = (perform: (page: Page) => Promise<unknown>): ActionStep => ({
  type: 'own',
  waits: 0,
  perform: async (page) => void (await perform(page as Page)),
});

const close = step((page) => page.close());

const crash = step(async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.crash');
});

/** Waits until `check` holds, which it has to within some seconds. */
async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let waited = 0; !(await check()); waited += 50) {
    if (waited > 8_000) throw new Error(`Not in time: ${what}`);
    await sleep(50);
  }
}

describe('the browser', { timeout: 60_000 }, () => {
  let site: FixtureServer;
  beforeAll(async () => {
    site = await hostileSite({
      '/plain': plain,
      '/slow*': async (exchange) => {
        await slowHeaders({ ms: 1_500 })({ ...exchange, page: () => slowPage(exchange.url) });
      },
      '/hang': hang(),
      '/restless': script("setInterval(() => fetch('/plain?' + Math.random()), 20)"),
      '/eats-memory': script('const all = []; for (;;) all.push(new Array(1e6).fill(0.5))'),
    });
  });
  afterAll(() => site.close());

  const slowPage = (url: string) =>
    Promise.resolve({
      status: 200,
      delay: 0,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from(`<p>Slow ${url}.</p>`),
    });

  const openLab = (options: Parameters<typeof browserLab>[0] = {}): BrowserLab => {
    const lab = browserLab({ maxPages: 6, idleTimeout: 30_000, ...options });
    onTestFinished(() => lab[Symbol.asyncDispose]());
    return lab;
  };

  rareTest(
    'may be killed while 6 pages are open: all of them come, from one new browser',
    async () => {
      const lab = openLab();
      await lab.visit(site.url('/plain'));
      site.clearLog();
      const paths = Array.from({ length: 6 }, (_, number) => `/slow?${number}`);
      const visits = Promise.all(paths.map((path) => lab.visit(site.url(path))));
      await until(() => site.log.length >= 6, 'the pages are asked for');
      const [browser] = chromiumOf(process.pid, 'browser');
      if (browser === undefined) throw new Error('No browser runs.');
      process.kill(browser.pid, 'SIGKILL');
      const texts = (await visits).map(({ text }) => text);
      expect(texts).toEqual(paths.map((path) => expect.stringContaining(`Slow ${path}.`)));
      expect(lab.browsers).toHaveLength(2);
    },
  );

  test('may lose the process of a page: it is asked for again, the others go on', async () => {
    const lab = openLab({ maxPages: 2 });
    await lab.visit(site.url('/plain'));
    const killing = step(async () => {
      if (renderers.length > 0) return;
      renderers.push(...chromiumOf(process.pid, 'renderer'));
      for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
      await new Promise(() => undefined);
    });
    const renderers: { pid: number }[] = [];
    const visit = await lab.visit(site.url('/plain'), { rendering: { actions: [killing] } });
    expect(visit.text).toContain('Text.');
    expect(renderers.length).toBeGreaterThan(0);
    expect(lab.browsers).toHaveLength(1);
  });

  rareTest(
    'tells of a page that crashes or is closed each time, and opens others beside it and after it',
    async () => {
      const lab = openLab();
      const [crashing, closed, beside] = await Promise.allSettled([
        lab.visit(site.url('/plain'), { rendering: { actions: [crash] } }),
        lab.visit(site.url('/plain'), { rendering: { actions: [close] } }),
        lab.visit(site.url('/slow?beside')),
      ]);
      expect(crashing).toMatchObject({ status: 'rejected', reason: { code: 'BROWSER_CRASHED' } });
      expect(closed).toMatchObject({ status: 'rejected', reason: { code: 'BROWSER_CRASHED' } });
      expect(beside).toMatchObject({ status: 'fulfilled' });
      expect((await lab.visit(site.url('/plain'))).text).toContain('Text.');
      expect(lab.browsers).toHaveLength(1);
    },
  );

  rareTest('tells of a page that eats all memory', async () => {
    const lab = openLab({ args: ['--js-flags=--max-old-space-size=128'] });
    const [eating, beside] = await Promise.allSettled([
      lab.visit(site.url('/eats-memory')),
      lab.visit(site.url('/slow?beside')),
    ]);
    expect(eating).toMatchObject({ status: 'rejected', reason: { code: 'BROWSER_CRASHED' } });
    expect(beside).toMatchObject({ status: 'fulfilled' });
    expect((await lab.visit(site.url('/plain'))).text).toContain('Text.');
  });

  test('leaves no process, no socket and no file when it is closed, even while a page hangs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pagewright-'));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    onTestFinished(async () => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
      await rm(folder, { recursive: true });
    });
    const lab = openLab();
    await lab.visit(site.url('/plain'));
    site.clearLog();
    const hanging = [site.url('/hang'), site.url('/restless')].map((url) => lab.visit(url));
    const ends = Promise.allSettled(hanging);
    await until(() => site.log.length >= 2, 'the pages are asked for');
    expect(descendants(process.pid).length).toBeGreaterThan(2);
    await lab.engine.dispose?.();
    expect(chromiumOf(process.pid, 'browser')).toEqual([]);
    expect(chromiumOf(process.pid, 'renderer')).toEqual([]);
    expect(await ends).toMatchObject([
      { status: 'rejected', reason: { code: 'CANCELLED' } },
      { status: 'rejected', reason: { code: 'CANCELLED' } },
    ]);
    await until(() => site.openSockets === 0, 'the sockets are closed');
    expect(await readdir(folder)).toEqual([]);
    await expect(lab.visit(site.url('/plain'))).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  rareTest('is given up at any moment at once, and takes the next page', async () => {
    const lab = openLab({ maxPages: 1 });
    const never = step(() => new Promise(() => undefined));
    const giveUp = async (
      path: string,
      wait: () => Promise<unknown>,
      actions: ActionStep[] = [],
    ) => {
      const controller = new AbortController();
      const visit = lab.visit(site.url(path), {
        signal: controller.signal,
        ...(actions.length === 0 ? {} : { rendering: { actions } }),
      });
      visit.catch(() => undefined);
      await wait();
      const begun = performance.now();
      controller.abort();
      await expect(visit).rejects.toBeInstanceOf(PagewrightError);
      expect(performance.now() - begun).toBeLessThan(250);
    };
    const asked = (path: string) => () => {
      site.clearLog();
      return until(() => site.log.some(({ url }) => url === path), `${path} is asked for`);
    };
    // While it starts, while it navigates, while it settles, while it acts.
    await giveUp('/plain', () => sleep(20));
    await lab.visit(site.url('/plain'));
    await giveUp('/hang', asked('/hang'));
    await giveUp('/restless', () => asked('/restless')().then(() => sleep(300)));
    await giveUp('/plain', () => asked('/plain')().then(() => sleep(500)), [never]);
    // While it waits for a tab.
    const first = giveUp('/hang', () => asked('/hang')().then(() => sleep(200)));
    await sleep(50);
    await giveUp('/slow?second', () => sleep(50));
    await first;
    expect(site.log.map(({ url }) => url)).not.toContain('/slow?second');
    expect((await lab.visit(site.url('/plain'))).text).toContain('Text.');
    expect(lab.browsers).toHaveLength(1);
    await until(() => site.openSockets <= 1, 'the sockets are closed');
    await until(() => (lab.browsers[0]?.contexts().length ?? 0) <= 1, 'the tabs are closed');
  });

  rareTest('is closed when nobody needs it, and started again', async () => {
    const lab = openLab({ idleTimeout: 300 });
    await lab.visit(site.url('/plain'));
    await until(() => chromiumOf(process.pid, 'browser').length === 0, 'it is closed');
    expect((await lab.visit(site.url('/plain'))).text).toContain('Text.');
    expect(lab.browsers).toHaveLength(2);
  });

  rareTest('survives visits that begin in the moment in which it is closed', async () => {
    const lab = openLab({ idleTimeout: 1 });
    for (let round = 0; round < 4; round++) {
      await lab.visit(site.url('/plain'));
      await sleep(round * 2);
    }
    await lab.engine.dispose?.();
    expect(chromiumOf(process.pid, 'browser')).toEqual([]);
  });
});
