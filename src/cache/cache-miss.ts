/** The error of a page that may not be fetched, and is not there. */
import { PagewrightError } from '../errors.ts';

/** `why` there is no copy, where that is not plain. */
export function cacheMiss(url: string, why?: string): PagewrightError {
  const reason = why === undefined ? '' : ` (${why})`;
  return new PagewrightError(
    'CACHE_MISS',
    `The cache has no copy of ${url} that fits these options${reason}, and cacheOnly or minAge allow no request. Leave them out to fetch the page.`,
    { url },
  );
}
