/** Options of crawl: scope, order and speed. */
import type { Command } from 'commander';
import { crawlRows, jobRows, paceRows, siteRows } from '../../core/options/job-options.ts';
import { choice, type Input, option } from '../../core/checks/option.ts';
import { orders } from '../../core/frontier/orders/orders.ts';
import { firstDefined } from '../../core/runtime/first-defined.ts';
import type { CrawlOptions } from '../../index.ts';
import { addFlags, flagProblem, flagValues } from './flags.ts';

/** The options of a crawl that have a flag of their own. */
const { errorPages, budget } = jobRows;
const frontierRows = { ...crawlRows, ...siteRows, ...paceRows, errorPages, budget };

/** The values that commander parses. */
export interface FrontierValues extends Pick<
  Input<typeof frontierRows>,
  | ('includePaths' | 'excludePaths' | 'allowSubdomains' | 'allowExternalLinks')
  | ('limit' | 'maxConcurrency' | 'maxConcurrencyPerHost')
> {
  readonly regexOnFullUrl?: true;
}

/** Adds the options to a command. */
export function addFrontierOptions(command: Command): Command {
  command.optionsGroup('Pages:');
  for (const { rows } of orderFlags) addFlags(command, rows);
  addFlags(command, { ...crawlRows, ...siteRows, errorPages });
  return addFlags(command.optionsGroup('Politeness:'), { ...paceRows, budget });
}

/** Converts the values to options of the library. */
export function frontierOptions(
  values: FrontierValues,
): Omit<CrawlOptions, 'scrapeOptions' | 'signal'> {
  return { ...flagValues(frontierRows, values), strategy: strategiesOf(values)[0] };
}

/** The problem of options that need others, or exclude them. */
export function frontierProblem(values: FrontierValues): string | undefined {
  const { regexOnFullUrl, includePaths, excludePaths } = values;
  if (regexOnFullUrl === true && (includePaths ?? excludePaths) === undefined)
    return '--regex-on-full-url needs --include-paths or --exclude-paths';
  if (strategiesOf(values).length > 1) return 'a crawl has one order: give the flags of one';
  return firstDefined(Object.values(orders), ({ options }) => flagProblem(options, values));
}

/** The flags of each order: of its options, or of the order itself. */
const orderFlags = Object.entries(orders).map(([type, { options, cli }]) => ({
  type,
  rows: cli === undefined ? options : { [type]: option(choice([type]), { cli: { [type]: cli } }) },
}));

/** The strategies of which there are flags. */
function strategiesOf(values: FrontierValues): CrawlOptions['strategy'][] {
  return orderFlags.flatMap(({ type, rows }) => {
    const given = flagValues(rows, values);
    if (Object.values(given).every((value) => value === undefined)) return [];
    return [(type in rows ? type : { type, ...given }) as CrawlOptions['strategy']];
  });
}
