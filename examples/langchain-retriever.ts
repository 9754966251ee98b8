// A retriever of LangChain.js over the chunks of a site, which names the heading of each answer.
import type { DocumentInterface } from '@langchain/core/documents';
import { createClient } from 'pagewright';
import { fixturesEngine } from 'pagewright/testing';
import { markPageText } from 'pagewright/ai';
import { needs } from './needs.ts';

needs('@langchain/core');
const { Embeddings } = await import('@langchain/core/embeddings');
const { BaseRetriever } = await import('@langchain/core/retrievers');
const { PagewrightLoader } = await import('pagewright/langchain');

// Stands in for an embedding model: counts words. Put yours here, and a vector store for many pages.
class WordEmbeddings extends Embeddings {
  constructor() {
    super({});
  }

  override embedQuery(text: string): Promise<number[]> {
    const vector = new Array<number>(4096).fill(0);
    for (const word of text.toLowerCase().match(/\p{L}{3,}/gu) ?? []) {
      let hash = 0;
      for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % vector.length;
      vector[hash] = 1;
    }
    const length = Math.hypot(...vector) || 1;
    return Promise.resolve(vector.map((value) => value / length));
  }

  override embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.all(texts.map((text) => this.embedQuery(text)));
  }
}

class SiteRetriever extends BaseRetriever {
  override lc_namespace = ['examples'];
  readonly #documents: readonly DocumentInterface[];
  readonly #embeddings = new WordEmbeddings();

  constructor(documents: readonly DocumentInterface[]) {
    super();
    this.#documents = documents;
  }

  override async _getRelevantDocuments(query: string): Promise<DocumentInterface[]> {
    const texts = this.#documents.map(
      ({ pageContent, metadata }) => `${metadata['headings']} ${pageContent}`,
    );
    const asked = await this.#embeddings.embedQuery(query);
    const vectors = await this.#embeddings.embedDocuments(texts);
    const score = (vector: readonly number[] = []): number =>
      vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0);
    return this.#documents
      .map((document, index) => ({ document, score: score(vectors[index]) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 2)
      .map(({ document }) => document);
  }
}

const site = fixturesEngine({ 'https://lantern.test': new URL('sites/docs/', import.meta.url) });
const client = createClient({ engines: [site] });
const loader = new PagewrightLoader({
  mode: 'crawl',
  url: 'https://lantern.test/docs/',
  chunks: { maxTokens: 150 },
  client,
});
const retriever = new SiteRetriever(await loader.load());

for (const question of ['How long is the longest fade?', 'Which package is for Debian?']) {
  const documents = await retriever.invoke(question);
  console.log(question);
  for (const { metadata } of documents)
    console.log(`  ${metadata['headings']}: ${metadata['anchor']}`);

  // Text of pages is data: between marks, a page cannot pass for an instruction.
  const context = documents.map(({ pageContent }) => markPageText(pageContent)).join('\n\n');
  const prompt = `Answer from the passages, and name their URLs.\n\n${context}\n\nQuestion: ${question}`;
  console.log(`  a prompt with ${prompt.match(/^<page-text-/gm)?.length} marked passages`);
}

await client.close();
