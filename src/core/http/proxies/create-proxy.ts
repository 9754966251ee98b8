/** Makes a proxy adapter from the option `proxy`. */
import {
  hookFailed,
  PagewrightError,
  ValidationError,
  type ValidationIssue,
} from '../../runtime/errors.ts';
import type { ProxyRoute } from '../../model/request.ts';
import { countryProblem } from '../../checks/country-facts.ts';
import { unknownName } from '../../checks/option-errors.ts';
import { parseProxyUrl, type Proxy, type ProxyRequest } from './proxy.ts';

/**
 * One proxy (`http://user:password@host:port`; also https:, socks5:, and socks5h: which resolves
 * names itself), a route that says who resolves names, a list to rotate, or an adapter.
 */
export type ProxyChoice = string | ProxyRoute | readonly (string | ProxyRoute)[] | Proxy;

/** Proxies by purpose; requests without a proxy of their kind connect directly. */
export interface ProxyTiers {
  /** For plain requests. */
  readonly basic?: ProxyChoice | undefined;
  /**
   * For `proxy: 'stealth'`, and for `'auto'` after a site refused the first attempt. @default those
   * of `basic`
   */
  readonly stealth?: ProxyChoice | undefined;
  /** For `location.country`, before the tiers: ISO 3166-1 alpha-2 codes such as `DE`. */
  readonly countries?:
    Readonly<Record<string, ProxyChoice | Omit<ProxyTiers, 'countries'>>> | undefined;
}

/**
 * Makes an adapter. With a list, each visitor (a scrape, a job) keeps one proxy; a proxy that fails rests
 * for a growing time, and when all proxies rest, the one whose rest ends first is tried.
 *
 * Throws `ValidationError` for an invalid URL and for an unsupported scheme, naming the entry and
 * never its password.
 *
 * @example createProxy({ basic: ['http://a.example:8080', 'http://b.example:8080'], stealth: 'socks5://ann:secret@c.example:1080' })
 */
export function createProxy(
  proxy: ProxyChoice | ProxyTiers,
  options: { readonly now?: (() => number) | undefined } = {},
): Proxy {
  const issues: ValidationIssue[] = [];
  const adapter = readProxy(proxy, { path: [], issues, now: options.now ?? Date.now });
  if (issues.length > 0) throw new ValidationError('createProxy', issues);
  return adapter;
}

interface ProxyReading {
  readonly path: readonly (string | number)[];
  readonly issues: ValidationIssue[];
  readonly now: () => number;
}

/** Records problems in `issues`; adapters of wrong entries are never used. */
function readProxy(given: unknown, reading: ProxyReading): Proxy {
  if (typeof given === 'string' || isRecord(given, 'url')) return direct(readRoute(given, reading));
  if (Array.isArray(given)) return readList(given, reading);
  if (isRecord(given, 'pick')) return readAdapter(given, reading);
  if (isRecord(given)) return readTiers(given, reading);
  addIssue(
    reading,
    'expected the URL of a proxy, a list of them, { basic, stealth, countries } or an adapter with pick()',
  );
  return direct(undefined);
}

function readRoute(given: unknown, reading: ProxyReading): ProxyRoute | undefined {
  const route = typeof given === 'string' ? { url: given } : given;
  if (!isRecord(route, 'url')) {
    addIssue(reading, 'expected the URL of a proxy');
    return undefined;
  }
  const { url, dns, ...others } = route;
  const address = parseProxyUrl(url);
  if (typeof address === 'string') addIssue(reading, address);
  const isKnown = dns === undefined || dns === 'here' || dns === 'proxy';
  if (!isKnown)
    addIssue({ ...reading, path: [...reading.path, 'dns'] }, "expected 'here' or 'proxy'");
  refuseOthers(others, ['url', 'dns'], reading);
  // A copy: the caller may change its own object.
  return Object.freeze({ ...route }) as unknown as ProxyRoute;
}

function readList(given: readonly unknown[], reading: ProxyReading): Proxy {
  const routes = given.map((one, index) => readRoute(one, at(reading, index)));
  const [first, ...others] = routes.filter((route) => route !== undefined);
  if (first === undefined) {
    addIssue(reading, 'expected at least one proxy in the list');
    return direct(undefined);
  }
  return rotatingProxy([first, ...others], reading.now);
}

function readAdapter(given: Readonly<Record<string, unknown>>, reading: ProxyReading): Proxy {
  if (typeof given['pick'] !== 'function') addIssue(at(reading, 'pick'), 'expected a function');
  return checked(given as unknown as Proxy);
}

function readTiers(given: Readonly<Record<string, unknown>>, reading: ProxyReading): Proxy {
  const { basic, stealth, countries, ...others } = given;
  refuseOthers(others, ['basic', 'stealth', 'countries'], reading);
  if (basic === undefined && stealth === undefined && countries === undefined) {
    addIssue(reading, 'expected basic, stealth or countries');
  }
  const byCountry = new Map<string, Proxy>();
  if (countries !== undefined && !isRecord(countries)) {
    addIssue(at(reading, 'countries'), 'expected an object of countries');
  }
  for (const [code, proxy] of Object.entries(isRecord(countries) ? countries : {})) {
    const inside = at(at(reading, 'countries'), code);
    const problem = countryProblem(code);
    if (problem !== undefined) addIssue(inside, problem);
    byCountry.set(code.toUpperCase(), readProxy(proxy, inside));
  }
  const tier = (name: string, proxy: unknown): Proxy | undefined =>
    proxy === undefined ? undefined : readProxy(proxy, at(reading, name));
  return tieredProxy(tier('basic', basic), tier('stealth', stealth), byCountry);
}

/** Always gives the same route, also after a failure. */
function direct(route: ProxyRoute | undefined): Proxy {
  return { pick: () => route };
}

/** Wraps a caller's adapter, and checks its routes. */
function checked(adapter: Proxy): Proxy {
  return {
    async pick(request) {
      const route = await pickRoute(adapter, request);
      if (route === undefined) return undefined;
      const problem = isRecord(route, 'url') ? parseProxyUrl(route.url) : 'expected { url }';
      if (typeof problem !== 'string') return route;
      throw new PagewrightError('HOOK_FAILED', `The proxy adapter returned no route: ${problem}.`);
    },
    report: (route, outcome) => void notify(adapter, route, outcome),
  };
}

async function pickRoute(adapter: Proxy, request: ProxyRequest): Promise<ProxyRoute | undefined> {
  try {
    return await adapter.pick(request);
  } catch (error) {
    throw hookFailed('The proxy adapter', request.url, error);
  }
}

/** Reports an outcome to an adapter, whose errors must not affect the page. */
async function notify(
  adapter: Proxy,
  ...report: Parameters<NonNullable<Proxy['report']>>
): Promise<void> {
  try {
    // `report` may be asynchronous, whatever its type.
    await (adapter.report?.(...report) as unknown);
  } catch {
    // The adapter's errors are ignored.
  }
}

function refuseOthers(
  others: Readonly<Record<string, unknown>>,
  known: readonly string[],
  reading: ProxyReading,
): void {
  for (const name of Object.keys(others)) {
    addIssue(at(reading, name), unknownName('option', name, known));
  }
}

function at(reading: ProxyReading, part: string | number): ProxyReading {
  return { ...reading, path: [...reading.path, part] };
}

function addIssue({ path, issues }: ProxyReading, message: string): void {
  issues.push({ path, message });
}

function isRecord<Key extends string = never>(
  value: unknown,
  key?: Key,
): value is Readonly<Record<string, unknown>> & Readonly<Record<Key, unknown>> {
  return typeof value === 'object' && value !== null && (key === undefined || key in value);
}

// Rotates several proxies: a visitor has one, and a failed proxy rests.

const firstRest = 10_000; // milliseconds of the first rest; it doubles with every failure in a row
const longestRest = 10 * 60_000; // milliseconds of the longest rest

/**
 * Assigns the routes in turn. A visitor uses one proxy until it fails; a failed proxy rests
 * for 10 s, 20 s, 40 s … up to 10 minutes, until a request through it succeeds; a proxy that could not
 * reach a host rests for 10 s. When all proxies rest, the one whose rest ends first is used: an
 * attempt is better than an error, and its outcome is reported as usual.
 */
function rotatingProxy(routes: readonly [ProxyRoute, ...ProxyRoute[]], now: () => number): Proxy {
  const resting = new Map<string, { readonly until: number; readonly failures: number }>();
  const assigned = new WeakMap<object, ProxyRoute>();
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
      const own = visitor === undefined ? undefined : assigned.get(visitor);
      if (own !== undefined && isReady(own)) return own;
      const route = next();
      if (visitor !== undefined) assigned.set(visitor, route);
      return route;
    },
    report(route, outcome) {
      const key = keyOf(route);
      if (outcome === 'ok') return void resting.delete(key);
      const known = resting.get(key)?.failures ?? 0;
      if (outcome === 'unreachable') {
        // Another proxy may reach the host; a host that no proxy reaches must not disable them all for long.
        if (isReady(route)) resting.set(key, { until: now() + firstRest, failures: known });
        return;
      }
      const failures = known + 1;
      // Concurrent requests fail together: this counts as one failure.
      if (failures > 1 && !isReady(route)) return;
      const rest = Math.min(longestRest, firstRest * 2 ** (failures - 1));
      resting.set(key, { until: now() + rest, failures });
    },
  };
}

function keyOf({ url, dns }: ProxyRoute): string {
  return `${dns ?? ''} ${url}`;
}

// One adapter for each tier and country.

/**
 * Chooses by country first, then by tier; stealth without its own proxies uses the basic ones.
 * `countries`: by ISO 3166-1 alpha-2 codes in upper case.
 */
function tieredProxy(
  basic: Proxy | undefined,
  stealth: Proxy | undefined,
  countries: ReadonlyMap<string, Proxy>,
): Proxy {
  /** The adapter of a route, for reports; several adapters may have the same route. */
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
