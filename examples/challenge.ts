// A host that lets in only those with its cookie: the hook answers once for all its pages.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

const site = await serve(({ headers, url }) =>
  String(headers.cookie).includes('pass=granted')
    ? `<main><h1>Page ${url}</h1><p>What the challenge kept from others.</p></main>`
    : {
        status: 403,
        headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' },
        body: '<p>Who are you?',
      },
);
const client = createClient({
  network: { allow: ['127.0.0.1'] },
  hooks: {
    onChallenge: ({ url, kind, statusCode }) => {
      console.log('asked', kind, statusCode);
      // Here: a login or a solver of your own.
      return { cookies: [{ name: 'pass', value: 'granted', domain: new URL(url).hostname }] };
    },
  },
});

const urls = ['/one', '/two', '/three'].map((path) => site.url(path));
const { data } = await client.batchScrape(urls, { engine: 'http', proxy: 'basic' });
for (const { markdown, metadata } of data) {
  console.log(metadata.statusCode, markdown.split('\n')[0]);
}

await client.close();
await site.close();
