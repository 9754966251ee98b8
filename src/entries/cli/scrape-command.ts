/** `pagewright scrape <url>`: one page. */
import { writeFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  type Client,
  type Document,
  type FormatInput,
  PagewrightError,
  type ScrapeOptions,
} from '../../index.ts';
import { split } from '../../core/checks/option.ts';
import {
  addPageOptions,
  screenshotFlags,
  browserProblem,
  bytesOf,
  formatFlags,
  isFormat,
  pageOptions,
  type PageValues,
  requestedFormats,
  screenshotProblem,
} from './page-options.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { configuredFormats } from './config-file.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { documentsIn, isFolder, localPath, parseFile } from './local-files.ts';
import {
  formatsWhenNone,
  isJsonWanted,
  openDocumentOutput,
  outputKind,
  writeOutput,
} from './output.ts';
import { lineView } from './progress-view.ts';
import { prefixOption, storeOption, type StoreValues } from './store-options.ts';
import { archiveProblem } from './write-pages.ts';
import { writeAll } from '../export/document-sink.ts';
import { cannotWrite } from '../export/storage-error.ts';

const outputFlags = {
  json: 'print the document as JSON, and stderr as with --log json',
  output:
    '<file> write to this file instead of stdout: .json, .jsonl, .csv, .parquet, .warc[.gz], .har, or text',
  quiet: 'no progress',
  fail: 'exit with code 1 and write nothing if the page answers 4xx or 5xx',
} as const;
const fileFlags = {
  url: '<url> base URL for links; of a folder the URL of the site',
  contentType: '<type> media type (default: by name and content; stdin: text/html)',
} as const;

interface ScrapeValues
  extends
    ConnectionValues,
    PageValues,
    ModelValues,
    StoreValues,
    FlagValues<typeof outputFlags & typeof fileFlags> {}

/** Adds the command. */
export function addScrapeCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('scrape')
    .summary('scrape one page to markdown or JSON')
    .description(
      'Scrapes one page, or reads files. Prints markdown if that is the only format, else the document as JSON.',
    )
    .argument('<url>', 'the page, a file or folder (./a.pdf, file:///…), or - for stdin')
    .optionsGroup('Output:');
  addFlags(addFlags(command, outputFlags).optionsGroup('Reading a file or stdin:'), fileFlags);
  addFlags(command.optionsGroup('Content:'), formatFlags);
  addPageOptions(command);
  addFlags(command.optionsGroup('Content:'), screenshotFlags);
  addModelOptions(command);
  addConnectionOptions(command);
  command
    .optionsGroup('Store:')
    .addOption(storeOption('store for the versions that the format changeTracking compares'))
    .addOption(prefixOption());
  command.addHelpText('after', examples).action(async (url: string, values: ScrapeValues) => {
    const path = await localPath(url);
    const folder = path !== undefined && (await isFolder(path)) ? path : undefined;
    if (values.url !== undefined && url !== '-' && path === undefined) {
      command.error(
        '--url is only for files and - (stdin); pass the page to fetch as the argument',
      );
    }
    const { output } = values;
    const named = output === undefined || output === '-' ? undefined : outputKind(output);
    const configured = configuredFormats(await run.config());
    const whenNone = named === 'markdown' ? configured : formatsWhenNone(values, configured);
    const formats = requestedFormats(split(values, screenshotFlags)[1], whenNone);
    const problem =
      browserProblem(values) ??
      screenshotProblem(values) ??
      archiveProblem(named, formats) ??
      (folder !== undefined && values.screenshot !== undefined
        ? '--screenshot is of one page, and a folder was named'
        : undefined);
    if (problem !== undefined) command.error(problem);
    await using client = await openClient(run, values);
    using view = run.log.show(lineView(`scrape ${url}`));
    const options = {
      ...pageOptions(values),
      formats: requestedFormats(values, whenNone),
    };
    if (folder !== undefined) {
      return run.finish(await scrapeFolder(client, folder, options, values, run));
    }
    const scraped = await scrapeOrParse(client, path ?? url, path, options, values);
    view.finish();
    if (values.fail === true) refuseErrorPage(scraped);
    const document = await writePicture(scraped, values);
    const onlyMarkdown = formats.length === 1 && formats.every((one) => isFormat(one, 'markdown'));
    if (output !== undefined && named !== undefined && !['markdown', 'json'].includes(named)) {
      await writeAll([document], () => openDocumentOutput(output, { byHost: false }, run.log));
    } else if (isJsonWanted(values) || !onlyMarkdown) {
      await writeOutput(output, `${JSON.stringify(document, null, 2)}\n`, run.log);
    } else {
      for (const problem of problems(document)) run.log.warn(problem);
      await writeOutput(output, lineEnded(document.markdown ?? ''), run.log);
    }
    run.finish(ExitCode.success);
  });
}

type AnyDocument = Document<readonly FormatInput[]>;

async function scrapeOrParse(
  client: Client,
  url: string,
  path: string | undefined,
  scrapeOptions: Omit<ScrapeOptions, 'signal'>,
  values: ScrapeValues,
): Promise<AnyDocument> {
  const content = url === '-' ? await buffer(process.stdin) : undefined;
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  const options = { ...scrapeOptions, signal: abort.signal };
  const { contentType, url: base } = values;
  if (content !== undefined) {
    const described = { contentType: contentType ?? 'text/html', url: base };
    return await client.parse(content, { ...options, ...described });
  }
  return path === undefined
    ? await client.scrape(url, options)
    : await parseFile(client, path, { ...options, contentType, url: base });
}

/** Reads the documents in a folder; an unreadable one is reported and does not end the command. */
async function scrapeFolder(
  client: Client,
  folder: string,
  scrapeOptions: Omit<ScrapeOptions, 'signal'>,
  { output = '-', contentType, url: base }: ScrapeValues,
  { log }: CommandRun,
): Promise<number> {
  const { files, others } = await documentsIn(folder);
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  let failed = 0;
  async function* documents(): AsyncGenerator<AnyDocument, void, undefined> {
    for (const file of files) {
      const url = base === undefined ? undefined : urlBelow(base, relative(folder, file));
      const options = { ...scrapeOptions, contentType, url, signal: abort.signal };
      try {
        yield await parseFile(client, file, options);
      } catch (error) {
        if (!(error instanceof PagewrightError) || error.code === 'CANCELLED') throw error;
        failed += 1;
        const { code, message } = error;
        log.info('failed', { file, code, error: message }, `failed: ${code} ${file}: ${message}`);
      }
    }
  }
  const count = await writeAll(documents(), () =>
    openDocumentOutput(output, { byHost: false, below: folder }, log),
  );
  const skipped =
    others === 0 ? '' : `, ${others} other ${others === 1 ? 'file' : 'files'} skipped`;
  const target = output === '-' ? 'stdout' : output;
  const summary = { completed: count, failed, skipped: others, writtenTo: [target] };
  const line = `${count} of ${files.length} documents written to ${target}${skipped}`;
  log.info('summary', summary, line);
  return failed === 0 ? ExitCode.success : ExitCode.failedPages;
}

/** The URL of a file of a site that was copied to a folder. */
function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}/${path.split(sep).map(encodeURIComponent).join('/')}`;
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

/** Texts for stderr: in JSON they are fields of the document, markdown cannot hold them. */
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
  pagewright scrape ./report.pdf
  pagewright scrape ./site/ --url https://example.com --output markdown
  curl -s https://example.com | pagewright scrape - --url https://example.com
`;
