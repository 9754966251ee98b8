/** Reads the TLS options of a caller: authorities to trust, and client certificates. */
import { X509Certificate } from 'node:crypto';
import tls, { type SecureContext, type SecureContextOptions } from 'node:tls';
import { ValidationError, type ValidationIssue } from '../runtime/errors.ts';
import { type HostList, parseAddress, readHostList } from './network/host-list.ts';
import { unknownName } from '../checks/option-errors.ts';
import { withoutDots } from '../url/registrable-domain.ts';
import { compact } from '../runtime/compact.ts';

/** Certificates and keys are PEM texts or bytes; `pfx` is PKCS #12. */
export interface TlsConfig {
  /** Authorities to trust besides Node's own, also for the certificates of https proxies. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** The client certificate, with its chain. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of `cert`. */
  readonly key?: string | Uint8Array | undefined;
  /** Client certificate and key in one, in place of `cert` and `key`. */
  readonly pfx?: string | Uint8Array | undefined;
  /** The passphrase of the key or the pfx. */
  readonly passphrase?: string | undefined;
  /**
   * The hosts that may receive the client certificate when they ask for one; needed with a
   * certificate, because it identifies its owner. Names, wildcards (`*.example.com`), addresses and
   * ranges as in `network.allow`; `*` for all.
   */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Offer HTTP/2. HTTP/1.1 costs less on connections that carry one request at a time, as they do
   * here; some servers support only HTTP/2. In stealth it is always offered, as browsers do.
   * @default false
   */
  readonly http2?: boolean | undefined;
}

/** The checked configuration. */
export interface TlsSettings {
  readonly http2: boolean;
  /**
   * The context for connections to this host, with the client certificate if the host may receive
   * it.
   */
  contextFor(hostname: string): SecureContext;
  /** The options of such a context, for clients that add their own settings: one of two objects. */
  optionsFor(hostname: string): SecureContextOptions;
  /** For https proxies, which never receive the client certificate. */
  readonly proxyContext: SecureContext;
}

/** Checks a configuration; throws `ValidationError`, whose messages never contain key material. */
export function readTlsConfig(config: TlsConfig = {}): TlsSettings {
  const wrong = shapeIssues(config);
  if (wrong.length > 0) throw new ValidationError('TLS', wrong);
  const { ca = [], cert, key, pfx, passphrase, hosts } = config;
  const issues: ValidationIssue[] = [];
  const authorities = typeof ca === 'string' || ca instanceof Uint8Array ? [ca] : ca;
  for (const [index, one] of authorities.entries()) {
    const isOnly = authorities !== ca;
    if (!isCertificate(one)) {
      const path = isOnly ? ['ca'] : ['ca', index];
      issues.push({ path, message: 'expected a certificate in PEM' });
    }
  }
  const identity = compact({ cert, key, pfx, passphrase });
  const hasCertificate = cert !== undefined || pfx !== undefined;
  if (hasCertificate && pfx === undefined && key === undefined) {
    issues.push({ path: ['key'], message: 'expected the private key of cert' });
  }
  if (!hasCertificate && (key !== undefined || hosts !== undefined)) {
    issues.push({ path: ['cert'], message: 'expected a client certificate (cert or pfx)' });
  }
  if (hasCertificate && hosts === undefined) {
    issues.push({
      path: ['hosts'],
      message: `expected the hosts that may see the client certificate, such as ["*.example.com"], or ["*"]`,
    });
  }
  if (hasCertificate && issues.length === 0) issues.push(...identityIssues(identity));
  const audience = readAudience(hosts ?? [], issues);
  if (issues.length > 0) throw new ValidationError('TLS', issues);

  const trust = authorities.length === 0 ? {} : { ca: [...knownAuthorities(), ...authorities] };
  // Made once: a context costs 1 ms, with authorities 35 ms.
  const [ownOptions, plainOptions] = [asNode({ ...trust, ...identity }), asNode(trust)];
  const withCertificate = once(() => tls.createSecureContext(ownOptions));
  const plain = once(() => tls.createSecureContext(plainOptions));
  const mayShow = (hostname: string): boolean => hasCertificate && audience(hostname);
  return {
    http2: config.http2 ?? false,
    contextFor: (hostname) => (mayShow(hostname) ? withCertificate() : plain()),
    optionsFor: (hostname) => (mayShow(hostname) ? ownOptions : plainOptions),
    get proxyContext() {
      return plain();
    },
  };
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isBytes = (value: unknown): boolean => isText(value) || value instanceof Uint8Array;

const isListOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

/** The expected shape of each option. */
const shapes: Readonly<
  Record<keyof TlsConfig, { readonly fits: (value: unknown) => boolean; readonly what: string }>
> = {
  ca: { fits: (value) => isBytes(value) || isListOf(isBytes)(value), what: 'PEM texts or bytes' },
  cert: { fits: isBytes, what: 'a PEM text or bytes' },
  key: { fits: isBytes, what: 'a PEM text or bytes' },
  pfx: { fits: isBytes, what: 'bytes' },
  passphrase: { fits: isText, what: 'a string' },
  hosts: { fits: isListOf(isText), what: 'a list of hosts' },
  http2: { fits: (value) => typeof value === 'boolean', what: 'true or false' },
};

/** No message repeats a value: it may be a key. */
function shapeIssues(config: unknown): readonly ValidationIssue[] {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    return [{ path: [], message: 'expected an object' }];
  }
  return Object.entries(config).flatMap(([name, value]): readonly ValidationIssue[] => {
    const shape = Object.hasOwn(shapes, name) ? shapes[name as keyof TlsConfig] : undefined;
    const message =
      shape === undefined
        ? unknownName('option', name, Object.keys(shapes))
        : `expected ${shape.what}`;
    const fits = shape !== undefined && (value === undefined || shape.fits(value));
    return fits ? [] : [{ path: [name], message }];
  });
}

function isCertificate(text: string | Uint8Array): boolean {
  try {
    new X509Certificate(text);
    // Node reads DER here, but not for authorities.
    return Buffer.from(text).includes('-----BEGIN ');
  } catch {
    return false;
  }
}

function identityIssues(identity: Identity): readonly ValidationIssue[] {
  try {
    tls.createSecureContext(asNode(identity));
    return [];
  } catch (error) {
    // OpenSSL names the failed operation, not its input.
    const reason = (error as Error).message;
    const path = [identity.pfx === undefined ? 'cert' : 'pfx'];
    return [{ path, message: `cert, key, pfx or passphrase cannot be used (${reason})` }];
  }
}

type Identity = Pick<TlsConfig, 'cert' | 'key' | 'pfx' | 'passphrase'>;

/** Whether a host may receive the client certificate. */
function readAudience(
  hosts: readonly string[],
  issues: ValidationIssue[],
): (hostname: string) => boolean {
  if (hosts.includes('*')) return () => true;
  const lists: HostList[] = [];
  for (const [index, host] of hosts.entries()) {
    try {
      lists.push(readHostList('allow', [host]));
    } catch {
      const message = `expected a host name, a wildcard such as "*.example.com", an address or "*"`;
      issues.push({ path: ['hosts', index], message });
    }
  }
  return (hostname) => {
    const host = withoutDots(hostname);
    const address = parseAddress(host);
    return lists.some((list) => list.name(host) !== undefined || list.range(address) !== undefined);
  };
}

/** Node's authorities, with those from the environment if Node lists them. */
function knownAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: () => string[] };
  return getCACertificates?.() ?? tls.rootCertificates;
}

/** Node's types require Buffers; it accepts any bytes. */
function asNode(options: object): SecureContextOptions {
  return options;
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
