/** The network policy: checks the URL before connecting, and every address that DNS returns. */
import dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { PagewrightError } from '../../runtime/errors.ts';
import { hasDescriptor, tooManyOpenFiles } from '../../runtime/file-descriptors.ts';
import { withoutDots } from '../../url/registrable-domain.ts';
import {
  type Address,
  embeddedAddress,
  isPublicAddress,
  parseAddress,
  readHostList,
} from './host-list.ts';

/** Allows and denies hosts and ports beyond the default of public addresses only. */
export interface NetworkConfig {
  /**
   * Host names (`intranet`), wildcards (`*.internal`: every name below, not `internal` itself),
   * addresses and CIDR ranges. An allowed name may resolve to any address.
   */
  readonly allow?: readonly string[];
  /** The same kinds of entries; wins over `allow`. */
  readonly deny?: readonly string[];
  /**
   * The only hosts that may be contacted for pages, their subrequests and redirects: names, wildcards, and
   * addresses for URLs that have one. It opens nothing: private hosts have to be in `allow`, too. Servers of
   * models and webhooks are not among them. @default all
   */
  readonly only?: readonly string[];
  /**
   * Ports that may be contacted although they belong to protocols other than HTTP, such as 22 and
   * 6667, which browsers refuse too. Chromium also needs `--explicitly-allowed-ports` for them.
   */
  readonly ports?: readonly number[];
  /**
   * True accepts a browser of yours (`browser.endpoint`, `browser`, `context`) that cannot be held
   * to this policy: the requests of a page are checked, those of its workers, popups and WebRTC are
   * not. @default false: such a browser is refused
   */
  readonly trustBrowser?: boolean;
}

/** A client's network policy, called by every part that opens a socket. */
export interface NetworkPolicy {
  /** Throws `BLOCKED_ADDRESS` for a refused address, name or port; call it before connecting. */
  check(url: URL): void;
  /**
   * For `net.connect` and `tls.connect`: resolves a name once and returns only allowed addresses,
   * so the checked address is the one connected to. Fails with `BLOCKED_ADDRESS` when none is left.
   * Sockets to a literal address do not call it: `check` is for those.
   */
  readonly lookup: LookupFunction;
}

/**
 * Makes a policy. Without a configuration only public unicast addresses are contacted.
 *
 * Throws `ValidationError` for an entry that is not a host name, wildcard, address or CIDR range.
 */
export function createNetworkPolicy(config: NetworkConfig = {}): NetworkPolicy {
  const allow = readHostList('allow', config.allow ?? []);
  const deny = readHostList('deny', config.deny ?? []);
  const only = config.only && readHostList('only', config.only);
  const ports: ReadonlySet<number> = new Set(config.ports);

  /** The reason that an address is refused; undefined if it is allowed. */
  const refusal = (name: string | undefined, address: Address): string | undefined => {
    const denied = deny.name(name) ?? deny.range(address) ?? deny.range(embeddedAddress(address));
    if (denied !== undefined) return isDenied(denied);
    const allowed = allow.name(name) ?? allow.range(address);
    return allowed === undefined && !isPublicAddress(address) ? notPublic : undefined;
  };
  const admits = (name: string, { address }: dns.LookupAddress): boolean => {
    const parsed = parseAddress(address);
    return parsed !== undefined && refusal(name, parsed) === undefined;
  };

  const check = (hostname: string): void => {
    const host = withoutDots(hostname);
    const address = parseAddress(host);
    if (only !== undefined && (only.name(host) ?? only.range(address)) === undefined) {
      const remedy = `To allow it: createClient({ network: { only: [..., '${host}'] } }).`;
      throw refused(host, 'it is not in network.only', remedy);
    }
    if (address !== undefined) {
      const reason = refusal(undefined, address);
      if (reason !== undefined) throw blocked(host, address.toString(), reason);
      return;
    }
    const denied = deny.name(host);
    if (denied !== undefined) throw blocked(host, undefined, isDenied(denied));
    if (isLoopbackName(host) && !loopback.some((answer) => admits(host, answer))) {
      throw refusedAnswer(host, loopback, refusal);
    }
  };

  return {
    check: ({ hostname, host, port }) => {
      check(hostname);
      if (isWebPort(port) || ports.has(Number(port))) return;
      throw new PagewrightError(
        'BLOCKED_ADDRESS',
        `Refused to contact ${host}: port ${port} is not a web port. To allow it: createClient({ network: { ports: [${port}] } }).`,
      );
    },
    lookup: (hostname, options, callback) => {
      const host = withoutDots(hostname);
      const answer = (error: Error | null, found: readonly dns.LookupAddress[]): void => {
        if (error !== null) return callback(error, []);
        const [first, ...others] = found.filter((address) => admits(host, address));
        if (first === undefined) return callback(refusedAnswer(host, found, refusal), []);
        if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      };
      try {
        check(hostname);
      } catch (error) {
        return void process.nextTick(answer, error);
      }
      resolve(host, options, answer);
    },
  };
}

const loopback: readonly dns.LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Names that mean this machine regardless of DNS (RFC 6761, 6.3). */
function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function resolve(
  host: string,
  options: dns.LookupOptions,
  answer: (error: Error | null, found: readonly dns.LookupAddress[]) => void,
): void {
  const literal = parseAddress(host);
  if (literal !== undefined) {
    const family = literal.kind() === 'ipv4' ? 4 : 6;
    process.nextTick(answer, null, [{ address: literal.toString(), family }]);
  } else if (isLoopbackName(host)) {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family;
    const wanted = loopback.filter((one) => !family || one.family === family);
    process.nextTick(answer, null, wanted);
  } else {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      // Without a free descriptor the resolver cannot query, and reports an unknown name.
      if (error !== null && !hasDescriptor()) answer(tooManyOpenFiles(error), found);
      else answer(error, found);
    });
  }
}

const notPublic = 'only public addresses are contacted';

function isDenied(entry: string): string {
  return `network.deny has "${entry}"`;
}

function refusedAnswer(
  host: string,
  found: readonly dns.LookupAddress[],
  refusal: (name: string, address: Address) => string | undefined,
): PagewrightError {
  const [first] = found;
  const address = first === undefined ? undefined : parseAddress(first.address);
  const reason = address === undefined ? undefined : refusal(host, address);
  return blocked(host, first?.address, reason ?? 'DNS has no address for it');
}

function blocked(host: string, address: string | undefined, reason: string): PagewrightError {
  const target = address === undefined || address === host ? host : `${host} (${address})`;
  const remedy = reason.startsWith('network.deny')
    ? 'To allow it, remove that entry from createClient({ network: { deny } }).'
    : `To allow it: createClient({ network: { allow: ['${address ?? host}'] } }).`;
  return refused(target, reason, remedy);
}

function refused(target: string, reason: string, remedy: string): PagewrightError {
  return new PagewrightError(
    'BLOCKED_ADDRESS',
    `Refused to contact ${target}: ${reason}. ${remedy}`,
  );
}

// Ports of other protocols, to which browsers send no request: request lines could act as commands.

/** From the fetch standard, "port blocking". */
const badPorts: ReadonlySet<string> = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 ' +
    '117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 ' +
    '587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 ' +
    '6668 6669 6679 6697 10080'
  ).split(' '),
);

/** `port` as in a URL: empty for the scheme's default. */
function isWebPort(port: string): boolean {
  return !badPorts.has(port);
}
