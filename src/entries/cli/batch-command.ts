/** `pagewright batch <url…>`: the pages of a list. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { batchRows } from '../../core/options/batch-options.ts';
import { jobRows } from '../../core/options/job-options.ts';
import { PagewrightError } from '../../index.ts';
import {
  addPageOptions,
  formatFlags,
  pageOptions,
  type PageValues,
  requestedFormats,
  screenshotsFlags,
} from './page-options.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import type { Log } from './log.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { formatsWhenNone } from './output.ts';
import { addStoreOptions, isStored, type StoreValues } from './store-options.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import {
  addPageOutputOptions,
  finishWebhook,
  outputProblem,
  type PageOutput,
  writePages,
} from './write-pages.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';

/** The options of the job. */
const batchFlags = { ...batchRows, ...jobRows };
const { errorPages, ...paceOfJob } = jobRows;

const inputFlags = {
  file: '<file> file with one URL per line, or - for stdin; # starts a comment',
} as const;
const outputFlags = {
  strict:
    'exit with code 2 and fetch nothing if an entry is not a URL / exit with code 0 even if pages failed',
  webhook: '<url> send an event to this URL for the start, each page and the end',
} as const;

interface BatchValues
  extends
    ConnectionValues,
    PageValues,
    ModelValues,
    StoreValues,
    PageOutput,
    FlagValues<typeof inputFlags & typeof outputFlags> {}

/** Adds the command. */
export function addBatchCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('batch')
    .summary('scrape a list of URLs')
    .description('Scrapes a list of URLs, in order, to markdown files or lines of JSON.')
    .argument('[urls...]', 'the pages')
    .optionsGroup('Input:');
  addPageOutputOptions(addFlags(command, inputFlags), { ...outputFlags, errorPages });
  addFlags(command.optionsGroup('Pace:'), { ...batchRows, ...paceOfJob });
  addFlags(command.optionsGroup('Content:'), formatFlags);
  addPageOptions(command);
  addFlags(command.optionsGroup('Content:'), screenshotsFlags);
  addModelOptions(command);
  addConnectionOptions(command);
  addStoreOptions(command);
  command.addHelpText('after', examples).action(async (given: string[], values: BatchValues) => {
    const config = await run.config();
    const whenNone = formatsWhenNone(values, configuredFormats(config));
    const lasts = isStored(values, config);
    const problem = outputProblem(values, whenNone, lasts);
    if (problem !== undefined) command.error(problem);
    if (given.length === 0 && values.file === undefined) {
      command.error("missing required argument 'urls', or --file");
    }
    const urls = [...given, ...(await listedUrls(values.file))];
    await using client = await openClient(run, values);
    const readLater = config.fleet ?? values.webhook ?? config.defaults?.batchScrape?.webhook;
    const options = {
      ...pageOptions(values),
      formats: requestedFormats(values, whenNone),
      ...flagValues(batchFlags, values),
      ignoreInvalidURLs: values.strict !== true,
      webhook: values.webhook,
      // Without a store, workers and a webhook, each page is written once and not read again.
      ...(lasts || readLater !== undefined ? {} : { keepDocuments: false }),
    };
    const job = client.batchScrape(urls, options);
    job.invalidURLs.forEach((url) => reportInvalid(url, run.log));
    // Pages of many hosts may have the same path.
    const byHost = hasManyHosts(urls) ? ({ allowExternalLinks: true } as const) : {};
    const view = { verb: 'batch', isList: true };
    const leave = lasts ? () => client.close() : undefined;
    const exitCode = await writePages({ job, client, view, leave }, { ...values, ...byHost }, run);
    await finishWebhook(job, run.log);
    run.finish(exitCode);
  });
}

async function listedUrls(file: string | undefined): Promise<string[]> {
  if (file === undefined) return [];
  const lines = (file === '-' ? await text(process.stdin) : await readList(file)).split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

async function readList(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const message = `--file: ${file} cannot be read (${reason}).`;
    throw new PagewrightError('BAD_REQUEST', message, { cause: error });
  }
}

function reportInvalid(url: string, log: Log): void {
  log.info('invalidURL', url, `warning: ${url} is not a URL`);
}

function hasManyHosts(urls: readonly string[]): boolean {
  const hosts = urls.map((url) => {
    const absolute = url.includes('://') ? url : `http://${url}`;
    return canParseUrl(absolute) ? new URL(absolute).host : '';
  });
  return new Set(hosts).size > 1;
}

const examples = `
Examples:
  pagewright batch https://example.com/a https://example.com/b --output pages
  pagewright map https://example.com | grep /blog/ | pagewright batch --file - --jsonl blog.jsonl
  pagewright batch --file urls.txt --formats markdown,links --max-concurrency 16
`;
