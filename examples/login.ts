// Members' pages: log in once with actions, keep the state in a profile, scrape with it.
// It needs Chromium or Chrome.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';
import { needs } from './needs.ts';

needs('playwright-core');

// The club of this example. It knows its members by a cookie.
const club = await serve({
  '/login': `<h1>Sign in</h1><form method="post" action="/session">
<input name="user"><input name="password" type="password"><button>Sign in</button></form>`,
  '/session': { status: 303, headers: { location: '/members', 'set-cookie': 'member=maya' } },
  '/members': ({ headers }) =>
    headers.cookie?.includes('member=maya') === true
      ? '<h1>Boats for members</h1><nav class="account">Maya</nav><p>The coxed four is free on Tuesday evenings; the key hangs behind the door.</p>'
      : { status: 303, headers: { location: '/login' } },
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });
const profile = { name: 'maya' };

await client.scrape(club.url('/login'), {
  profile,
  actions: [
    { type: 'fill', selector: '[name=user]', text: 'maya' },
    { type: 'fill', selector: '[name=password]', text: process.env.PASSWORD ?? 'secret' },
    { type: 'click', selector: 'button' },
    { type: 'wait', selector: '.account' },
  ],
});

// With a storage of the client the profile outlives the process.
const { markdown, metadata } = await client.scrape(club.url('/members'), { profile });
console.log(metadata.statusCode, metadata.engine);
console.log(markdown);

await client.close();
await club.close();
