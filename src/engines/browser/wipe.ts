/** Makes a tab as good as new, so that the next visit neither finds nor shows what was there before. */
import { withSignal } from '../../network/deadline.ts';
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
  // What the page sends when it is left would be answered, perhaps with a cookie, in the next visit.
  tab.disconnect();
  return withSignal(leaveAndClear(tab), AbortSignal.timeout(patience));
}

async function leaveAndClear(tab: Tab): Promise<boolean> {
  const { page, session } = tab;
  if (await hasCompany(tab)) return false;
  tab.document.expect(undefined);
  // The page's scripts are gone before the storage is, so that nothing comes back.
  await page.goto('about:blank', { timeout: patience });
  if (!tab.mayStay()) return false;
  await Promise.all([
    session.send('Network.clearBrowserCookies'),
    session.send('Network.clearBrowserCache'),
    session.send('Page.resetNavigationHistory'),
    session.send('Runtime.evaluate', { expression: "window.name = ''" }),
    // No origin stands for all of them, and for the session storage of the tab too.
    session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }),
  ]);
  return tab.mayStay();
}

/** Workers and frames of other sites are processes and threads of their own, which end in their own time. */
async function hasCompany({ session, contextId }: Tab): Promise<boolean> {
  const types = ['worker', 'shared_worker', 'service_worker', 'iframe'];
  const filter = types.map((type) => ({ type }));
  const { targetInfos } = await session.send('Target.getTargets', { filter });
  return targetInfos.some(({ browserContextId }) => browserContextId === contextId);
}
