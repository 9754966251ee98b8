/** `pagewright crawl <url>`: the pages of a site. */
import type { Command } from 'commander';
import type { CrawlJob } from '../../index.ts';
import { ExitCode } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import {
  addPageOptions,
  crawlPageRows,
  formatFlags,
  pageOptions,
  type PageValues,
  requestedFormats,
  screenshotsFlags,
} from './page-options.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { addFleetOptions, fleetClientOptions, type FleetValues } from './fleet-options.ts';
import {
  addFrontierOptions,
  frontierOptions,
  frontierProblem,
  type FrontierValues,
} from './frontier-options.ts';
import { localPath } from './local-files.ts';
import type { Log } from './log.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { formatsWhenNone, writeOutput } from './output.ts';
import { addStoreOptions, isStored, type StoreValues } from './store-options.ts';
import {
  addPageOutputOptions,
  finishWebhook,
  outputProblem,
  type PageOutput,
  writePages,
} from './write-pages.ts';

const outputFlags = {
  strict: 'exit with code 3 if pages failed (default) / exit with code 0 even if pages failed',
  webhook: '<url> send an event to this URL for the start, each page and the end',
} as const;
const sinceFlags = {
  since: '<job> recrawl: reuse pages that have not changed since that crawl',
  changes: '<file> with --since: write new, changed and removed URLs as JSON',
} as const;
const detachFlag = {
  detach: 'hand the crawl over to the workers and print its id, for client.jobs.follow(id)',
} as const;

interface CrawlValues
  extends
    ConnectionValues,
    PageValues,
    FrontierValues,
    FleetValues,
    ModelValues,
    StoreValues,
    PageOutput,
    FlagValues<typeof outputFlags & typeof sinceFlags & typeof detachFlag> {}

/** Adds the command. */
export function addCrawlCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('crawl')
    .summary('the pages of a site')
    .description('Crawls a site to a folder of markdown files or to lines of JSON.')
    .usage('[options] <url>')
    .argument('[url]', 'the start page; the crawl visits pages below it');
  addFrontierOptions(addPageOutputOptions(command, outputFlags));
  addFlags(command.optionsGroup('Content:'), formatFlags);
  addPageOptions(command, crawlPageRows);
  addFlags(command.optionsGroup('Content:'), screenshotsFlags);
  addModelOptions(command);
  addConnectionOptions(command);
  addFlags(addStoreOptions(command), sinceFlags);
  addFlags(addFleetOptions(command), detachFlag);
  command
    .addHelpText('after', examples)
    .action(async (argument: string | undefined, given: CrawlValues) => {
      const { url, values } = withUrl(argument, given);
      if (url === undefined) command.error("missing required argument 'url'");
      if ((await localPath(url)) !== undefined) {
        command.error(
          `crawl follows the links of a site; files are read by: pagewright scrape ${url}`,
        );
      }
      const config = await run.config();
      const whenNone = formatsWhenNone(values, configuredFormats(config));
      const lasts = isStored(values, config);
      const problem =
        frontierProblem(values) ??
        detachProblem(values) ??
        sinceProblem(values, lasts) ??
        outputProblem(values, whenNone, lasts);
      if (problem !== undefined) command.error(problem);
      await using client = await openClient(run, values, await fleetClientOptions(values));
      const readLater =
        values.fleet ?? config.fleet ?? values.webhook ?? config.defaults?.crawl?.webhook;
      const options = {
        ...frontierOptions(values),
        scrapeOptions: { ...pageOptions(values), formats: requestedFormats(values, whenNone) },
        since: values.since,
        webhook: values.webhook,
        // Without a store, workers and a webhook, each page is written once and not read again.
        ...(lasts || readLater !== undefined ? {} : { keepDocuments: false }),
      };
      if (values.detach === true) {
        await writeOutput(undefined, `${await client.submit(url, options)}\n`, run.log);
        return run.finish(ExitCode.success);
      }
      if (values.fleet !== undefined && !lasts) {
        run.log.warn(
          'Without --store this crawl cannot be resumed: Ctrl-C ends it for good. --store with the Redis of --fleet changes that.',
        );
      }
      const job = client.crawl(url, options);
      const view = { verb: 'crawl', limit: values.limit ?? config.defaults?.crawl?.limit };
      const leave = lasts ? () => client.close() : undefined;
      const exitCode = await writePages({ job, client, view, leave }, values, run);
      if (values.since !== undefined) await reportChanges(job, values, run.log);
      await finishWebhook(job, run.log);
      run.finish(exitCode);
    });
}

/** Reports the changes since the earlier crawl, and writes them to a file where one is named. */
async function reportChanges(
  job: CrawlJob<unknown>,
  { since, changes: file }: CrawlValues,
  log: Log,
): Promise<void> {
  // The documents are already written.
  const { changes } = await job.status({ skip: job.progress.completed });
  if (changes === undefined) return;
  const { same, ...others } = changes;
  const kinds = Object.entries(others);
  const counts = [...kinds, ['same', same] as const].map(
    ([kind, urls]) => `${urls.length} ${kind}`,
  );
  log.info(
    'changes',
    changes,
    ...kinds.flatMap(([kind, urls]) => [
      ...urls.slice(0, mostChanges).map((url) => `${kind}: ${url}`),
      ...(urls.length > mostChanges ? [`${kind}: ${urls.length - mostChanges} more`] : []),
    ]),
    `since ${since}: ${counts.join(', ')}`,
  );
  if (file !== undefined) await writeOutput(file, `${JSON.stringify(changes, null, 2)}\n`, log);
}

const mostChanges = 50; // URLs of each kind of change that have a line of text

function sinceProblem({ since, changes }: CrawlValues, lasts: boolean): string | undefined {
  if (since === undefined) {
    return changes === undefined
      ? undefined
      : '--changes needs --since, the id of an earlier crawl';
  }
  return lasts ? undefined : '--since needs --store, the store of that crawl';
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
--output out: a markdown file for each page, with YAML front matter. The page /docs/ is written to
out/docs/index.md, /docs/a.html to out/docs/a.md; with --allow-subdomains or
--allow-external-links each host has a folder of its own. Files of an earlier crawl are overwritten.

Examples:
  pagewright crawl https://example.com/docs/ --output docs --limit 200
  pagewright crawl https://example.com --jsonl pages.jsonl --formats markdown,links
  pagewright crawl https://example.com | jq -r .metadata.title
  pagewright crawl https://example.com --best-first 'shipping costs to Norway' --until-answered
  pagewright crawl https://example.com/blog --exclude-paths '/tag/' --delay 1 --no-strict
  pagewright crawl https://example.com --output docs --store jobs.sqlite
  pagewright crawl https://example.com --output docs --store jobs.sqlite --since <job>
  pagewright crawl https://example.com --output docs --fleet redis://10.0.0.5:6379
  pagewright crawl https://example.com --fleet redis://10.0.0.5:6379 --detach
`;
