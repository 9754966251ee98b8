/** The part of a host that its owner registered, by the public suffix list. */
import { getDomain } from 'tldts';

/**
 * `shop.example.co.uk` → `example.co.uk`. Two hosts are one site when this is equal for both.
 * A host that has none is its own: an address, `localhost`, a public suffix such as `github.io`.
 */
export function registrableDomain(host: string): string {
  const name = host.toLowerCase().replace(/\.+$/, '');
  return getDomain(name, { allowPrivateDomains: true, extractHostname: false }) ?? name;
}
