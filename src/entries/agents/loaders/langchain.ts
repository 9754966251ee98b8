/** Exported as `pagewright/langchain`: pages of the web as documents of LangChain.js. Needs `@langchain/core`. */
import type { DocumentLoader } from '@langchain/core/document_loaders/base';
import type { Document } from '@langchain/core/documents';
import { loadPackage, requirePackages } from '../../../core/runtime/optional-packages.ts';
import { type LoaderOptions, type PassageMetadata, passageLoader } from './load-passages.ts';

export type { LoadedCrawlOptions, PagesToLoad } from '../../../core/options/loader-options.ts';
export type { LoaderOptions, PassageMetadata };

/**
 * A document loader of LangChain.js: a page, a list of pages, a site, or the URLs of a site. The text of pages is
 * data of strangers (`metadata.untrusted`): put it between marks in a prompt, as `markPageText` of `pagewright/ai`
 * does. The constructor throws `BAD_REQUEST` for wrong options and `MISSING_DEPENDENCY` without the package; loading rejects as the verb of the mode does.
 *
 * @example
 * const loader = new PagewrightLoader({
 *   mode: 'crawl',
 *   url: 'https://example.com/docs/',
 *   options: { limit: 50 },
 *   chunks: { maxTokens: 300 },
 * });
 * const documents = await loader.load();
 */
export class PagewrightLoader implements DocumentLoader {
  readonly #passages: ReturnType<typeof passageLoader>;

  constructor(options: LoaderOptions) {
    requirePackages('PagewrightLoader', '@langchain/core');
    this.#passages = passageLoader('PagewrightLoader', options);
  }

  /** All documents. */
  async load(): Promise<Document<PassageMetadata>[]> {
    const documents: Document<PassageMetadata>[] = [];
    for await (const document of this.lazyLoad()) documents.push(document);
    return documents;
  }

  /** Documents as their pages come. Leaving the loop ends the crawl or batch. */
  async *lazyLoad(): AsyncGenerator<Document<PassageMetadata>, undefined> {
    const load = () => import('@langchain/core/documents');
    const { Document } = await loadPackage('PagewrightLoader', '@langchain/core', load);
    for await (const { id, text, metadata } of this.#passages()) {
      yield new Document({ id, pageContent: text, metadata });
    }
  }
}
