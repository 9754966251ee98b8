/** The structuredData format: the machine-readable facts of a page about itself. */
import { builtInModule, type Format } from './format.ts';
import type { StructuredData } from '../../extract/facts/structured-data.ts';
import { loadModule } from '../../core/runtime/load-module.ts';

/**
 * JSON-LD, microdata, RDFa, OpenGraph and Twitter cards as parsed objects.
 *
 * A script that cannot be read is skipped, with a warning that names it. Each kind is bounded
 * (10,000 nodes or items, 10,000 meta tags). All objects with keys from the page are free of
 * `__proto__`.
 *
 * @example
 * const { structuredData } = await scrape(url, { formats: ['structuredData'] });
 * structuredData.jsonLd.find((node) => node['@type'] === 'Product');
 */
export const structuredData: Format<'structuredData', StructuredData, undefined> = {
  name: 'structuredData',
  needs: 'page',
  worker: builtInModule,
  run: async (page) =>
    (await loadModule(() => import('../../extract/facts/structured-data.ts'))).readStructuredData(
      page,
    ),
};
