/** Makes a tab as good as new, so that the next visit neither finds nor shows what was there before. */
import type { Tab } from './tab.ts';

/** Milliseconds that it may take; a page that cannot be left by then is closed. */
const patience = 3_000;

/**
 * True when the tab holds nothing of its visits any more: no document, cookies, storage, caches,
 * connections or history. False when that is not certain, and it has to be closed. What stays are facts
 * about servers, not about visits: which hosts want https (HSTS), and TLS sessions.
 */
export async function wipe(tab: Tab): Promise<boolean> {
  if (!tab.mayStay()) return false;
  const { page, session, origins } = tab;
  tab.document.expect(undefined);
  // The page's scripts are gone before the storage is, so that nothing comes back.
  await page.goto('about:blank', { timeout: patience });
  if (!tab.mayStay()) return false;
  tab.disconnect();
  await Promise.all([
    session.send('Network.clearBrowserCookies'),
    session.send('Network.clearBrowserCache'),
    session.send('Page.resetNavigationHistory'),
    session.send('Runtime.evaluate', { expression: "window.name = ''" }),
    ...[...origins].map((origin) => {
      return session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    }),
  ]);
  origins.clear();
  return true;
}
