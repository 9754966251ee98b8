/** Browsers that the client does not start: an endpoint, a browser and a context of the caller's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type PagewrightError } from 'pagewright';
import type { BrowserChoice } from '../../../src/browser/chromium/browser.ts';
import { type FixtureServer, serve } from 'pagewright/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../src/browser/chromium/open-browser.ts';
import { chromiumFlags, launchChromium } from '../../support/chromium.ts';
import { rareTest } from '../../support/deep.ts';

const network = { allow: ['127.0.0.1'] };

/** Its content comes by script, with what it may ask for and what it may not. */
const page = `<!DOCTYPE html><title>Tide</title><main><p id="text"></p></main>
<img src="http://127.0.0.2:{{port}}/image.png"><iframe src="http://127.0.0.2:{{port}}/frame"></iframe>
<script>
  fetch('/words').then((answer) => answer.text()).then((words) => (text.textContent = words));
  fetch('http://127.0.0.2:{{port}}/secret').catch(() => {});
  try { new WebSocket('ws://127.0.0.2:{{port}}/socket'); } catch {}
</script>`;

describe('a browser that the client does not start', { timeout: 60_000 }, () => {
  let server: FixtureServer;
  let forbidden: FixtureServer;
  let browser: Browser;
  beforeAll(async () => {
    forbidden = await serve({ '/': 'secret' }, { host: '127.0.0.2' });
    const { port } = new URL(forbidden.origin);
    server = await serve({
      '/': page.replaceAll('{{port}}', port),
      '/words': 'The tide turns at six in the evening, says the harbour master.',
      '/away': { status: 302, headers: { location: `http://127.0.0.2:${port}/` } },
      '/cookie': '<p>cookie page</p>',
    });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await forbidden.close();
  });

  async function renders(choice: BrowserChoice, trustBrowser = false): Promise<void> {
    forbidden.clearLog();
    await using client = createClient({ network: { ...network, trustBrowser }, browser: choice });
    const { markdown, metadata } = await client.scrape(server.url('/'), { engine: 'browser' });
    expect(markdown).toContain('The tide turns at six');
    expect(metadata.engine).toBe('browser');
    const blocked = client.scrape(server.url('/away'), { engine: 'browser', retries: 0 });
    await expect(blocked).rejects.toMatchObject({ code: 'BLOCKED_ADDRESS' });
    expect(forbidden.log.map(({ url }) => url)).toEqual([]);
  }

  rareTest(
    'a Playwright browser: rendered under the policy, left open, nothing left in it',
    async () => {
      await renders({ browser });
      expect(browser.isConnected()).toBe(true);
      expect(browser.contexts()).toEqual([]);
    },
  );

  rareTest('a Playwright context: its cookies are sent, and it keeps its other pages', async () => {
    const context = await browser.newContext();
    await context.addCookies([{ name: 'session', value: 'mine', url: server.origin }]);
    const other = await context.newPage();
    await renders({ context }, true);
    expect(server.log.at(-2)?.headers['cookie']).toContain('session=mine');
    expect(context.pages()).toEqual([other]);
    await context.close();
  });

  test('an endpoint of the DevTools protocol: rendered under the policy, and still there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pagewright-endpoint-'));
    const child = spawn(await findChromium(), [
      ...chromiumFlags,
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
      'about:blank',
    ]);
    try {
      const endpoint = await endpointOf(folder, child);
      await renders({ endpoint });
      expect((await fetch(`${endpoint}/json/version`)).status).toBe(200);
    } finally {
      child.kill('SIGKILL');
      await sleep(200);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test('a trusted Playwright browser: the policy is asked for what its pages request', async () => {
    await renders({ browser }, true);
    expect(browser.contexts()).toEqual([]);
  });

  rareTest(
    'the client says once where Chromium runs without its sandbox, and nothing of other browsers',
    async () => {
      const warnings: string[] = [];
      const logger = { warn: (_: unknown, sentence: string) => void warnings.push(sentence) };
      await using own = createClient({ network, logger, browser: { idleTimeout: 0 } });
      for (const proxy of ['basic', 'stealth'] as const) {
        await own.scrape(server.url('/cookie'), { engine: 'browser', proxy, maxAge: 0 });
      }
      await using foreign = createClient({ network, logger, browser: { browser } });
      await foreign.scrape(server.url('/cookie'), { engine: 'browser' });
      const isRoot = process.getuid?.() === 0;
      expect(warnings).toEqual(isRoot ? [expect.stringContaining('without its sandbox')] : []);
    },
  );

  test('what cannot be opened says so, without the token of an endpoint', async () => {
    const choices: readonly BrowserChoice[] = [
      { endpoint: 'ws://127.0.0.1:9/devtools?token=hidden-token' },
      { executablePath: '/nowhere/chromium' },
    ];
    for (const browserChoice of choices) {
      await using client = createClient({ network, browser: browserChoice });
      const error = (await client
        .scrape(server.url('/'), { engine: 'browser', retries: 0 })
        .catch((failure: unknown) => failure)) as PagewrightError;
      expect(error.code).toBe('BROWSER_UNAVAILABLE');
      expect(error.message).not.toContain('hidden-token');
    }
  });
});

/** Chromium writes the port that it took into its profile. */
async function endpointOf(folder: string, child: ChildProcess): Promise<string> {
  for (let wait = 0; wait < 300 && child.exitCode === null; wait++) {
    const text = await readFile(join(folder, 'DevToolsActivePort'), 'utf8').catch(() => '');
    const [port = ''] = text.split('\n');
    if (port !== '') return `http://127.0.0.1:${port}`;
    await sleep(50);
  }
  throw new Error('Chromium told no port.');
}
