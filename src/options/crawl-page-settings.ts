/** The scrape options of the pages of a crawl. */
import { hookFailed, ValidationError } from '../errors.ts';
import { headersForHop, isPlainHeader } from '../network/credentials.ts';
import { type PageSettings, parsePageOptions, type ScrapeDefaults } from './scrape-options.ts';

/**
 * A fixed object is checked here, once; a function's answer for each page. Headers of a fixed object are
 * for the origin of the start URL, or with `redirectCredentials: 'same-site'` for its site: pages of others
 * do not get them.
 */
export function crawlPageSettings(
  start: string,
  { scrapeOptions, since }: { readonly scrapeOptions?: unknown; readonly since?: unknown },
  defaults: ScrapeDefaults,
): (url: string) => PageSettings {
  const parse = (options: unknown): PageSettings => {
    if (typeof options === 'object' && options !== null && 'signal' in options) {
      throw wrongScrapeOption('signal', 'give signal to crawl itself');
    }
    const settings = parsePageOptions('crawl', options, defaults);
    const { maxAge } = (options ?? {}) as { readonly maxAge?: unknown };
    if (since === undefined || maxAge !== undefined || settings.cache.isOnly) return settings;
    // What became of a page is asked of the site.
    return { ...settings, cache: { ...settings.cache, maxAge: 0 } };
  };
  if (typeof scrapeOptions === 'function') {
    const ofUrl = scrapeOptions as (url: string) => unknown;
    return (url) => {
      const options = callOptions(ofUrl, url);
      if (keepsNothing(options)) {
        throw wrongScrapeOption('zeroDataRetention', 'it is for a whole crawl: give an object');
      }
      return parse(options);
    };
  }
  const settings = parse(scrapeOptions);
  const { headers, redirectCredentials } = settings;
  if (Object.keys(headers).every(isPlainHeader)) return () => settings;
  const from = new URL(start);
  return (url) => ({
    ...settings,
    headers: headersForHop(headers, from, new URL(url), redirectCredentials),
  });
}

function callOptions(ofUrl: (url: string) => unknown, url: string): unknown {
  try {
    const options = ofUrl(url);
    if (options instanceof Promise)
      throw new TypeError('it gave a promise; options are needed at once');
    return options;
  } catch (error) {
    throw hookFailed('scrapeOptions', url, error);
  }
}

/** True when an archive at this URL would be read. What a caller's function throws is told when it is fetched. */
export function readsArchive(settings: (url: string) => PageSettings, url: string): boolean {
  try {
    return settings(url).archive !== undefined;
  } catch {
    return false;
  }
}

/** True when nothing of the pages may be written anywhere. */
export function keepsNothing(scrapeOptions: unknown): boolean {
  return (scrapeOptions as { zeroDataRetention?: unknown } | undefined)?.zeroDataRetention === true;
}

function wrongScrapeOption(name: string, message: string): ValidationError {
  return new ValidationError('crawl', [
    { path: ['scrapeOptions', name], message: `scrapeOptions.${name}: ${message}` },
  ]);
}
