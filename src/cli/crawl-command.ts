/** `pagewright crawl <url>`: the pages of a site. */
import type { Command } from 'commander';
import { ExitCode } from './command-errors.ts';
import {
  addBrowserOptions,
  addContentOptions,
  addScreenshotsOptions,
  browserOptions,
  type BrowserValues,
  contentOptions,
  type ContentValues,
} from './page-options.ts';
import {
  addConnectionOptions,
  addRequestOptions,
  type ConnectionValues,
  openClient,
  requestOptions,
  type RequestValues,
} from './connection-options.ts';
import { addFleetOptions, fleetClientOptions, type FleetValues } from './fleet-options.ts';
import { addFrontierOptions, frontierOptions, type FrontierValues } from './frontier-options.ts';
import { addOutputKindOptions, formatWhenNone, writeOutput } from './output.ts';
import { finishWebhook, outputProblem, type PageOutput, writePages } from './write-pages.ts';

interface CrawlValues
  extends
    ConnectionValues,
    RequestValues,
    BrowserValues,
    ContentValues,
    FrontierValues,
    FleetValues,
    PageOutput {
  /** The workers run the crawl. */
  readonly detach?: true;
  /** The URL that receives the events of the crawl. */
  readonly webhook?: string;
}

/** Adds the command. */
export function addCrawlCommand(program: Command, finish: (exitCode: number) => void): void {
  const command: Command = program
    .command('crawl')
    .description('The pages of a site, as a folder of markdown files or as lines of JSON.')
    .usage('[options] <url>')
    .argument('[url]', 'the page to start with; pages below it are taken')
    .optionsGroup('Output:')
    .option(
      '--output <place>',
      'a folder for markdown files, or a file: .jsonl, .parquet, .warc, .warc.gz, llms.txt',
    )
    .option(
      '--jsonl [file]',
      'a line of JSON for each page, to stdout when no file is named (default)',
    )
    .option('--json', 'summary and errors on stderr as lines of JSON, no progress')
    .option('--quiet', 'no progress and no summary')
    .option('--strict', 'exit code 3 when pages failed (default)')
    .option('--no-strict', 'exit code 0 although pages failed')
    .option('--webhook <url>', 'send an event here for the start, each page and the end');
  addOutputKindOptions(command);
  addFrontierOptions(command);
  addContentOptions(command);
  addScreenshotsOptions(command);
  addRequestOptions(command);
  addBrowserOptions(command);
  addConnectionOptions(command);
  addFleetOptions(command).option(
    '--detach',
    'leave the whole crawl to the workers, and print its id: client.follow(id) reads it',
  );
  command
    .addHelpText('after', examples)
    .action(async (argument: string | undefined, given: CrawlValues) => {
      const { url, values } = withUrl(argument, given);
      if (url === undefined) command.error("missing required argument 'url'");
      const problem = detachProblem(values) ?? outputProblem(values);
      if (problem !== undefined) command.error(problem);
      const told: string[] = [];
      await using client = openClient(values, told, await fleetClientOptions(values));
      const options = {
        ...frontierOptions(values),
        scrapeOptions: {
          ...contentOptions(values, formatWhenNone(values)),
          ...requestOptions(values),
          ...browserOptions(values),
        },
        webhook: values.webhook,
      };
      if (values.detach === true) {
        await writeOutput(undefined, `${await client.submit(url, options)}\n`);
        return finish(ExitCode.success);
      }
      const job = client.crawl(url, options);
      const exitCode = await writePages(job, { ...values, told });
      await finishWebhook(job, values);
      finish(exitCode);
    });
}

/** A crawl that is handed over has no output here. */
function detachProblem({ detach, fleet, output, jsonl }: CrawlValues): string | undefined {
  if (detach !== true) return undefined;
  if (fleet === undefined) return '--detach needs --fleet <url>';
  return output === undefined && jsonl === undefined
    ? undefined
    : '--detach prints the id of the crawl and writes no pages: leave out --output and --jsonl';
}

/** `crawl --jsonl https://…`: the URL is the page, not the file. */
function withUrl(
  argument: string | undefined,
  values: CrawlValues,
): { url: string | undefined; values: CrawlValues } {
  return argument === undefined && typeof values.jsonl === 'string'
    ? { url: values.jsonl, values: { ...values, jsonl: true } }
    : { url: argument, values };
}

const examples = `
--output docs:  a markdown file for each page, with a YAML head: /docs/ is docs/index.md, /docs/a.html is docs/a.md; with --allow-subdomains or
--allow-external-links each host has a folder of its own. Files of an earlier crawl are overwritten.

Examples:
  pagewright crawl https://example.com/docs/ --output docs --limit 200
  pagewright crawl https://example.com --jsonl pages.jsonl --formats markdown,links
  pagewright crawl https://example.com | jq -r .metadata.title
  pagewright crawl https://example.com/blog --exclude-paths '/tag/' --delay 1 --no-strict
  pagewright crawl https://example.com --output docs --fleet redis://10.0.0.5:6379
  pagewright crawl https://example.com --fleet redis://10.0.0.5:6379 --detach
`;
