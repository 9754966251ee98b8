/** `pagewright map <url>`: the URLs of a site. */
import { type Command, Option } from 'commander';
import type { MapOptions, MapResult } from '../../index.ts';
import {
  addConnectionOptions,
  addNetworkOptions,
  type ConnectionValues,
  networkOptions,
  type NetworkValues,
  openClient,
} from './connection-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { csvRow } from '../export/csv.ts';
import { isJsonWanted, writeOutput } from './output.ts';
import { durationValue, numberValue, repeatedValue } from './option-values.ts';
import { lineView } from './progress-view.ts';

interface MapValues extends ConnectionValues, NetworkValues {
  readonly output?: string;
  readonly json?: true;
  readonly search?: string;
  readonly limit?: number;
  readonly sitemap?: 'include' | 'skip' | 'only';
  readonly includeSubdomains?: boolean;
  readonly ignoreQueryParameters?: boolean;
  readonly includePaths?: string[];
  readonly excludePaths?: string[];
  readonly regexOnFullUrl?: true;
  readonly endpoints?: true;
  readonly allowExternalLinks?: true;
  readonly maxDiscoveryDepth?: number;
  readonly timeout?: number;
}

/** Adds the command. */
export function addMapCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('map')
    .summary('list the URLs of a site')
    .description('Lists the URLs of a site, one per line, from its sitemaps, feeds and links.')
    .argument('<url>', 'a page of the site')
    .optionsGroup('Output:')
    .option(
      '--json',
      'print title, description and source of each link as JSON, and stderr as with --log json',
    )
    .option(
      '--output <file>',
      'write to this file instead of stdout: .json as --json, .csv with a row for each link',
    )
    .option('--quiet', 'no progress')
    .optionsGroup('Links:')
    .option('--search <words>', 'only links about this, best first')
    .option('--limit <count>', 'maximum links (default: 100)', numberValue)
    .addOption(
      new Option(
        '--sitemap <use>',
        'read sitemaps in addition to pages, not at all, or instead of pages',
      ).choices(['include', 'skip', 'only']),
    )
    .option('--include-paths <regex>', 'only visit matching paths; repeatable', repeatedValue)
    .option('--exclude-paths <regex>', 'skip matching paths; repeatable', repeatedValue)
    .option('--regex-on-full-url', 'match the whole URL instead of the path')
    .option('--no-include-subdomains', 'only this host')
    .option('--no-ignore-query-parameters', 'treat URLs that differ in their query as different')
    .option('--endpoints', 'render the start page; list its JSON endpoints and the URLs in them')
    .option('--allow-external-links', 'include linked pages of other sites')
    .option(
      '--max-discovery-depth <hops>',
      'read links of pages up to this depth from the start page',
      numberValue,
    )
    .option('--timeout <time>', 'time limit for the whole command (default: 60s)', durationValue);
  addNetworkOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: MapValues) => {
    await using client = await openClient(run, values);
    const abort = new AbortController();
    using _ = onInterrupt(() => abort.abort());
    using shown = run.log.show(lineView(`map ${url}`));
    const result = await client.map(url, { ...mapOptions(values), signal: abort.signal });
    shown.finish();
    const { output } = values;
    if (isJsonWanted(values)) {
      await writeOutput(output, `${JSON.stringify(result, null, 2)}\n`, run.log);
    } else {
      if (result.warning !== undefined) run.log.warn(result.warning);
      const isCsv = output?.toLowerCase().endsWith('.csv') === true;
      await writeOutput(output, (isCsv ? csvLines : textLines)(result.links), run.log);
    }
    run.finish(ExitCode.success);
  });
}

type Links = MapResult['links'];

function textLines(links: Links): string {
  return links.map(({ url }) => `${url}\n`).join('');
}

function csvLines(links: Links): string {
  const rows = links.map(({ url, title, description, lastmod, sources }) =>
    csvRow([url, title, description, lastmod, sources.join(' ')]),
  );
  return csvRow(['url', 'title', 'description', 'lastmod', 'sources']) + rows.join('');
}

function mapOptions(values: MapValues): MapOptions {
  return {
    ...networkOptions(values),
    search: values.search,
    limit: values.limit,
    sitemap: values.sitemap,
    includeSubdomains: values.includeSubdomains,
    ignoreQueryParameters: values.ignoreQueryParameters,
    includePaths: values.includePaths,
    excludePaths: values.excludePaths,
    regexOnFullURL: values.regexOnFullUrl,
    endpoints: values.endpoints,
    allowExternalLinks: values.allowExternalLinks,
    maxDiscoveryDepth: values.maxDiscoveryDepth,
    timeout: values.timeout,
  };
}

const examples = `
Examples:
  pagewright map https://example.com --limit 1000
  pagewright map https://example.com --search 'pricing'
  pagewright map https://example.com --sitemap only --json
  pagewright map https://example.com --include-paths '^/blog/'
`;
