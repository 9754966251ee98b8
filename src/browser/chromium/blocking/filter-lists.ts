/**
 * Filter lists in the syntax of EasyList, read by an optional package: requests to block, elements
 * to remove.
 */
import type { Page } from 'playwright-core';
import { type AnswerOf, checkAnswer, pageWorld } from '../../actions/isolated-world.ts';
import { PagewrightError } from '../../../core/runtime/errors.ts';
import { loadPackage } from '../../../core/runtime/optional-packages.ts';
import { withSignal } from '../../../core/runtime/deadline.ts';
import { adHosts } from './ad-hosts.ts';
import { collectNames, removeSelected } from './in-page/filtered-elements.ts';

const namesSample = { ids: [''], classes: [''], hrefs: [''] };

/** Names that a page uses; a list has rules for some of them. */
type UsedNames = AnswerOf<typeof namesSample>;

/** Parsed filter lists. */
export interface FilterLists {
  /** True when the lists, or our list of hosts, match this request and no exception applies. */
  block(request: ResourceRequest): boolean;
  /** CSS selectors of the elements that the lists hide on this page. */
  selectorsFor(pageUrl: string, names: UsedNames): readonly string[];
}

/**
 * Parses the texts of lists: about half a second for all of EasyList, so do it once. Scriptlet
 * rules and procedural ones are left out. Throws `MISSING_DEPENDENCY`.
 */
export async function loadFilterLists(texts: readonly string[]): Promise<FilterLists> {
  const { FiltersEngine, Request } = await loadPackage(
    'browser.filterLists',
    '@ghostery/adblocker',
    () => import('@ghostery/adblocker'),
  );
  const settings = { loadExtendedSelectors: false, enableHtmlFiltering: false } as const;
  let engine: InstanceType<typeof FiltersEngine>;
  try {
    const ours = adHosts.map((host) => `||${host}^$third-party`);
    engine = FiltersEngine.parse([...ours, ...texts].join('\n'), settings);
  } catch (error) {
    throw new PagewrightError('BAD_REQUEST', 'browser.filterLists cannot be read.', {
      cause: error,
    });
  }
  return {
    block({ url, type, pageUrl, isMainFrame }) {
      const kind = typeOf(type, isMainFrame);
      const request = Request.fromRawDetails({ url, sourceUrl: pageUrl, type: kind });
      return engine.match(request).match;
    },
    selectorsFor(pageUrl, { ids, classes, hrefs }) {
      const { hostname, domain } = Request.fromRawDetails({ url: pageUrl });
      const { styles } = engine.getCosmeticsFilters({
        url: pageUrl,
        hostname,
        domain,
        ids: [...ids],
        classes: [...classes],
        hrefs: [...hrefs],
        getBaseRules: true,
        getInjectionRules: false,
        getExtendedRules: false,
        hidingStyle: hiding,
      });
      return selectorsIn(styles);
    },
  };
}

type RequestType = 'document' | 'sub_frame' | 'ping' | 'other';

/** The package expects the protocol's names in lower case. */
function typeOf(type: string, isMainFrame: boolean): RequestType {
  if (type === 'Document') return isMainFrame ? 'document' : 'sub_frame';
  const name = type.toLowerCase();
  return (name === 'signedexchange' || name === 'preflight' ? 'other' : name) as RequestType;
}

const hiding = 'display: none !important;';

/** The package returns a style sheet: one selector per line, and rules that do not hide in separate blocks. */
function selectorsIn(styles: string): string[] {
  const selectors: string[] = [];
  for (const block of styles.split(/\}\s*/)) {
    const brace = block.lastIndexOf('{');
    if (brace === -1 || block.slice(brace + 1).trim() !== hiding) continue;
    for (const line of block.slice(0, brace).split(',\n')) {
      const selector = line.trim();
      if (selector !== '') selectors.push(selector);
    }
  }
  return selectors;
}

// The facts about a request before it is sent.

/** One request that a page is about to send. */
export interface ResourceRequest {
  readonly url: string;
  /** The name in the DevTools protocol: `Document`, `Image`, `XHR`. */
  readonly type: string;
  /** The URL of the document in the main frame. */
  readonly pageUrl: string;
  /** False for every request of an `<iframe>`. */
  readonly isMainFrame: boolean;
}

// Removes elements that filter lists hide.

/**
 * Removes elements instead of hiding them: HTML does not reflect a style sheet. To be called when the page
 * has settled, before it is read or captured.
 */
export async function removeListed(
  page: Page,
  lists: FilterLists,
  signal: AbortSignal,
): Promise<void> {
  try {
    const world = await pageWorld(page, {
      runLimit: 1000,
      within: (answer) => withSignal(answer, signal),
    });
    const found = await world.call(collectNames, { elements: 50_000, names: 20_000 });
    const names = checkAnswer(found, namesSample, 'names');
    const selectors = lists.selectorsFor(page.url(), names).slice(0, 20_000);
    if (selectors.length > 0) await world.call(removeSelected, { selectors, milliseconds: 500 });
  } catch {
    // The page navigated away or is closed: its reader will notice.
    signal.throwIfAborted();
  }
}
