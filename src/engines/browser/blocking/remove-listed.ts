/** Takes out of a page what filter lists hide. */
import type { Page } from 'playwright-core';
import { pageWorld } from '../../../actions/page-session.ts';
import { withSignal } from '../../../network/deadline.ts';
import type { FilterLists, UsedNames } from './filter-lists.ts';
import { collectNames } from './in-page/collect-names.ts';
import { removeSelected } from './in-page/remove-selected.ts';

/**
 * Removes it in place of hiding it: HTML does not say what a style sheet hides. To be called when the
 * page has settled, before it is read or shown. Returns how many elements are gone.
 */
export async function removeListed(
  page: Page,
  lists: FilterLists,
  signal: AbortSignal,
): Promise<number> {
  try {
    const world = await pageWorld(page, {
      ...{ runLimit: 1000, within: (answer) => withSignal(answer, signal) },
    });
    const names = readNames(await world.call(collectNames, { elements: 50_000, names: 20_000 }));
    const selectors = lists.selectorsFor(page.url(), names).slice(0, 20_000);
    if (selectors.length === 0) return 0;
    const removed = await world.call(removeSelected, { selectors, milliseconds: 500 });
    return typeof removed === 'number' ? removed : 0;
  } catch {
    // The page went elsewhere meanwhile, or is closed: what reads it will see that.
    signal.throwIfAborted();
    return 0;
  }
}

function readNames(found: unknown): UsedNames {
  const lists = typeof found === 'object' && found !== null ? found : {};
  const read = (key: keyof UsedNames): string[] => {
    const list: unknown = Reflect.get(lists, key);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  };
  return { ids: read('ids'), classes: read('classes'), hrefs: read('hrefs') };
}
