// The page of a failure can be looked at later: its HTML, and a picture where a browser had it open.
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

await using server = await serve(({ url }) => {
  const isThere = url === '/';
  return {
    status: isThere ? 200 : 404,
    headers: { 'content-type': 'text/html' },
    body: isThere
      ? '<title>Shop</title><p>Lamps and candles.</p><a href="/lamp-7">Lamp</a>'
      : '<title>Gone</title><p>The lamp is sold out.</p>',
  };
});

await using client = createClient({ network: { allow: ['127.0.0.1'] } });
const job = client.crawl(server.url('/'), { keepFailures: true });
await job;
for (const { url, code, statusCode, kept } of job.errors()) {
  console.log(new URL(url).pathname, code, statusCode);
  const html = kept?.html && (await client.readAsset(kept.html));
  console.log(Buffer.from(html ?? []).toString());
}
