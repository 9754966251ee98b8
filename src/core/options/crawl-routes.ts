/** The routes of a crawl: options and labels of its pages by their URL. */
import { z } from 'zod';
import { compact } from '../runtime/compact.ts';
import type { ValidationIssue } from '../runtime/errors.ts';
import { wrongOption } from '../checks/check.ts';
import { list, option } from '../checks/option.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import { compilePatterns, patternSchema } from './job-options.ts';
import type { PageSettings } from './scrape-options.ts';

const routeSchema = z.strictObject({
  match: z.union(
    [patternSchema, z.array(patternSchema).min(1).max(1000)],
    'expected a regular expression or a function, or a list of them',
  ),
  label: z.string().min(1).max(200).optional(),
  scrapeOptions: z.looseObject({}).optional(),
  follow: z.boolean().optional(),
});

/** The option `routes`. */
export const routesRow = option(list(routeSchema, 1000));

/** The label of a page, whether its links are followed, and the settings with which it is read. */
export interface PageRoute {
  readonly marks?: Pick<FrontierEntry, 'label' | 'follow'>;
  /** May throw an error of the caller's. */
  readonly pageSettings: (url: string) => PageSettings;
}

/** The options of the crawl that decide the routes of its pages. */
interface RoutedCrawl {
  readonly routes?: readonly z.output<typeof routeSchema>[] | undefined;
  readonly scrapeOptions?: unknown;
  readonly regexOnFullURL: boolean;
}

/**
 * Compiles the routes; `others` is for pages without one, `pageOf` checks the options of the route at a path, laid
 * over those of the crawl. `kinds` has the settings of each kind of page.
 */
export function compileRoutes(
  { routes = [], scrapeOptions, regexOnFullURL }: RoutedCrawl,
  others: PageRoute['pageSettings'],
  pageOf: (options: object, at: ValidationIssue['path']) => PageRoute['pageSettings'],
): { routeOf: (url: string) => PageRoute; kinds: readonly PageRoute['pageSettings'][] } {
  const compiled = routes.map(({ match, label, follow, scrapeOptions: own }, index) => {
    const matchers = compilePatterns('crawl', ['routes', index, 'match'], match, regexOnFullURL);
    const marks = { label, follow };
    if (own === undefined) return { matchers, marks, pageSettings: others };
    const at = ['routes', index, 'scrapeOptions'];
    const problem = problemOf(own, scrapeOptions);
    if (problem !== undefined) throw wrongOption('crawl', at, problem);
    const options = { ...(scrapeOptions as object), ...compact<object>(own) };
    return { matchers, marks, pageSettings: pageOf(options, at) };
  });
  const routeOf = (page: string): PageRoute => {
    try {
      const url = new URL(page);
      const isFor = ({ matchers }: (typeof compiled)[number]): boolean =>
        matchers.some((matcher) => matcher.matches(url));
      return compiled.find(isFor) ?? { pageSettings: others };
    } catch (error) {
      // A caller's function: the page fails when it is requested.
      const pageSettings = (): never => {
        throw error;
      };
      return { pageSettings };
    }
  };
  return { routeOf, kinds: [others, ...compiled.map(({ pageSettings }) => pageSettings)] };
}

function problemOf(own: object, scrapeOptions: unknown): string | undefined {
  if (typeof scrapeOptions === 'function') {
    return 'scrapeOptions is a function, which chooses the options of each page itself; pass an object, or leave the options of the route out';
  }
  if (!('zeroDataRetention' in own)) return undefined;
  return 'zeroDataRetention applies to the whole crawl: write it in scrapeOptions';
}
