/** Which host and path a URL belongs to, seen from the start of a crawl. */
import { pathScope } from '../url/path-scope.ts';
import { registrableDomain } from '../url/registrable-domain.ts';

/** Where a URL lies: on the site itself, on a sister host, or elsewhere. */
export type Territory = 'site' | 'subdomain' | 'external';

/** The region a crawl starts in. A start page that redirects adds its final URL. */
export interface Scope {
  territoryOf(url: URL): Territory;
  /** True when the path is at or below one of the start paths. */
  coversPath(url: URL): boolean;
}

/** The region around the start URLs. `www.` and the scheme do not make another site; a port does. */
export function scopeOf(starts: readonly URL[]): Scope {
  const hosts = new Set(starts.map(siteHost));
  const domains = new Set(starts.map((url) => registrableDomain(url.hostname)));
  const paths = starts.map(pathScope);
  return {
    territoryOf(url) {
      if (hosts.has(siteHost(url))) return 'site';
      return domains.has(registrableDomain(url.hostname)) ? 'subdomain' : 'external';
    },
    coversPath: (url) => paths.some((covers) => covers(url)),
  };
}

/** Host and port without `www.` and the root's dot; the default ports of http and https are the same place. */
function siteHost(url: URL): string {
  return url.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '');
}
