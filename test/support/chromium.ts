/** A real Chromium for tests of what runs in a page. Without one they fail: none is skipped. */
import { type Browser, chromium, type Page } from 'playwright-core';
import {
  disabledFeatures,
  findChromium,
  openBrowser,
} from '../../src/browser/chromium/open-browser.ts';

/** Flags that keep Chromium off the network and let it run as root. */
export const chromiumFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${disabledFeatures.join()}`,
];

/** Starts Chromium; the caller closes it. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: [...chromiumFlags] });
}

/** Starts Chromium as a client does, for several clients; the caller closes it. */
export async function launchForClients(): Promise<Browser> {
  return (await openBrowser({ stealth: false, warn: () => undefined })).browser;
}

/** A page of its own context with this HTML in it. */
export async function pageWith(browser: Browser, html: string): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setContent(html);
  return page;
}
