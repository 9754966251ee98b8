// A crawl that tells a receiver of each page; the receiver checks who is asking.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createClient, type PlainDocument, verifyWebhook, type WebhookBody } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';

const secret = 'known to both sides';

const receiver = createServer((request, response) => {
  void buffer(request).then((body) => {
    const signature = request.headers['x-pagewright-signature-timed'];
    const isGenuine = verifyWebhook({ body, signature, secret });
    response.writeHead(isGenuine ? 204 : 403).end();
    if (!isGenuine) return;
    const { type, data } = JSON.parse(body.toString()) as WebhookBody<PlainDocument>;
    console.log(type, data[0]?.metadata.url ?? '');
  });
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const { port } = receiver.address() as AddressInfo;

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
// The receiver runs on this machine, which is not contacted unless it is allowed.
const client = createClient({ engines: [site], network: { allow: ['127.0.0.1'] } });

const job = client.crawl('https://lantern.test/docs/', {
  limit: 5,
  webhook: { url: `http://127.0.0.1:${port}/`, secret },
});
await job; // The crawl is done; events may still be on their way.
await job.delivered();
console.log(`${job.undelivered().length} events were not delivered`);

await client.close();
receiver.close();
