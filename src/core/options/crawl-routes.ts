/** The routes of a crawl: options and labels of its pages by their URL. */
import { z } from 'zod';
import { compact } from '../runtime/compact.ts';
import { ValidationError } from '../runtime/errors.ts';
import { formatPath } from '../checks/check.ts';
import { list, option } from '../checks/option.ts';
import type { FrontierEntry } from '../frontier/frontier.ts';
import type { UrlPattern } from '../frontier/url-pattern.ts';
import { compilePattern, patternSchema } from './job-options.ts';
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

type GivenRoutes = readonly z.output<typeof routeSchema>[];

/** The first route that matches a page. */
export interface PageRoute {
  readonly marks: Pick<FrontierEntry, 'label' | 'follow'>;
  /** The settings of its pages; undefined where it has no options of its own. */
  readonly page: ((url: string) => PageSettings) | undefined;
}

/** The options of the crawl beside its routes. */
interface RoutedCrawl {
  readonly scrapeOptions?: unknown;
  readonly regexOnFullURL: boolean;
}

/**
 * Compiles the routes; `pageOf` checks the options of the route at a path, laid over those of the crawl. The function
 * that it returns throws the errors of a caller's pattern.
 */
export function compileRoutes(
  routes: GivenRoutes,
  { scrapeOptions, regexOnFullURL }: RoutedCrawl,
  pageOf: (options: object, at: readonly (string | number)[]) => (url: string) => PageSettings,
): (url: string) => PageRoute | undefined {
  const compiled = routes.map(({ match, label, follow, scrapeOptions: own }, index) => {
    const at = ['routes', index] as const;
    const patterns = patternsOf(match).map((pattern, position) => {
      const path = Array.isArray(match) ? [...at, 'match', position] : [...at, 'match'];
      return compilePattern('crawl', path, pattern, regexOnFullURL);
    });
    if (own === undefined)
      return { patterns, route: { marks: { label, follow }, page: undefined } };
    const path = [...at, 'scrapeOptions'];
    const problem = problemOf(own, scrapeOptions);
    if (problem !== undefined) throw wrongRoute(path, problem);
    const page = pageOf({ ...(scrapeOptions as object), ...compact<object>(own) }, path);
    return { patterns, route: { marks: { label, follow }, page } };
  });
  if (compiled.length === 0) return () => undefined;
  return (url) => {
    const parsed = new URL(url);
    return compiled.find(({ patterns }) => patterns.some((one) => one.matches(parsed)))?.route;
  };
}

/** The patterns of each route by its name, for warnings. */
export function routePatterns(
  routes: GivenRoutes,
): Readonly<Record<string, readonly UrlPattern[]>> {
  return Object.fromEntries(
    routes.map(({ match }, index) => [`routes[${index}].match`, patternsOf(match)]),
  );
}

function patternsOf(match: GivenRoutes[number]['match']): readonly UrlPattern[] {
  return Array.isArray(match) ? match : [match];
}

function problemOf(own: object, scrapeOptions: unknown): string | undefined {
  if (typeof scrapeOptions === 'function') {
    return 'scrapeOptions is a function, which chooses the options of each page itself; pass an object, or leave the options of the route out';
  }
  if (!('zeroDataRetention' in own)) return undefined;
  return 'zeroDataRetention applies to the whole crawl: write it in scrapeOptions';
}

function wrongRoute(path: readonly (string | number)[], message: string): ValidationError {
  return new ValidationError('crawl', [{ path, message: `${formatPath(path)}: ${message}` }]);
}
