/** Options of crawl: scope, order and speed. */
import type { Command } from 'commander';
import { crawlRows, jobRows, paceRows, siteRows } from '../../core/options/job-options.ts';
import { choice, type Input, option } from '../../core/checks/option.ts';
import type { CrawlOptions } from '../../index.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';

/** The options of a crawl that have a flag of their own. */
const { errorPages, budget } = jobRows;
const frontierRows = { ...crawlRows, ...siteRows, ...paceRows, errorPages, budget };

const strategyFlags = {
  bestFirst: '<words> visit pages about this first',
  untilAnswered: 'with --best-first: end when the pages answer these words',
  judge: option(choice(['words', 'model']), {
    cli: '<how> with --until-answered: decide by words (default) or ask the model',
  }),
} as const;

/** The values that commander parses. */
export interface FrontierValues
  extends
    FlagValues<typeof strategyFlags>,
    Pick<
      Input<typeof frontierRows>,
      | ('includePaths' | 'excludePaths' | 'allowSubdomains' | 'allowExternalLinks')
      | ('limit' | 'maxConcurrency' | 'maxConcurrencyPerHost')
    > {
  readonly regexOnFullUrl?: true;
}

/** Adds the options to a command. */
export function addFrontierOptions(command: Command): Command {
  command.optionsGroup('Pages:');
  addFlags(command, { ...strategyFlags, ...crawlRows, ...siteRows, errorPages });
  return addFlags(command.optionsGroup('Politeness:'), { ...paceRows, budget });
}

/** Converts the values to options of the library. */
export function frontierOptions(
  values: FrontierValues,
): Omit<CrawlOptions, 'scrapeOptions' | 'signal'> {
  return { ...flagValues(frontierRows, values), strategy: strategyOf(values) };
}

/** The problem of options that need others. */
export function frontierProblem({
  bestFirst,
  untilAnswered,
  judge,
  regexOnFullUrl,
  includePaths,
  excludePaths,
}: FrontierValues): string | undefined {
  if (regexOnFullUrl === true && (includePaths ?? excludePaths) === undefined)
    return '--regex-on-full-url needs --include-paths or --exclude-paths';
  if (untilAnswered === true && bestFirst === undefined)
    return '--until-answered needs --best-first';
  return judge !== undefined && untilAnswered !== true
    ? '--judge needs --until-answered'
    : undefined;
}

function strategyOf({ bestFirst, untilAnswered, judge }: FrontierValues): CrawlOptions['strategy'] {
  if (bestFirst === undefined) return undefined;
  const until = untilAnswered === true ? 'answered' : undefined;
  return { type: 'bestFirst', query: bestFirst, until, judge };
}
