/** `pagewright map <url>`: the URLs of a site. */
import { type Command, Option } from 'commander';
import type { MapOptions } from '../index.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { ExitCode } from './exit-code.ts';
import { onInterrupt } from './interrupt.ts';
import { notice } from './notice.ts';
import { number, repeated } from './option-values.ts';
import { writeOutput } from './output.ts';
import { addWayOptions, wayOptions, type WayValues } from './request-options.ts';

interface MapValues extends ConnectionValues, WayValues {
  readonly output?: string;
  readonly search?: string;
  readonly limit?: number;
  readonly sitemap?: 'include' | 'skip' | 'only';
  readonly includeSubdomains: boolean;
  readonly ignoreQueryParameters: boolean;
  readonly includePaths?: string[];
  readonly excludePaths?: string[];
  readonly regexOnFullUrl?: true;
  readonly allowExternalLinks?: true;
  readonly maxDiscoveryDepth?: number;
  readonly timeout?: number;
}

/** Adds the command. */
export function addMapCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('map')
    .description('The URLs of a site, one a line: from its sitemaps, feeds and links.')
    .argument('<url>', 'a page of the site')
    .optionsGroup('Output:')
    .option(
      '--json',
      'title, description and source of each link, as JSON; errors on stderr as a line of JSON',
    )
    .option('--output <file>', 'write there instead of stdout')
    .optionsGroup('Links:')
    .option('--search <words>', 'only links about this, the best first')
    .option('--limit <count>', 'links at most (default: 100)', number)
    .addOption(
      new Option(
        '--sitemap <use>',
        'read sitemaps beside pages, not at all, or instead of them',
      ).choices(['include', 'skip', 'only']),
    )
    .option('--include-paths <regex>', 'only paths that match; repeatable', repeated)
    .option('--exclude-paths <regex>', 'no paths that match; repeatable', repeated)
    .option('--regex-on-full-url', 'match the whole URL instead of the path')
    .option('--no-include-subdomains', 'only this host')
    .option('--no-ignore-query-parameters', 'URLs that differ in their query are different')
    .option('--allow-external-links', 'linked pages of other sites too')
    .option('--max-discovery-depth <hops>', 'hops from the start page whose links are read', number)
    .option('--timeout <ms>', 'time for everything, at least 1000 (default: 60000)', number);
  addWayOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: MapValues) => {
    await using client = openClient(values);
    const abort = new AbortController();
    using _ = onInterrupt(() => abort.abort());
    const result = await client.map(url, { ...mapOptions(values), signal: abort.signal });
    if (values.json === true) {
      await writeOutput(values.output, `${JSON.stringify(result, null, 2)}\n`);
    } else {
      if (result.warning !== undefined) notice(`warning: ${result.warning}`);
      await writeOutput(values.output, result.links.map((link) => `${link.url}\n`).join(''));
    }
    finish(ExitCode.success);
  });
}

function mapOptions(values: MapValues): MapOptions {
  return {
    ...wayOptions(values),
    search: values.search,
    limit: values.limit,
    sitemap: values.sitemap,
    includeSubdomains: values.includeSubdomains,
    ignoreQueryParameters: values.ignoreQueryParameters,
    includePaths: values.includePaths,
    excludePaths: values.excludePaths,
    regexOnFullURL: values.regexOnFullUrl,
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
