/** The part of a host that its owner registered, by the public suffix list. */
import { createRequire } from 'node:module';

/** Loaded at the first host: the list has 10,000 suffixes. */
let suffixes: typeof import('tldts') | undefined;

/**
 * `shop.example.co.uk` → `example.co.uk`. Hosts are one site when this is equal. A host without one is its own: an
 * address, `localhost`, a public suffix such as `github.io`.
 */
export function registrableDomain(host: string): string {
  const name = withoutDots(host);
  suffixes ??= createRequire(import.meta.url)('tldts') as typeof import('tldts');
  return suffixes.getDomain(name, { allowPrivateDomains: true, extractHostname: false }) ?? name;
}

/** `LocalHost.` → `localhost`: one spelling of a host for comparing. */
export function withoutDots(host: string): string {
  let end = host.length;
  // A regular expression for trailing dots would be quadratic for a host of 60,000 dots.
  while (host[end - 1] === '.') end -= 1;
  return host.slice(0, end).toLowerCase();
}
