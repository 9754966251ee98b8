/** `pagewright map <url>`: the URLs of a site. */
import type { Command } from 'commander';
import { siteRows } from '../../core/options/job-options.ts';
import { factNames } from '../../core/frontier/sitemaps/sitemap-readers.ts';
import { mapPageRows, mapRows } from '../../core/options/map-options.ts';
import type { MapResult } from '../../index.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { csvRow } from '../export/csv.ts';
import { isJsonWanted, writeOutput } from './output.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import { addPageOptions } from './page-options.ts';
import { lineView } from './progress-view.ts';

/** The options of `map()` itself that have a flag. */
const mapFlags = { ...siteRows, ...mapRows };

const outputFlags = {
  json: 'print title, description and source of each link as JSON, and stderr as with --log json',
  output:
    '<file> write to this file instead of stdout: .json as --json, .csv with a row for each link',
  quiet: 'no progress',
} as const;

interface MapValues extends ConnectionValues, FlagValues<typeof outputFlags> {}

/** Adds the command. */
export function addMapCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('map')
    .summary('list the URLs of a site')
    .description('Lists the URLs of a site, one per line, from its sitemaps, feeds and links.')
    .argument('<url>', 'a page of the site')
    .optionsGroup('Output:');
  addFlags(addFlags(command, outputFlags).optionsGroup('Links:'), mapFlags);
  addPageOptions(command, mapPageRows);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: MapValues) => {
    await using client = await openClient(run, values);
    const abort = new AbortController();
    using _ = onInterrupt(() => abort.abort());
    using view = run.log.show(lineView(`map ${url}`));
    const result = await client.map(url, {
      ...flagValues({ ...mapPageRows, ...mapFlags }, values),
      signal: abort.signal,
    });
    view.finish();
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
  const rows = links.map((link) =>
    csvRow([link.url, ...factNames.map((name) => link[name]), link.sources.join(' ')]),
  );
  return csvRow(['url', ...factNames, 'sources']) + rows.join('');
}

const examples = `
Examples:
  pagewright map https://example.com --limit 1000
  pagewright map https://example.com --search 'pricing'
  pagewright map https://example.com --sitemap only --json
  pagewright map https://example.com --include-paths '^/blog/'
`;
