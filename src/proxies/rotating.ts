/** Several proxies in turn: a visitor keeps one, and one that fails rests. */
import type { ProxyRoute } from '../model/request.ts';
import type { Proxy } from './proxy.ts';

/** Milliseconds of the first rest; it doubles with every failure in a row. */
const firstRest = 10_000;

/** Milliseconds of the longest rest. */
const longestRest = 10 * 60_000;

/**
 * Hands the routes out in turn. A visitor keeps its proxy until that one fails; a proxy that fails
 * rests for 10 s, 20 s, 40 s … up to 10 minutes, until a request through it succeeds; one that
 * could not reach a host rests for 10 s. When all of
 * them rest, the one is taken whose rest ends first: an attempt is worth more than an error, and
 * its outcome is told as usual.
 */
export function rotatingProxy(
  routes: readonly [ProxyRoute, ...ProxyRoute[]],
  now: () => number,
): Proxy {
  const resting = new Map<string, { readonly until: number; readonly failures: number }>();
  const kept = new WeakMap<object, ProxyRoute>();
  let turn = 0;

  const restsUntil = (route: ProxyRoute): number => resting.get(keyOf(route))?.until ?? 0;
  const isReady = (route: ProxyRoute): boolean => restsUntil(route) <= now();
  const next = (): ProxyRoute => {
    const inTurn = [...routes.slice(turn), ...routes.slice(0, turn)];
    const [first = routes[0], ...others] = inTurn;
    const route =
      inTurn.find(isReady) ??
      others.reduce((best, one) => (restsUntil(one) < restsUntil(best) ? one : best), first);
    turn = (routes.indexOf(route) + 1) % routes.length;
    return route;
  };

  return {
    pick({ visitor }) {
      const own = visitor === undefined ? undefined : kept.get(visitor);
      if (own !== undefined && isReady(own)) return own;
      const route = next();
      if (visitor !== undefined) kept.set(visitor, route);
      return route;
    },
    report(route, outcome) {
      const key = keyOf(route);
      if (outcome === 'ok') return void resting.delete(key);
      const known = resting.get(key)?.failures ?? 0;
      if (outcome === 'unreachable') {
        // The next one may reach it; a host that none can reach must not close them all for long.
        if (isReady(route)) resting.set(key, { until: now() + firstRest, failures: known });
        return;
      }
      const failures = known + 1;
      // Requests that were under way together fail together: that is one failure.
      if (failures > 1 && !isReady(route)) return;
      const rest = Math.min(longestRest, firstRest * 2 ** (failures - 1));
      resting.set(key, { until: now() + rest, failures });
    },
  };
}

function keyOf({ url, dns }: ProxyRoute): string {
  return `${dns ?? ''} ${url}`;
}
