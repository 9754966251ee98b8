/** `pagewright scrape <url>`: one page. */
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type Client, type Document, type FormatInput, PagewrightError } from '../index.ts';
import {
  addBrowserOptions,
  addContentOptions,
  addScreenshotOptions,
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
import { writeNotice, writeOutput } from './output.ts';
import { cannotWrite } from '../export/storage-error.ts';

interface ScrapeValues extends ConnectionValues, RequestValues, BrowserValues, ContentValues {
  readonly output?: string;
  readonly url?: string;
  readonly contentType: string;
  readonly fail?: true;
}

/** Adds the command. */
export function addScrapeCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('scrape')
    .description('One page: markdown when that is the only format, else the document as JSON.')
    .argument('<url>', 'the page, or - to read it from stdin')
    .optionsGroup('Output:')
    .option('--json', 'the document as JSON; errors on stderr as a line of JSON')
    .option('--output <file>', 'write there instead of stdout')
    .option('--fail', 'exit code 1 and no output when the page answers 4xx or 5xx')
    .optionsGroup('Reading from stdin:')
    .option('--url <url>', 'what the links of the page are relative to')
    .option('--content-type <type>', 'what the page is', 'text/html');
  addContentOptions(command);
  addScreenshotOptions(command);
  addRequestOptions(command);
  addBrowserOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: ScrapeValues) => {
    if (url !== '-' && values.url !== undefined) {
      command.error('--url belongs to - as the page; a page to fetch is the argument itself');
    }
    const problem = browserProblem(values) ?? screenshotProblem(values);
    if (problem !== undefined) command.error(problem);
    await using client = openClient(values);
    const scraped = await scrapeOrParse(client, url, values);
    if (values.fail === true) refuseErrorPage(scraped);
    const document = await writePicture(scraped, values);
    const formats = requestedFormats({ ...values, screenshot: undefined });
    const onlyMarkdown = formats.length === 1 && formats[0] === 'markdown';
    if (values.json === true || !onlyMarkdown) {
      await writeOutput(values.output, `${JSON.stringify(document, null, 2)}\n`);
    } else {
      for (const problem of problems(document)) writeNotice(`warning: ${problem}`);
      await writeOutput(values.output, lineEnded(document.markdown ?? ''));
    }
    finish(ExitCode.success);
  });
}

type AnyDocument = Document<readonly FormatInput[]>;

async function scrapeOrParse(
  client: Client,
  url: string,
  values: ScrapeValues,
): Promise<AnyDocument> {
  const content = url === '-' ? await buffer(process.stdin) : undefined;
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  const options = {
    ...contentOptions(values),
    ...requestOptions(values),
    ...browserOptions(values),
    signal: abort.signal,
  };
  return content === undefined
    ? await client.scrape(url, options)
    : await client.parse(content, { ...options, contentType: values.contentType, url: values.url });
}

/** Throws `HTTP_STATUS` for an error page. */
function refuseErrorPage({ metadata }: AnyDocument): void {
  const { statusCode, sourceURL: url, error } = metadata;
  if (statusCode < 400) return;
  const message = `${url} answered ${error ?? statusCode}. Without --fail the page is written all the same.`;
  throw new PagewrightError('HTTP_STATUS', message, { url, statusCode });
}

/** Writes the screenshot to its file, and puts the file name into the document. */
async function writePicture(
  document: AnyDocument,
  { screenshot: file }: ScrapeValues,
): Promise<AnyDocument> {
  if (file === undefined || document.screenshot === undefined) return document;
  try {
    await writeFile(file, bytesOf(document.screenshot));
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
