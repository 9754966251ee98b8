import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  renderingAddedContent,
  renderingSignal,
} from '../../../../src/core/fetch/rendering/rendering-signal.ts';
import type { Snapshot } from '../../../../src/core/model/snapshot.ts';
import { type FixtureServer, serve } from '../../../../src/entries/testing/serve.ts';
import { launchChromium } from '../../../support/chromium.ts';
import { mixedPageBody, mixedPages, mixedPagesFolder } from '../../../support/mixed-pages.ts';
import { answer } from './snapshots.ts';
import { usualAnd } from '../../../support/deep.ts';

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));

describe('the signal of a page as it is sent', () => {
  test('there are 20 static and 20 dynamic pages', () => {
    expect(mixedPages.filter(({ dynamic }) => dynamic)).toHaveLength(20);
    expect(mixedPages.filter(({ dynamic }) => !dynamic)).toHaveLength(20);
  });

  test.each(mixedPages)('$path: $signal', (page) => {
    expect(page.signal !== undefined).toBe(page.dynamic);
    expect(renderingSignal(answer(mixedPageBody(page)))).toBe(page.signal);
  });

  test('no page of the static sites has one', () => {
    const sites = ['sites/blog', 'sites/docs', 'sites/journal', 'sites/shop'];
    const pages = [...sites, 'pages/golden', 'pages/markdown', 'pages/summary'].flatMap((folder) =>
      readdirSync(`${fixtures}${folder}`, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.html'))
        .map((path) => `${fixtures}${folder}/${path}`),
    );
    expect(pages.length).toBeGreaterThan(100);
    const flagged = pages.map((path) => [path, renderingSignal(answer(readFileSync(path)))]);
    expect(flagged.filter(([, signal]) => signal !== undefined)).toEqual([]);
  });
});

describe('a browser agrees with the manifest', () => {
  let browser: Browser;
  let server: FixtureServer;
  let plain: Page;
  let full: Page;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchChromium(), serve(mixedPagesFolder)]);
    plain = await browser.newPage({ javaScriptEnabled: false });
    full = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  async function textOf(page: Page): Promise<string> {
    return page.evaluate(() => {
      const roots = [...document.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? []);
      const shadow = roots.flatMap((root) => [...root.children].map((one) => one.textContent));
      return [document.body.innerText, ...shadow].join('\n').replace(/\s+/g, ' ');
    });
  }

  const dynamic = mixedPages.filter((page) => page.dynamic);
  test.each(usualAnd(4, dynamic))('$path has its text by script only', async ({ path, text }) => {
    await Promise.all([plain, full].map((page) => page.goto(server.url(path))));
    // Evaluating needs no scripts of the page's own.
    expect(await textOf(plain)).not.toContain(text);
    await expect.poll(() => textOf(full), { timeout: 10_000 }).toContain(text);
    const rendered = answer(await full.content(), { url: full.url() });
    // What is in a shadow root is not in content(): an engine has to bring it.
    const isShadow = path === '/custom-elements/';
    expect(renderingAddedContent(await fetched(path), rendered)).toBe(!isShadow);
  });

  const complete = mixedPages.filter((page) => !page.dynamic);
  test.each(usualAnd(4, complete))(
    '$path needs no script for its text',
    async ({ path, text, in: place }) => {
      await Promise.all([plain, full].map((page) => page.goto(server.url(path))));
      expect(place === 'title' ? await plain.title() : await textOf(plain)).toContain(text);
      // The slowest script of these pages starts after 200 ms.
      await full.waitForTimeout(300);
      const rendered = answer(await full.content(), { url: full.url() });
      expect(renderingAddedContent(await fetched(path), rendered)).toBe(false);
    },
  );

  async function fetched(path: string): Promise<Snapshot> {
    const response = await fetch(server.url(path));
    expect(response.status).toBe(200);
    return answer(new Uint8Array(await response.arrayBuffer()), { url: response.url });
  }
});
