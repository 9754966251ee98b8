/** Creates the engine `http`: a GET without a browser, over undici, which `follow-redirects.ts` leads from hop to hop. */
import { PagewrightError } from '../runtime/errors.ts';
import { Lazy, loadModule } from '../runtime/load-module.ts';
import type { NetworkPolicy } from './network/policy.ts';
import type { Engine } from '../model/engine.ts';
import type { HttpClient } from './follow-redirects.ts';
import type { TlsConfig } from './tls-config.ts';

/**
 * Makes an engine with its own connections. Dispose it to close them. `policy`: called before every
 * hop and for every address from DNS. `userAgent`: the User-Agent header for requests without one.
 * `tls`: certificate authorities, a client certificate, HTTP/2.
 */
export function httpEngine(policy: NetworkPolicy, userAgent: string, tls?: TlsConfig): Engine {
  let isDisposed = false;
  const connected = new Lazy(async () => {
    const [{ undiciTransport }, { followRedirects }] = await Promise.all([
      loadModule(() => import('./transports/undici/undici-transport.ts')),
      loadModule(() => import('./follow-redirects.ts')),
    ]);
    const transport = undiciTransport(policy, tls);
    const client: HttpClient = { engine: 'http', transport, policy, userAgent };
    return { client, followRedirects };
  });
  return {
    name: 'http',
    can: new Set(['method']),
    cost: 10,
    async fetch(request) {
      request.signal.throwIfAborted();
      if (isDisposed) throw new PagewrightError('CANCELLED', 'The http engine was disposed.');
      const { client, followRedirects } = await connected.get();
      return await followRedirects(client, request);
    },
    async dispose() {
      isDisposed = true;
      await (await connected.made())?.client.transport.close();
    },
  };
}
