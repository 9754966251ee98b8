/** The proxies of the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read as curl reads them. */
import { ValidationError } from '../../runtime/errors.ts';
import type { ProxyRoute } from '../../model/request.ts';
import { withoutDots } from '../../url/registrable-domain.ts';
import { isInRange, parseAddress, parseRange, readHost } from '../network/host-list.ts';
import { portOf } from '../open-socket.ts';
import { type ClientProxy, parseProxyUrl } from './proxy.ts';

/**
 * The variables of each scheme: the first one that is set counts. HTTP_PROXY is not among them: in a CGI program the
 * visitor sets it, with a header `Proxy`.
 */
const variablesOf = {
  http: ['http_proxy', 'all_proxy', 'ALL_PROXY'],
  https: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
} as const;

/**
 * Reads the variables once, and tells `warn` which of them are used. Throws a `ValidationError` that names the variable
 * whose value is not a proxy, and never the value.
 */
export function environmentProxy(
  environment: Readonly<Record<string, string | undefined>>,
  { subject, warn }: { readonly subject: string; readonly warn: (sentence: string) => void },
): ClientProxy {
  // An empty variable is as good as none.
  const find = (names: readonly string[]): string | undefined =>
    names.find((name) => (environment[name] ?? '') !== '');
  const ways = (['http', 'https'] as const).map((scheme) => {
    const name = find(variablesOf[scheme]);
    const unset = `directly (not set: ${variablesOf[scheme].join(', ')})`;
    return {
      said: `${scheme} URLs are requested ${name === undefined ? unset : `through the proxy in ${name}`}`,
      route: name === undefined ? undefined : readRoute(name, environment[name] ?? '', subject),
    };
  });
  const sentences = [`proxy: 'environment': ${ways.map(({ said }) => said).join(', ')}.`];
  const exempt = find(['no_proxy', 'NO_PROXY']) ?? '';
  const exceptions = readExceptions(environment[exempt] ?? '');
  if (exempt !== '') sentences.push(`Hosts in ${exempt} are contacted directly.`);
  const idle = exceptions.filter(({ isIdle }) => isIdle).map(({ entry }) => JSON.stringify(entry));
  if (idle.length > 0) sentences.push(`These entries of it match no host: ${idle.join(', ')}.`);
  if (find(['http_proxy', 'HTTP_PROXY']) === 'HTTP_PROXY')
    sentences.push('HTTP_PROXY is not read: write it in lower case.');
  warn(sentences.join(' '));

  const routeOf = (url: URL): ProxyRoute | undefined => {
    if (exceptions.some(({ matches }) => matches(url))) return undefined;
    return ways[url.protocol === 'https:' ? 1 : 0]?.route;
  };
  return { pick: ({ url }) => routeOf(new URL(url)), routeOf };
}

function readRoute(name: string, value: string, subject: string): ProxyRoute {
  const text = value.includes('://') ? value : `http://${value}`;
  const address = parseProxyUrl(text);
  if (typeof address === 'string') {
    const message = `the environment variable ${name}: ${address}`;
    throw new ValidationError(subject, [{ path: ['proxy'], message }]);
  }
  const url = new URL(text);
  // curl's port of an http proxy without one; `URL` does not tell a written 80 from none.
  if (url.protocol === 'http:' && !/:\d+\/?\s*$/.test(text)) url.port = '1080';
  return { url: url.href };
}

// The hosts that are contacted directly.

interface Exception {
  readonly entry: string;
  /** True for an entry that no host can match. */
  readonly isIdle: boolean;
  readonly matches: (url: URL) => boolean;
}

/** Reads `no_proxy`. `*` alone matches every host; inside an entry it is not a wildcard. */
function readExceptions(list: string): Exception[] {
  if (list === '*') return [{ entry: '*', isIdle: false, matches: () => true }];
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map(readException);
}

/** A name, which includes all names below it, an address or a CIDR range; with a port, it is for that one only. */
function readException(entry: string): Exception {
  const [, host = entry, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  const range = parseRange(host);
  // `*.` stands for a name that no host has.
  const name = readHost(host.replace(/^\./, '')) ?? '*.';
  return {
    entry,
    isIdle: range === undefined && name.startsWith('*.'),
    matches(url) {
      if (port !== undefined && Number(port) !== portOf(url)) return false;
      const address = parseAddress(url.hostname);
      if (address !== undefined) return range !== undefined && isInRange(address, range);
      const own = withoutDots(url.hostname);
      return own === name || own.endsWith(`.${name}`);
    },
  };
}
