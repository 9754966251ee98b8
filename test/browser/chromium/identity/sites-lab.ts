/** Several host names on one loopback server, and what each was sent. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  /** Host without port, and path: `www.shop.test/page`. */
  readonly place: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface SitesLab {
  readonly port: number;
  readonly arrivals: Arrival[];
  url(place: string): string;
  /** Resolves when this place was asked for, with the headers that it was sent. */
  arrival(place: string): Promise<http.IncomingHttpHeaders>;
  close(): Promise<void>;
}

/** Chromium finds every name that ends in `.test` on this machine. */
export const testHosts = '--host-resolver-rules=MAP *.test 127.0.0.1';

/** Serves `pages` by place, `$PORT` filled in; a value that starts with `→` redirects. All else is an empty page. */
export async function openSites(pages: Readonly<Record<string, string>>): Promise<SitesLab> {
  const arrivals: Arrival[] = [];
  const server = http.createServer((request, response) => {
    const host = (request.headers.host ?? '').split(':', 1)[0] ?? '';
    const place = host + (request.url ?? '');
    arrivals.push({ place, headers: request.headers });
    const page = (pages[place] ?? '').replaceAll('$PORT', String(lab.port));
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cache-control', 'no-store');
    if (page.startsWith('→')) {
      response.writeHead(302, { location: page.slice(1) }).end();
      return;
    }
    response.setHeader('content-type', place.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lab: SitesLab = {
    port,
    arrivals,
    url: (place) => `http://${place.replace('/', `:${port}/`)}`,
    arrival: async (place) => {
      for (let wait = 0; wait < 500; wait++) {
        const found = arrivals.findLast((arrival) => arrival.place === place);
        if (found !== undefined) return found.headers;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(
        `${place} was not asked for, only ${arrivals.map((one) => one.place).join()}`,
      );
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return lab;
}
