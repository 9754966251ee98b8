/** Content that the caller brought is not opened in a browser: what needs one is refused. */
import { PagewrightError } from '../errors.ts';
import type { ScrapeRequest } from '../model/request.ts';

/** Throws `BAD_REQUEST` that names what cannot be done without an open page. */
export function refuseRendering({
  url,
  requires,
}: Pick<ScrapeRequest<unknown>, 'url' | 'requires'>): void {
  // How a request looks does not matter where there is none.
  const asking = [...requires].filter(([capability]) => capability !== 'stealth');
  if (asking.length === 0) return;
  const options = asking.map(([, option]) => option).join(', ');
  throw new PagewrightError(
    'BAD_REQUEST',
    `Content that you bring is read as it is, without a browser: ${options} cannot be had for it. Leave that out, or scrape the URL of the page.`,
    { url },
  );
}
