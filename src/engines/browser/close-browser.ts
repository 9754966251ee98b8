/** The end of a browser: it is asked to close, and killed when it is too busy to hear. */
import type { Browser } from 'playwright-core';

/** Milliseconds that it may take to close by itself. */
const patience = 3_000;

/** The number of the browser's process; undefined where the browser does not tell. */
export async function processOf(browser: Browser): Promise<number | undefined> {
  try {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return processInfo.find(({ type }) => type === 'browser')?.id;
  } catch {
    return undefined;
  }
}

/** Closes a browser, one that is known to be stuck at once; never rejects. `pid` is that of its process, when it may be killed. */
export async function closeBrowser(
  browser: Browser,
  { pid, isStuck }: { readonly pid: number | undefined; readonly isStuck: boolean },
): Promise<void> {
  const end = (): void => {
    if (pid !== undefined && browser.isConnected()) kill(pid);
  };
  const timer = setTimeout(end, isStuck ? 0 : patience);
  await browser.close().catch(() => undefined);
  clearTimeout(timer);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
