/** Reads the stored versions of a URL, or the content of one of them. */
import { PagewrightError } from '../../../core/runtime/errors.ts';
import type { Store } from '../../../core/storage/store.ts';
import { PageHistory, type PageVersionContent } from './history.ts';
import type { ChangeStatus } from './tracking-options.ts';

export type { PageVersionContent } from './history.ts';

/** A version of a page: the equal content of one or more scrapes in a row. */
export interface PageVersion {
  /** The time when the version was found first, ISO 8601. */
  readonly scrapedAt: string;
  /** The time when the version was found last. */
  readonly lastScrapedAt: string;
  /** The status that the first scrape of this version reported. */
  readonly changeStatus: ChangeStatus;
  /** Reads its markdown and values from the storage; rejects with `STORAGE` when that fails. */
  read(): Promise<PageVersionContent>;
}

/** The versions of a URL, tag and identity, the oldest first. Rejects with `STORAGE` when reading fails. */
export async function readHistory(
  store: Store,
  url: string,
  tag = '',
  identity?: string,
): Promise<PageVersion[]> {
  const history = new PageHistory(store, url, tag, identity);
  const { entries, isDamaged } = await history.read();
  if (isDamaged) {
    throw new PagewrightError(
      'STORAGE',
      `The history of ${url} is damaged. The next scrape with change tracking starts it again.`,
      { url },
    );
  }
  return entries.map(({ id, firstAt, lastAt, status }) => ({
    scrapedAt: new Date(firstAt).toISOString(),
    lastScrapedAt: new Date(lastAt).toISOString(),
    changeStatus: status,
    read: async () => {
      const content = await history.content(id);
      if (content !== undefined) return content;
      const message = `The version of ${url} of ${new Date(firstAt).toISOString()} is not in the storage any more, or is damaged.`;
      throw new PagewrightError('STORAGE', message, { url });
    },
  }));
}
