/** The rules of single hosts, `createClient({ hosts })`: how often they are asked, with which headers, by which way. */
import { lowerCaseNames } from '../../../content/text/http-headers.ts';
import type { HostHeaders, ProxyRoute, RouteOf } from '../../model/request.ts';
import type { Duration } from '../../checks/duration.ts';
import type { ValidationIssue } from '../../runtime/errors.ts';
import { canParseUrl } from '../../url/normalize-url.ts';
import { withoutDots } from '../../url/registrable-domain.ts';
import { framing } from '../request-headers.ts';
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

/** An entry, and the hosts that it is for. */
interface HostEntry {
  readonly rule: HostRule;
  /** In URL form; `*.example.com` for the subdomains, `*` for all. */
  readonly host: string;
  /** Undefined for all ports. */
  readonly port: number | undefined;
}

/** The limits of a host, each as the most specific entry has it. Milliseconds. */
export interface HostLimits {
  readonly concurrency: number | undefined;
  readonly perMinute: number | undefined;
  readonly delay: number;
}

const mostRoutes = 1000; // functions of proxies that are kept: a browser's tab has one

/** The rules of a client. */
export class HostRules {
  /** The most specific first. */
  readonly #entries: readonly HostEntry[];
  readonly #routes = new Map<string, RouteOf>();
  /** Undefined if no entry has headers. */
  readonly headers: HostHeaders | undefined;

  /** The keys were checked by `hostProblems`. */
  constructor(rules: Readonly<Record<string, HostRule>>) {
    this.#entries = Object.entries(rules)
      .flatMap(([key, { headers, ...rule }]) => {
        const lowered = headers && lowerCaseNames(headers);
        return readEntry(key, { ...rule, headers: lowered }) ?? [];
      })
      .sort((one, other) => rankOf(other) - rankOf(one));
    const withHeaders = this.#entries.filter(({ rule }) => rule.headers !== undefined);
    if (withHeaders.length === 0) return;
    this.headers = {
      of: (url) => {
        const entry = this.#entryWith('headers', url);
        const maySend = url.protocol === 'https:' || entry?.port !== undefined;
        return maySend ? entry?.rule.headers : undefined;
      },
      hosts: withHeaders.map(({ host }) => host),
    };
  }

  limitsOf(url: URL): HostLimits {
    return {
      concurrency: this.#entryWith('concurrency', url)?.rule.concurrency,
      perMinute: this.#entryWith('perMinute', url)?.rule.perMinute,
      delay: Number(this.#entryWith('delay', url)?.rule.delay ?? 0) * 1000,
    };
  }

  /**
   * The proxy of every URL: that of its host, else `others`. Undefined if no entry has one. The same function for
   * the same proxy.
   */
  routeOf(others: ProxyRoute | RouteOf | undefined): RouteOf | undefined {
    if (this.#entries.every(({ rule }) => rule.proxy === undefined)) return undefined;
    const key = typeof others === 'object' ? `${others.dns ?? ''} ${others.url}` : '';
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const routeOf: RouteOf = (url) => {
      const proxy = this.#entryWith('proxy', url)?.rule.proxy;
      if (proxy === undefined) return typeof others === 'function' ? others(url) : others;
      if (proxy === false) return undefined;
      return typeof proxy === 'string' ? { url: proxy } : proxy;
    };
    if (this.#routes.size >= mostRoutes) this.#routes.clear();
    this.#routes.set(key, routeOf);
    return routeOf;
  }

  #entryWith(name: keyof HostRule, url: URL): HostEntry | undefined {
    return this.#entries.find((entry) => entry.rule[name] !== undefined && isFor(entry, url));
  }
}

/** What is wrong with the keys, and with names of headers. */
export function hostProblems(rules: Readonly<Record<string, HostRule>>): ValidationIssue[] {
  const known = new Map<string, string>();
  return Object.entries(rules).flatMap(([key, { headers = {} }]) => {
    const entry = readEntry(key, {});
    if (entry === undefined) {
      const message =
        'expected a host such as "api.example.com", "*.example.com" for its subdomains, or "*" for all; a port may follow';
      // Whoever passes a URL may have left a password in it.
      return { path: [key.replace(/.*@/s, '***@')], message };
    }
    const name = `${entry.host} ${entry.port ?? ''}`;
    const other = known.get(name);
    known.set(name, key);
    const twice =
      other === undefined ? [] : [{ path: [key], message: `is the same host as "${other}"` }];
    const unfit = Object.keys(headers).flatMap((header) => {
      const message = headerProblem(header.toLowerCase());
      return message === undefined ? [] : [{ path: [key, 'headers', header], message }];
    });
    return [...twice, ...unfit];
  });
}

function headerProblem(name: string): string | undefined {
  if (name === 'cookie') return 'cookies belong to hosts by themselves: use the option cookies';
  if (name !== 'host' && !framing.has(name)) return undefined;
  return 'it belongs to the connection and is set by the engine; leave it out';
}

function readEntry(key: string, rule: HostRule): HostEntry | undefined {
  const [, name = '', digits] = /^(.+?)(?::(\d{1,5}))?$/.exec(key) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const isAddress = /^\[[^\]]+\]$/.test(name) && canParseUrl(`http://${name}`);
  const host =
    name === '*' ? name : isAddress ? new URL(`http://${name}`).hostname : readHost(name);
  if (host === undefined || port === 0 || (port ?? 1) > 65_535) return undefined;
  return { rule, host, port };
}

function isFor({ host, port }: HostEntry, url: URL): boolean {
  if (port !== undefined && port !== portOf(url)) return false;
  if (host === '*') return true;
  const own = withoutDots(url.hostname);
  return host.startsWith('*') ? own.endsWith(host.slice(1)) : own === host;
}

/** Exact hosts before patterns, longer patterns before shorter ones, those with a port before those without. */
function rankOf({ host, port }: HostEntry): number {
  const length = host.startsWith('*') ? host.length : 1000;
  return 2 * length + (port === undefined ? 0 : 1);
}
