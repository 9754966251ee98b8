/** `pagewright batch <url…>`: the pages of a list. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Budget, type ErrorPages, PagewrightError } from '../index.ts';
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
import { addOutputKindOptions, formatWhenNone, writeNotice } from './output.ts';
import { errorPagesOption } from './frontier-options.ts';
import { namedNumbers, numberValue } from './option-values.ts';
import { finishWebhook, outputProblem, type PageOutput, writePages } from './write-pages.ts';
import { canParseUrl } from '../url/normalize-url.ts';

interface BatchValues
  extends ConnectionValues, RequestValues, BrowserValues, ContentValues, PageOutput {
  readonly file?: string;
  readonly maxConcurrency?: number;
  readonly errorPages?: ErrorPages;
  readonly budget?: Budget;
  /** The URL that receives the events of the batch. */
  readonly webhook?: string;
}

/** Adds the command. */
export function addBatchCommand(program: Command, finish: (exitCode: number) => void): void {
  const command: Command = program
    .command('batch')
    .description('The pages of a list of URLs, in its order, as markdown files or lines of JSON.')
    .argument('[urls...]', 'the pages')
    .optionsGroup('Input:')
    .option('--file <file>', 'URLs from a file, one a line, or from stdin with -; # is a comment')
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
    .option('--strict', 'exit code 2, and nothing fetched, for what is no URL')
    .option('--no-strict', 'exit code 0 although pages failed')
    .option('--webhook <url>', 'send an event here for the start, each page and the end')
    .addOption(errorPagesOption())
    .optionsGroup('Pace:')
    .option('--max-concurrency <count>', 'pages fetched at the same time (default: 8)', numberValue)
    .option(
      '--budget <name=number,…>',
      'end when used up: seconds, requests, bytes, credits',
      namedNumbers,
    );
  addOutputKindOptions(command.optionsGroup('Output:'));
  addContentOptions(command);
  addScreenshotsOptions(command);
  addRequestOptions(command);
  addBrowserOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (given: string[], values: BatchValues) => {
    const problem = outputProblem(values);
    if (problem !== undefined) command.error(problem);
    if (given.length === 0 && values.file === undefined) {
      command.error("missing required argument 'urls', or --file");
    }
    const urls = [...given, ...(await listedUrls(values.file))];
    const told: string[] = [];
    await using client = openClient(values, told);
    const job = client.batchScrape(urls, {
      ...contentOptions(values, formatWhenNone(values)),
      ...requestOptions(values),
      ...browserOptions(values),
      maxConcurrency: values.maxConcurrency,
      budget: values.budget,
      ignoreInvalidURLs: values.strict !== true,
      errorPages: values.errorPages,
      webhook: values.webhook,
    });
    if (values.quiet !== true) job.invalidURLs.forEach((url) => tellInvalid(url, values.json));
    // Pages of many hosts may have the same path.
    const byHost = hasManyHosts(urls) ? ({ allowExternalLinks: true } as const) : {};
    const exitCode = await writePages(job, { ...values, ...byHost, told });
    await finishWebhook(job, values);
    finish(exitCode);
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

function tellInvalid(url: string, asJson: true | undefined): void {
  writeNotice(
    asJson === true ? JSON.stringify({ invalidURL: url }) : `warning: ${url} is not a URL`,
  );
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
