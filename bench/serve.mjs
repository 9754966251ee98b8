// Serves the made-up site on loopback, in a process of its own: what it costs is not measured.
// Tells its parent the port, and ends when the parent does.
import { createServer } from 'node:http';
import {
  appPagePath,
  makeAppPage,
  makePage,
  makeRobotsTxt,
  makeSitemap,
  makeSmallPage,
  pagePath,
  smallPagePath,
} from './site.mjs';

const pages = Number(process.argv[2]);
const bodies = new Map(
  Array.from({ length: pages }, (_, index) => [
    pagePath(index),
    Buffer.from(makePage(index, pages)),
  ]),
);

bodies.set(smallPagePath, Buffer.from(makeSmallPage()));
bodies.set(appPagePath, Buffer.from(makeAppPage()));

const types = { txt: 'text/plain', xml: 'application/xml' };
const server = createServer((request, response) => {
  const {
    url = '',
    headers: { host = '' },
  } = request;
  const origin = `http://${host}`;
  if (url === '/robots.txt') bodies.set(url, Buffer.from(makeRobotsTxt(origin)));
  if (url === '/sitemap.xml') bodies.set(url, Buffer.from(makeSitemap(origin, pages)));
  const body = bodies.get(url);
  const type = types[url.split('.').at(-1) ?? ''] ?? 'text/html';
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-length': body?.length };
  if (body === undefined) response.writeHead(404).end();
  else response.writeHead(200, headers).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => process.exit());
