/** Filter lists in the syntax of EasyList, read by an optional package. */
import { MissingDependencyError, PagewrightError } from '../../../errors.ts';
import { adHosts } from './ad-hosts.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Names that a page uses; a list has rules for some of them. */
export interface UsedNames {
  readonly ids: readonly string[];
  readonly classes: readonly string[];
  readonly hrefs: readonly string[];
}

/** Lists that were read. */
export interface FilterLists {
  /** True when they, or our list of hosts, name this request and no exception of them holds. */
  block(request: ResourceRequest): boolean;
  /** CSS selectors of what the lists hide on this page. */
  selectorsFor(pageUrl: string, names: UsedNames): readonly string[];
}

/**
 * Reads lists, each the text of one: about half a second for all of EasyList, so do it once. Rules
 * that run scripts in a page, and procedural ones, are left out. Throws `MISSING_DEPENDENCY`.
 */
export async function loadFilterLists(texts: readonly string[]): Promise<FilterLists> {
  const { FiltersEngine, Request } = await import('@ghostery/adblocker').catch((error: unknown) => {
    throw new MissingDependencyError('@ghostery/adblocker', 'browser.filterLists', error);
  });
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
      const asked = Request.fromRawDetails({ url, sourceUrl: pageUrl, type: kind });
      return engine.match(asked).match;
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

/** The package takes the names of the protocol in lower case. */
function typeOf(type: string, isMainFrame: boolean): RequestType {
  if (type === 'Document') return isMainFrame ? 'document' : 'sub_frame';
  const name = type.toLowerCase();
  return (name === 'signedexchange' || name === 'preflight' ? 'other' : name) as RequestType;
}

const hiding = 'display: none !important;';

/** The package gives a style sheet: a selector a line, and what is no hiding in blocks of its own. */
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
