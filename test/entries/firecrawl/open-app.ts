/** The class over sites on disk, with a scripted model and a scripted search engine. */
import { fileURLToPath } from 'node:url';
import { createClient } from 'pagewright';
import type { SearchFunction } from '../../../src/core/model/search-engine.ts';
import { fixturesEngine, scriptedModel } from 'pagewright/testing';
import { Firecrawl, type FirecrawlClientInput } from 'pagewright/firecrawl';
import type { ClientOptions } from '../../../src/index.ts';

const folder = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/firecrawl/${name}`, import.meta.url));

const sites = fixturesEngine({
  'https://firecrawl.dev': folder('firecrawl.dev'),
  'https://docs.firecrawl.dev': folder('firecrawl.dev'),
  'https://example.com': folder('example.com'),
  'https://mendable.ai': folder('mendable.ai'),
});

/** Finds three pages of the web, and a picture and a piece of news where they are asked for. */
const searchSites: SearchFunction = (query, { source }) => {
  if (source === 'news') return [{ url: 'https://mendable.ai/', title: query }];
  if (source === 'images') {
    return [{ imageUrl: 'https://firecrawl.dev/logo.png', url: 'https://firecrawl.dev/' }];
  }
  return ['', 'blog/first.html', 'nowhere.html'].map((path, index) => ({
    url: `https://firecrawl.dev/${path}`,
    title: `Result ${index} of ${query}`,
    description: `About ${query}`,
  }));
};

/** Options of a client that meets these sites only. */
export const clientOptions: ClientOptions = {
  engines: () => [sites],
  model: scriptedModel(() => ({ title: 'Turn websites into data' })),
  search: searchSites,
};

/** The class that a program imports, over these sites: its own options have no effect. */
export class FixtureFirecrawl extends Firecrawl {
  constructor(options: FirecrawlClientInput = {}) {
    const given = typeof options === 'string' ? { apiKey: options } : options;
    super({ client: createClient(clientOptions), ...given });
  }
}
