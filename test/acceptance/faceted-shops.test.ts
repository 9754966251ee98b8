/** A shop whose filters combine without end: the crawl finds all products, and takes few of the combinations. */
import { createClient } from 'pagewright';
import { expect, it } from 'vitest';
import { isCombination, lists, realPages, shopForms, shopLinks } from '../support/faceted-shops.ts';
import { memoryWeb } from '../support/memory-web.ts';

const origin = 'http://shop.test';

it.each(['parameters in any order', 'segments in the order of the choices'])(
  'takes the same pages at any concurrency, and says what it left out: %s',
  async (name) => {
    const form = shopForms[name];
    if (form === undefined) throw new Error(name);
    const crawl = async (maxConcurrency: number): Promise<string[]> => {
      const web = memoryWeb((url) => {
        const links = shopLinks(form, new URL(url));
        const list = links?.map((href) => `<li><a href="${href}">${href}</a></li>`).join('');
        return list && `<title>${url}</title><main><p>Page ${url}</p><ul>${list}</ul></main>`;
      });
      await using client = createClient({ engines: [web] });
      const options = { limit: 1000, maxConcurrency, sitemap: 'skip' } as const;
      const job = client.crawl(`${origin}/`, { ...options, scrapeOptions: { formats: [] } });
      const { data } = await job;
      const [trap] = job.skipped().filter(({ reason }) => reason === 'TRAP');
      expect(job.explain(trap?.url ?? '')).toMatchObject({
        reason: 'TRAP',
        rule: expect.stringMatching(/^facets: \/c\//),
      });
      return data.map(({ metadata }) => metadata.url.slice(origin.length));
    };
    const paths = await crawl(1);
    const found = new Set(paths);
    expect(realPages.filter((path) => !found.has(path))).toEqual([]);
    for (const list of lists) {
      const combinations = paths.filter((path) => isCombination(form, list, path));
      expect(combinations.length).toBeLessThanOrEqual(10);
    }
    expect(await crawl(16)).toEqual(paths);
  },
);
