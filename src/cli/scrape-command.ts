/** `pagewright scrape <url>`: one page. */
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  type Client,
  type Document,
  type FormatInput,
  PagewrightError,
  type ScrapeOptions,
} from '../index.ts';
import {
  addBrowserOptions,
  addContentOptions,
  addScreenshotOptions,
  addShareLinksOption,
  browserOptions,
  browserProblem,
  type BrowserValues,
  bytesOf,
  contentOptions,
  type ContentValues,
  requestedFormats,
  screenshotProblem,
} from './page-options.ts';
import {
  addConnectionOptions,
  addRequestOptions,
  type ConnectionValues,
  openClient,
  requestOptions,
  type RequestValues,
} from './connection-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { writeOutput } from './output.ts';
import { lineView } from './progress-view.ts';
import { prefixOption, storeOption, type StoreValues } from './store-options.ts';
import { cannotWrite } from '../export/storage-error.ts';

interface ScrapeValues
  extends ConnectionValues, RequestValues, BrowserValues, ContentValues, ModelValues, StoreValues {
  readonly json?: true;
  readonly output?: string;
  readonly url?: string;
  readonly contentType: string;
  readonly fail?: true;
}

/** Adds the command. */
export function addScrapeCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('scrape')
    .summary('scrape one page to markdown or JSON')
    .description(
      'Scrapes one page. Prints markdown if that is the only format, else the document as JSON.',
    )
    .argument('<url>', 'the page, or - for stdin')
    .optionsGroup('Output:')
    .option('--json', 'print the document as JSON, and stderr as with --log json')
    .option('--output <file>', 'write to this file instead of stdout')
    .option('--quiet', 'no progress')
    .option('--fail', 'exit with code 1 and write nothing if the page answers 4xx or 5xx')
    .optionsGroup('Reading from stdin:')
    .option('--url <url>', 'base URL for the links of the page')
    .option('--content-type <type>', 'media type of the page', 'text/html');
  addContentOptions(command);
  addShareLinksOption(command);
  addScreenshotOptions(command);
  addModelOptions(command);
  addRequestOptions(command);
  addBrowserOptions(command);
  addConnectionOptions(command);
  command
    .optionsGroup('Store:')
    .addOption(storeOption('store for the versions that the format changeTracking compares'))
    .addOption(prefixOption());
  command.addHelpText('after', examples).action(async (url: string, values: ScrapeValues) => {
    if (url !== '-' && values.url !== undefined) {
      command.error('--url is only for - (stdin); pass the page to fetch as the argument');
    }
    const problem = browserProblem(values) ?? screenshotProblem(values);
    if (problem !== undefined) command.error(problem);
    const config = await run.config();
    const whenNone = configuredFormats(config);
    await using client = await openClient(run, values);
    using shown = run.log.show(lineView(`scrape ${url}`));
    const options = {
      ...contentOptions(values, whenNone),
      ...requestOptions(values),
      ...browserOptions(values),
    };
    const scraped = await scrapeOrParse(client, url, options, values);
    shown.finish();
    if (values.fail === true) refuseErrorPage(scraped);
    const document = await writePicture(scraped, values);
    const formats = requestedFormats({ ...values, screenshot: undefined }, whenNone);
    const onlyMarkdown = formats.length === 1 && formats[0] === 'markdown';
    if (values.json === true || !onlyMarkdown) {
      await writeOutput(values.output, `${JSON.stringify(document, null, 2)}\n`, run.log);
    } else {
      for (const problem of problems(document)) run.log.warn(problem);
      await writeOutput(values.output, lineEnded(document.markdown ?? ''), run.log);
    }
    run.finish(ExitCode.success);
  });
}

type AnyDocument = Document<readonly FormatInput[]>;

async function scrapeOrParse(
  client: Client,
  url: string,
  scrapeOptions: Omit<ScrapeOptions, 'signal'>,
  values: ScrapeValues,
): Promise<AnyDocument> {
  const content = url === '-' ? await buffer(process.stdin) : undefined;
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  const options = { ...scrapeOptions, signal: abort.signal };
  return content === undefined
    ? await client.scrape(url, options)
    : await client.parse(content, { ...options, contentType: values.contentType, url: values.url });
}

/** Throws `HTTP_STATUS` for an error page. */
function refuseErrorPage({ metadata }: AnyDocument): void {
  const { statusCode, sourceURL: url, error } = metadata;
  if (statusCode < 400) return;
  const message = `${url} answered ${error ?? statusCode}. Without --fail the page is written anyway.`;
  throw new PagewrightError('HTTP_STATUS', message, { url, statusCode });
}

/** Writes the screenshot to its file, and puts the file name into the document. */
async function writePicture(
  document: AnyDocument,
  { screenshot: file }: ScrapeValues,
): Promise<AnyDocument> {
  const { screenshot } = document;
  if (file === undefined || screenshot === undefined) return document;
  const bytes = bytesOf(screenshot);
  if (bytes === undefined) {
    const message = `--screenshot: ${file} was not written, as the assets of the config file put the picture elsewhere: ${JSON.stringify(screenshot)}. Leave --screenshot out, or add --no-config.`;
    throw new PagewrightError('STORAGE', message);
  }
  try {
    await writeFile(file, bytes);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  return { ...document, screenshot: file };
}

/** Texts for stderr: in JSON they are fields of the document, markdown has no place for them. */
function problems({ warning, metadata }: AnyDocument): string[] {
  return [metadata.error, warning].filter((text) => text !== undefined);
}

function lineEnded(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const examples = `
Examples:
  pagewright scrape https://example.com
  pagewright scrape https://example.com --formats markdown,links --output page.json
  pagewright scrape https://example.com/lamp --schema product.json
  pagewright scrape https://example.com --screenshot page.png --full-page --mobile
  pagewright scrape https://example.com --actions '[{"type":"click","selector":"#more"}]'
  curl -s https://example.com | pagewright scrape - --url https://example.com
`;
