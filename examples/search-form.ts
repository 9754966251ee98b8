// A search form that answers a POST, page by page, and the JSON API beside it.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

const lamps = ['Brass lamp', 'Desk lamp', 'Floor lamp', 'Wall lamp'];
const site = await serve({
  // The answer to the form: two lamps on each page.
  '/search': ({ method, body }) => {
    const fields = new URLSearchParams(String(body));
    const from = 2 * (Number(fields.get('page')) - 1);
    const found = lamps.slice(from, from + 2).map((name) => `<li>${name}</li>`);
    return `<main><h1>${method} ${fields.get('q')}</h1><ul>${found.join('')}</ul></main>`;
  },
  // A new entry: the server redirects to it.
  '/api/lamps': ({ body }) => ({
    status: 303,
    headers: { location: `/api/lamps/${(JSON.parse(String(body)) as { id: number }).id}` },
    body: '',
  }),
  '/api/lamps/5': {
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ceiling lamp"}',
  },
});
const client = createClient({ network: { allow: ['127.0.0.1'] } });

for (const page of [1, 2]) {
  const { markdown } = await client.scrape(site.url('/search'), {
    body: { form: { q: 'lamps', page } },
  });
  console.log(markdown);
}

const created = await client.scrape(site.url('/api/lamps'), { body: { json: { id: 5 } } });
console.log(created.metadata.url.endsWith('/api/lamps/5'), created.markdown);

await client.close();
await site.close();
