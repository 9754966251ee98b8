/** Exported as `pagewright/llamaindex`: pages of the web as documents of LlamaIndex.TS. Needs `@llamaindex/core`. */
import type { BaseReader, Document } from '@llamaindex/core/schema';
import { loadPackage, requirePackages } from '../../../core/runtime/optional-packages.ts';
import { type LoaderOptions, type PassageMetadata, passageLoader } from './load-passages.ts';

export type { LoadedCrawlOptions, PagesToLoad } from '../../../core/options/loader-options.ts';
export type { LoaderOptions, PassageMetadata };

/**
 * A reader of LlamaIndex.TS: a page, a list of pages, a site, or the URLs of a site. The text of pages is data of
 * strangers (`metadata.untrusted`): put it between marks in a prompt, as `markPageText` of `pagewright/ai` does. The
 * constructor throws `BAD_REQUEST` for wrong options and `MISSING_DEPENDENCY` without the package; loading rejects as the verb of the mode does.
 *
 * @example
 * const reader = new PagewrightReader({ mode: 'crawl', url: 'https://example.com/docs/', chunks: true });
 * const documents = await reader.loadData();
 */
export class PagewrightReader implements BaseReader<Document<PassageMetadata>> {
  readonly #passages: ReturnType<typeof passageLoader>;

  constructor(options: LoaderOptions) {
    requirePackages('PagewrightReader', '@llamaindex/core');
    this.#passages = passageLoader('PagewrightReader', options);
  }

  /** All documents. */
  async loadData(): Promise<Document<PassageMetadata>[]> {
    const documents: Document<PassageMetadata>[] = [];
    for await (const document of this.lazyLoadData()) documents.push(document);
    return documents;
  }

  /** Documents as their pages come. Leaving the loop ends the crawl or batch. */
  async *lazyLoadData(): AsyncGenerator<Document<PassageMetadata>, undefined> {
    const load = () => import('@llamaindex/core/schema');
    const { Document } = await loadPackage('PagewrightReader', '@llamaindex/core', load);
    for await (const { id, text, metadata } of this.#passages()) {
      yield new Document({ id_: id, text, metadata });
    }
  }
}
