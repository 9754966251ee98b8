/** The rules of single hosts, `createClient({ hosts })`: how often they are asked, with which headers, by which way. */
import type { HostLimits } from '../../model/pace.ts';
import type { HostHeaders, ProxyRoute, RouteOf } from '../../model/request.ts';
import type { Duration } from '../../checks/duration.ts';
import type { ValidationIssue } from '../../runtime/errors.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import { withoutDots } from '../../url/registrable-domain.ts';
import { portOf } from '../open-socket.ts';
import { readHost } from './host-list.ts';

/** The checked rules of an entry. */
export interface HostRule {
  /** The most requests in flight at a host. */
  readonly concurrency?: number | undefined;
  /** The most requests that start within any minute. */
  readonly perMinute?: number | undefined;
  /** Seconds between two starts: a number, once it was checked. */
  readonly delay?: Duration | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** False connects directly. */
  readonly proxy?: false | string | ProxyRoute | undefined;
}

const mostRoutes = 1000; // functions of proxies that are kept: a browser's tab has one

/** The rules of a client. */
export class HostRules {
  /** By their key in its normal form. */
  readonly #rules: ReadonlyMap<string, HostRule>;
  readonly #routes = new Map<string, RouteOf>();
  /** Undefined if no entry has headers. */
  readonly headers: HostHeaders | undefined;

  /** The keys were checked by `hostProblems`. */
  constructor(rules: Readonly<Record<string, HostRule>>) {
    this.#rules = new Map(
      Object.entries(rules).map(([key, rule]) => [normalKey(key) ?? key, rule] as const),
    );
    const keys = [...this.#rules.keys()].filter((key) => this.#rules.get(key)?.headers);
    if (keys.length === 0) return;
    this.headers = {
      of: (url) => this.#ruleOf(url, 'headers', url.protocol !== 'https:'),
      hosts: keys.map((key) => key.replace(ofPort, '')),
    };
  }

  /** The limits of a host, where no entry has others. */
  limitsOf(url: URL, { delay, most, perMinute }: HostLimits): HostLimits {
    return {
      delay: Math.max(delay, 1000 * Number(this.#ruleOf(url, 'delay') ?? 0)),
      most: this.#ruleOf(url, 'concurrency') ?? most,
      perMinute: this.#ruleOf(url, 'perMinute') ?? perMinute,
    };
  }

  /**
   * The proxy of every URL: that of its host, else `others`. Undefined if no entry has one. The same function for
   * the same proxy.
   */
  routeOf(others: ProxyRoute | RouteOf | undefined): RouteOf | undefined {
    if ([...this.#rules.values()].every(({ proxy }) => proxy === undefined)) return undefined;
    const key = typeof others === 'object' ? `${others.dns ?? ''} ${others.url}` : '';
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const routeOf: RouteOf = (url) => {
      const proxy = this.#ruleOf(url, 'proxy');
      if (proxy === undefined) return typeof others === 'function' ? others(url) : others;
      if (proxy === false) return undefined;
      return typeof proxy === 'string' ? { url: proxy } : proxy;
    };
    if (this.#routes.size >= mostRoutes) this.#routes.clear();
    this.#routes.set(key, routeOf);
    return routeOf;
  }

  /** A rule for a URL, of the most specific entry that has it. */
  #ruleOf<Name extends keyof HostRule>(
    url: URL,
    name: Name,
    isOfPort = false,
  ): HostRule[Name] | undefined {
    const found = keysOf(url).find((key) => this.#rules.get(key)?.[name] !== undefined) ?? '';
    return isOfPort && !ofPort.test(found) ? undefined : this.#rules.get(found)?.[name];
  }
}

/** What is wrong with the keys. */
export function hostProblems(keys: readonly string[]): ValidationIssue[] {
  const known = new Map<string, string>();
  return keys.flatMap((key) => {
    const normal = normalKey(key);
    if (normal === undefined) {
      const message =
        'expected a host such as "api.example.com", "*.example.com" for its subdomains, or "*" for all; a port may follow';
      // Whoever passes a URL may have left a password in it.
      return { path: [key.replace(/.*@/s, '***@')], message };
    }
    const other = known.get(normal);
    known.set(normal, key);
    return other === undefined ? [] : { path: [key], message: `is the same host as "${other}"` };
  });
}

const ofPort = /:\d+$/;

/** The key with its host in URL form: `example.com`, `*.example.com:81`, `*`. Undefined for a wrong one. */
function normalKey(key: string): string | undefined {
  const [, name = '', digits] = /^(.+?)(?::(\d{1,5}))?$/.exec(key) ?? [];
  const isAddress = /^\[[^\]]+\]$/.test(name) && canParseUrl(`http://${name}`);
  const host =
    name === '*' ? name : isAddress ? new URL(`http://${name}`).hostname : readHost(name);
  if (host === undefined || digits === undefined) return host;
  const port = Number(digits);
  return port === 0 || port > 65_535 ? undefined : `${host}:${port}`;
}

/** The keys that are for a URL, the most specific first: `a.b.c:80`, `a.b.c`, `*.b.c:80`, …, `*`. */
function keysOf(url: URL): string[] {
  const host = withoutDots(url.hostname);
  const [, ...labels] = host.split('.');
  const wildcards = labels.map((_, from) => `*.${labels.slice(from).join('.')}`);
  return [host, ...wildcards, '*'].flatMap((name) => [`${name}:${portOf(url)}`, name]);
}
