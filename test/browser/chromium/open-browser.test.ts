/** The Chromium that the client starts. */
import { expect, test } from 'vitest';
import { launchForClients } from '../../support/chromium.ts';

test('a window has no pages but its own: the popups of the address bar would be two', async () => {
  const browser = await launchForClients();
  try {
    const page = await browser.newPage();
    await page.goto('data:text/html,<p>hello');
    const session = await browser.newBrowserCDPSession();
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] });
    expect(targetInfos.map(({ url }) => new URL(url).protocol)).toEqual(['data:', 'data:']);
    expect(targetInfos.map(({ type }) => type).sort()).toEqual(['page', 'tab']);
  } finally {
    await browser.close();
  }
}, 60_000);
