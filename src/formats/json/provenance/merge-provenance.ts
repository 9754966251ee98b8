/** The provenance of data that was merged from several pages. */
import type { LeafProvenance, Provenance } from './provenance.ts';

/** Where a merged leaf was on one of the pages that say it. */
export interface LeafOrigin {
  readonly url: string;
  /** In the data of that page. */
  readonly path: string;
}

/** For each leaf the first page that supports it, or else the first that gave it. */
export function mergeProvenance(
  origins: ReadonlyMap<string, readonly LeafOrigin[]>,
  pages: ReadonlyMap<string, Provenance>,
): Provenance {
  const entries: [string, LeafProvenance][] = [];
  for (const [path, places] of origins) {
    const known = places.flatMap((origin): LeafProvenance[] => {
      const page = pages.get(origin.url);
      const leaf =
        page !== undefined && Object.hasOwn(page, origin.path) ? page[origin.path] : undefined;
      return leaf === undefined ? [] : [leaf];
    });
    const best = known.find(({ status }) => status === 'supported') ?? known[0];
    if (best !== undefined) entries.push([path, best]);
  }
  return Object.fromEntries(entries);
}
