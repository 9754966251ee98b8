/** One adapter for each tier and country. */
import type { ProxyRoute } from '../model/request.ts';
import type { Proxy } from './proxy.ts';

/** Where a kind is missing, the request goes directly. */
export interface Tiers {
  readonly basic: Proxy | undefined;
  readonly stealth: Proxy | undefined;
  /** By ISO 3166-1 alpha-2 codes in upper case. */
  readonly countries: ReadonlyMap<string, Proxy>;
}

/** Chooses by country first, then by tier; stealth without proxies of its own uses the basic ones. */
export function tieredProxy({ basic, stealth, countries }: Tiers): Proxy {
  /** Who is to be told how a route went; several adapters may have the same one. */
  const origin = new WeakMap<ProxyRoute, Proxy>();
  return {
    async pick(request) {
      const country = countries.get(request.country?.toUpperCase() ?? '');
      const byTier = request.tier === 'stealth' ? (stealth ?? basic) : basic;
      const proxy = country ?? byTier;
      const route = await proxy?.pick(request);
      if (proxy !== undefined && route !== undefined) origin.set(route, proxy);
      return route;
    },
    report: (route, outcome) => origin.get(route)?.report?.(route, outcome),
  };
}
