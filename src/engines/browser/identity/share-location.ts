/** The page that is visited may know where its reader is; no other page may. */
import type { BrowserContext } from 'playwright-core';

/**
 * Lets the page's own origin, in its secure form and with or without `www.`, ask for the position
 * that the context has. Others are refused, unless the page itself passes the right on to a frame
 * (`allow="geolocation"`).
 */
export async function shareLocation(context: BrowserContext, url: string): Promise<void> {
  const { host, hostname, protocol } = new URL(url);
  const origins = new Set([`${protocol}//${host}`]);
  // An address or a port has no other form.
  if (host === hostname && /[a-z]$/i.test(hostname)) {
    const bare = host.replace(/^www\./, '');
    for (const name of [bare, `www.${bare}`]) origins.add(`https://${name}`);
  }
  for (const origin of origins) await context.grantPermissions(['geolocation'], { origin });
}
