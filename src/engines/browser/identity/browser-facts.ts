/** What a running Chromium says of itself, for identities that fit it. */
import type { Browser } from 'playwright-core';

/** Read once after the launch. */
export interface BrowserFacts {
  /** `156.0.8078.79` */
  readonly version: string;
  /** The browser's own, as it is when a person uses it. */
  readonly userAgent: string;
  /** It tells pages that it is headless unless it is told not to. */
  readonly saysHeadless: boolean;
}

/** Asks the browser. */
export async function readBrowserFacts(browser: Browser): Promise<BrowserFacts> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { userAgent } = await session.send('Browser.getVersion');
    return {
      version: browser.version(),
      userAgent: userAgent.replace('HeadlessChrome/', 'Chrome/'),
      saysHeadless: userAgent.includes('Headless'),
    };
  } finally {
    await session.detach();
  }
}
