/** Sessions: a page of real Chromium that stays open, on sites of this machine. */
import { type Client, createClient, PagewrightError, type Session } from 'pagewright';
import { serve } from 'pagewright/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoginLab, openLoginLab } from '../engines/browser/profiles/login-lab.ts';

const network = { allow: ['127.0.0.1'] };

/** The router of an app: pages without loading, a counter in a variable, and a list that a button fills. */
const app = `<title>App</title><main><h1>Home</h1><p id=out>No clicks were made so far in this page.</p>
<button id=count>Count</button> <button id=about>About</button> <button id=late>Late</button></main>
<script>
  let clicks = 0;
  count.onclick = () => { out.textContent = 'Clicks were made in this page: ' + ++clicks; };
  about.onclick = () => { history.pushState({}, '', '/app/about'); document.querySelector('h1').textContent = 'About us'; };
  late.onclick = () => { setTimeout(() => { const one = document.createElement('i'); one.id = 'there'; one.textContent = 'there'; document.body.append(one); }, 1500); };
</script>`;

let lab: LoginLab;
let site: Awaited<ReturnType<typeof serve>>;
let client: Client;

beforeAll(async () => {
  lab = await openLoginLab();
  site = await serve({
    '/app': app,
    '/other': '<title>Other</title><main><h1>Other page</h1><p>It has text of its own.</p></main>',
  });
  client = createClient({ network });
}, 60_000);

afterAll(async () => {
  await client.close();
  await lab.close();
  await site.close();
});

const count = { actions: [{ type: 'click', selector: '#count' }] } as const;

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => (error instanceof PagewrightError ? error.code : String(error)),
  );
}

describe('a session', { timeout: 60_000 }, () => {
  test('keeps the page: its scripts, its URL and its documents', async () => {
    site.clearLog();
    await using session = await client.open(site.url('/app'));
    const first = await session.scrape();
    expect(first.markdown).toContain('No clicks were made');
    expect(first.metadata).toMatchObject({ url: site.url('/app'), statusCode: 200, title: 'App' });
    expect((await session.scrape(count)).markdown).toContain('made in this page: 1');
    expect((await session.scrape(count)).markdown).toContain('made in this page: 2');
    const about = await session.scrape({
      actions: [{ type: 'click', selector: '#about' }],
      formats: ['links', 'html'],
    });
    expect(about.html).toContain('About us');
    expect(about.metadata.url).toBe(site.url('/app/about'));
    expect(session.url).toBe(site.url('/app/about'));
    expect(site.log.filter(({ path }) => path.startsWith('/app'))).toHaveLength(1);
  });
});
