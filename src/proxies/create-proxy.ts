/** From what a caller writes as `proxy` to an adapter. */
import { hookFailed, PagewrightError, ValidationError, type ValidationIssue } from '../errors.ts';
import type { ProxyRoute } from '../model/request.ts';
import { countryProblem } from '../text/country-facts.ts';
import { unknownName } from '../text/unknown-name.ts';
import type { Proxy, ProxyRequest } from './proxy.ts';
import { parseProxyUrl } from './proxy-address.ts';
import { rotatingProxy } from './rotating.ts';
import { tieredProxy } from './tiered.ts';

/**
 * One proxy (`http://user:password@host:port`; also https:, socks5:, and socks5h: which resolves
 * names itself), a route that says who resolves names, a list to take turns, or an adapter.
 */
export type ProxyChoice = string | ProxyRoute | readonly (string | ProxyRoute)[] | Proxy;

/** Proxies by what they are for; what has none goes directly. */
export interface ProxyTiers {
  /** For plain requests. */
  readonly basic?: ProxyChoice | undefined;
  /** For `proxy: 'stealth'`, and `'auto'` after a site turned the first try away. @default those of `basic` */
  readonly stealth?: ProxyChoice | undefined;
  /** For `location.country`, before the tiers: ISO 3166-1 alpha-2 codes such as `DE`. */
  readonly countries?:
    Readonly<Record<string, ProxyChoice | Omit<ProxyTiers, 'countries'>>> | undefined;
}

/**
 * Makes an adapter. Of a list each visitor (a scrape, a job) keeps one proxy; one that fails rests
 * for a growing time, and when all of them rest the one is tried whose rest ends first.
 *
 * Throws `ValidationError` for a URL that is none and a scheme that is not supported, naming the
 * entry and never its password.
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

interface Reading {
  readonly path: readonly (string | number)[];
  readonly issues: ValidationIssue[];
  readonly now: () => number;
}

/** Adapters of wrong entries are never used: what is wrong is in `issues`. */
function readProxy(given: unknown, reading: Reading): Proxy {
  if (typeof given === 'string' || isRecord(given, 'url')) return direct(readRoute(given, reading));
  if (Array.isArray(given)) return readList(given, reading);
  if (isRecord(given, 'pick')) return readAdapter(given, reading);
  if (isRecord(given)) return readTiers(given, reading);
  tell(
    reading,
    'expected the URL of a proxy, a list of them, { basic, stealth, countries } or an adapter with pick()',
  );
  return direct(undefined);
}

function readRoute(given: unknown, reading: Reading): ProxyRoute | undefined {
  const route = typeof given === 'string' ? { url: given } : given;
  if (!isRecord(route, 'url')) {
    tell(reading, 'expected the URL of a proxy');
    return undefined;
  }
  const { url, dns, ...others } = route;
  const address = parseProxyUrl(url);
  if (typeof address === 'string') tell(reading, address);
  const isKnown = dns === undefined || dns === 'here' || dns === 'proxy';
  if (!isKnown) tell({ ...reading, path: [...reading.path, 'dns'] }, "expected 'here' or 'proxy'");
  refuseOthers(others, ['url', 'dns'], reading);
  // A copy: the caller may change its own object.
  return Object.freeze({ ...route }) as unknown as ProxyRoute;
}

function readList(given: readonly unknown[], reading: Reading): Proxy {
  const routes = given.map((one, index) => readRoute(one, at(reading, index)));
  const [first, ...others] = routes.filter((route) => route !== undefined);
  if (first === undefined) {
    tell(reading, 'expected at least one proxy in the list');
    return direct(undefined);
  }
  return rotatingProxy([first, ...others], reading.now);
}

function readAdapter(given: Readonly<Record<string, unknown>>, reading: Reading): Proxy {
  if (typeof given['pick'] !== 'function') tell(at(reading, 'pick'), 'expected a function');
  return checked(given as unknown as Proxy);
}

function readTiers(given: Readonly<Record<string, unknown>>, reading: Reading): Proxy {
  const { basic, stealth, countries, ...others } = given;
  refuseOthers(others, ['basic', 'stealth', 'countries'], reading);
  if (basic === undefined && stealth === undefined && countries === undefined) {
    tell(reading, 'expected basic, stealth or countries');
  }
  const byCountry = new Map<string, Proxy>();
  if (countries !== undefined && !isRecord(countries)) {
    tell(at(reading, 'countries'), 'expected an object of countries');
  }
  for (const [code, proxy] of Object.entries(isRecord(countries) ? countries : {})) {
    const inside = at(at(reading, 'countries'), code);
    const problem = countryProblem(code);
    if (problem !== undefined) tell(inside, problem);
    byCountry.set(code.toUpperCase(), readProxy(proxy, inside));
  }
  const tier = (name: string, proxy: unknown): Proxy | undefined =>
    proxy === undefined ? undefined : readProxy(proxy, at(reading, name));
  return tieredProxy({
    basic: tier('basic', basic),
    stealth: tier('stealth', stealth),
    countries: byCountry,
  });
}

/** Always the same way, also after a failure: there is no other one. */
function direct(route: ProxyRoute | undefined): Proxy {
  return { pick: () => route };
}

/** An adapter of the caller's: what it answers is looked at before anybody uses it. */
function checked(adapter: Proxy): Proxy {
  return {
    async pick(request) {
      const route = await ask(adapter, request);
      if (route === undefined) return undefined;
      const problem = isRecord(route, 'url') ? parseProxyUrl(route.url) : 'expected { url }';
      if (typeof problem !== 'string') return route;
      throw new PagewrightError('HOOK_FAILED', `The proxy adapter answered no route: ${problem}.`);
    },
    report: (route, outcome) => void notify(adapter, route, outcome),
  };
}

async function ask(adapter: Proxy, request: ProxyRequest): Promise<ProxyRoute | undefined> {
  try {
    return await adapter.pick(request);
  } catch (error) {
    throw hookFailed('The proxy adapter', request.url, error);
  }
}

/** Whoever watches the proxies cannot harm the page. */
async function notify(
  adapter: Proxy,
  ...told: Parameters<NonNullable<Proxy['report']>>
): Promise<void> {
  try {
    // It may be asynchronous, whatever its type says.
    await (adapter.report?.(...told) as unknown);
  } catch {
    // It is the adapter's own business.
  }
}

function refuseOthers(
  others: Readonly<Record<string, unknown>>,
  known: readonly string[],
  reading: Reading,
): void {
  for (const name of Object.keys(others)) {
    tell(at(reading, name), unknownName('option', name, known));
  }
}

function at(reading: Reading, part: string | number): Reading {
  return { ...reading, path: [...reading.path, part] };
}

function tell({ path, issues }: Reading, message: string): void {
  issues.push({ path, message });
}

function isRecord<Key extends string = never>(
  value: unknown,
  key?: Key,
): value is Readonly<Record<string, unknown>> & Readonly<Record<Key, unknown>> {
  return typeof value === 'object' && value !== null && (key === undefined || key in value);
}
