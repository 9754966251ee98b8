/** A web of pages that link to the next ones, and what tests look at in its documents. */
import type { PlainDocument, Store } from 'pagewright';
import { type MemoryPage, type MemoryWeb, memoryWeb, pageOf } from '../support/memory-web.ts';

/** One engine over the chain, and the paths that it was asked for. */
export interface Chain {
  readonly web: MemoryWeb;
  readonly fetched: readonly string[];
}

/** Pages `/0` to `/<count - 1>` of `http://site.test`, each linking to the next two; `/` is `/0`. */
export function chainOf(
  count: number,
  body: (n: number, links: readonly string[]) => string | MemoryPage = (n, links) =>
    pageOf(`page ${n}`, links),
): () => Chain {
  return () => {
    const fetched: string[] = [];
    const web = memoryWeb((url) => {
      const { pathname } = new URL(url);
      const n = Number(pathname.slice(1) || '0');
      if (!/^\/\d*$/.test(pathname) || n >= count) return undefined;
      fetched.push(pathname);
      const next = [n + 1, n + 2].filter((one) => one < count);
      return body(
        n,
        next.map((one) => `/${one}`),
      );
    });
    return { web, fetched };
  };
}

export function pathOf(page: { readonly metadata: { readonly url: string } }): string {
  return new URL(page.metadata.url).pathname;
}

/** A document without what no two scrapes have in common. */
export function bareDocument(document: object): object {
  const {
    metadata: { scrapeId: _, ...metadata },
    ...rest
  } = document as PlainDocument;
  return { ...rest, metadata };
}

/** All keys of a store that start with `prefix`. */
export async function listed(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}
