// A page that stays open: log in, go from page to page of a list, then crawl with the cookies.
// It needs Chromium or Chrome.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

// The club of this example. It knows its members by a cookie, and its list by a script.
const club = await serve({
  '/login': `<h1>Sign in</h1><form method="post" action="/session">
<input name="user"><input name="password" type="password"><button>Sign in</button></form>`,
  '/session': { status: 303, headers: { location: '/boats', 'set-cookie': 'member=maya' } },
  '/boats': ({ headers }) =>
    headers.cookie?.includes('member=maya') === true
      ? `<title>Boats</title><main><h1>Boats for members</h1><p id="boat">The coxed four is free on Tuesday evenings.</p></main>
<button id="next">Next</button><script>next.onclick = () => { boat.textContent = 'The single scull is free on Fridays.'; }</script>`
      : { status: 303, headers: { location: '/login' } },
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });
const session = await client.open(club.url('/login'));

const { markdown: first } = await session.scrape({
  actions: [
    { type: 'fill', selector: '[name=user]', text: 'maya' },
    { type: 'fill', selector: '[name=password]', text: process.env.PASSWORD ?? 'secret' },
    { type: 'click', selector: 'button' },
    { type: 'wait', selector: '#boat' },
  ],
});
console.log(first);
const { markdown: second } = await session.scrape({
  actions: [{ type: 'click', selector: '#next' }],
});
console.log(second);

const cookies = await session.cookies();
const { data } = await client.crawl(club.url('/boats'), { limit: 1, scrapeOptions: { cookies } });
console.log(data.map(({ metadata }) => `${metadata.statusCode} ${metadata.title}`));

await session.close();
await client.close();
await club.close();
