/** The stealth engine: a GET that resembles a browser's, without a browser. */
import { PagewrightError } from '../runtime/errors.ts';
import { Lazy, loadModule } from '../runtime/load-module.ts';
import { missingPackage } from '../runtime/optional-packages.ts';
import type { NetworkPolicy } from './network/policy.ts';
import type { Engine } from '../model/engine.ts';
import type { HttpClient } from './follow-redirects.ts';
import type { TlsConfig } from './tls-config.ts';
import type { Transport } from './transport.ts';

/** The package with the browser data. */
export type StealthClient = 'got-scraping' | 'impit';

/** Options of the stealth engine. */
export interface StealthEngineOptions {
  /** Called before every hop and for every address that DNS returns. */
  readonly policy: NetworkPolicy;
  /**
   * `got-scraping`: headers, their order, ciphers and HTTP/2 settings of browsers by their share on
   * the web. `impit`: the TLS and HTTP/2 of a browser to the byte; an optional native package.
   * @default 'got-scraping'
   */
  readonly client?: StealthClient;
  /** Certificate authorities and a client certificate; `impit` uses only Node's authorities. */
  readonly tls?: TlsConfig | undefined;
}

/**
 * Makes an engine with its own connections, which loads its client with the first request. Dispose
 * it to close them.
 *
 * Requests of one `visitor` have one identity; without a visitor each fetch has its own. The
 * caller's headers replace those of the browser. A fetch rejects with `MISSING_DEPENDENCY` if the
 * package is not installed.
 */
export function stealthEngine(options: StealthEngineOptions): Engine {
  const { policy, client = 'got-scraping' } = options;
  let isDisposed = false;
  const httpClient = new Lazy<HttpClient>(async () => {
    return { engine: 'stealth', transport: await openTransport(options), policy };
  });
  return {
    name: 'stealth',
    can: new Set(['stealth', 'method']),
    cost: 20,
    problem: () => missingPackage("proxy: 'stealth'", client),
    async fetch(request) {
      request.signal.throwIfAborted();
      if (isDisposed) throw new PagewrightError('CANCELLED', 'The stealth engine was disposed.');
      const { followRedirects } = await loadModule(() => import('./follow-redirects.ts'));
      const { visitor = {} } = request;
      return await followRedirects(await httpClient.get(), { ...request, visitor });
    },
    async dispose() {
      isDisposed = true;
      await (await httpClient.made())?.transport.close();
    },
  };
}

async function openTransport({ policy, client, tls }: StealthEngineOptions): Promise<Transport> {
  if (client === 'impit') {
    const { impitTransport } = await loadModule(
      () => import('./transports/impersonation/impit-transport.ts'),
    );
    return impitTransport(policy);
  }
  const { gotTransport } = await loadModule(
    () => import('./transports/impersonation/got-transport.ts'),
  );
  return gotTransport(policy, tls);
}
