// A crawl that tells a receiver of each page; the receiver checks who is asking.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient, fixturesEngine } from 'pagewright';

const secret = 'known to both sides';

function isSigned(body, header) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const [expected, given] = [Buffer.from(`sha256=${digest}`), Buffer.from(header)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signed = isSigned(body, String(request.headers['x-pagewright-signature']));
  response.writeHead(signed ? 204 : 403).end();
  if (!signed) return;
  const { type, data } = JSON.parse(body.toString());
  console.log(type, data[0]?.metadata.url ?? '');
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());

const site = fixturesEngine({ 'https://tidewater.test': 'fixtures/sites/docs' });
// The receiver runs on this machine, which is not contacted unless it is allowed.
const client = createClient({ engines: [site], network: { allow: ['127.0.0.1'] } });

const job = client.crawl('https://tidewater.test/docs/', {
  limit: 5,
  webhook: { url: `http://127.0.0.1:${port}/`, secret },
});
await job; // The crawl is done; events may still be on their way.
await job.delivered();
console.log(`${job.undelivered().length} events were not delivered`);

await client.close();
receiver.close();
