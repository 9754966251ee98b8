// The proxies of the environment, as curl reads them: a company's proxy for the web, and none for its own hosts.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createClient } from 'pagewright';
import { serve } from 'pagewright/testing';

// The site and the proxy of this example; the proxy says where it connects to.
const site = await serve({
  '/prices': '<title>Prices</title><h1>Prices</h1><p>A lamp costs 49 euros.</p>',
});
const proxy = createServer().on('connect', ({ url = '' }, socket) => {
  console.log(`The proxy connects to ${url}.`);
  const [host, port] = url.split(':');
  const onward = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
  socket.pipe(onward).pipe(socket);
});
await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
const address = proxy.address();
const port = typeof address === 'object' ? address?.port : undefined;

const read = async (): Promise<void> => {
  // The variables are read here, once. The logger is told which of them are used.
  const client = createClient({
    proxy: 'environment',
    network: { allow: ['127.0.0.1'] },
    logger: { warn: (_, message) => console.log(message) },
  });
  const { markdown } = await client.scrape(site.url('/prices'));
  console.log(markdown);
  await client.close();
};

for (const name of ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'no_proxy']) {
  delete process.env[name];
}
process.env['http_proxy'] = `http://127.0.0.1:${port}`;
process.env['NO_PROXY'] = '';
await read();

process.env['NO_PROXY'] = 'intranet.example,127.0.0.0/8';
await read();
proxy.close();
await site.close();
