/** `pagewright export <from> <to>`: documents of an earlier crawl in another form. */
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Documents, writeAll } from '../export/document-sink.ts';
import { readJsonl } from '../export/jsonl.ts';
import { readMarkdownFolder } from '../export/markdown-folder.ts';
import { cannotRead } from '../export/storage-error.ts';
import { createClient, PagewrightError, type PlainDocument } from '../../index.ts';
import { openDocumentOutput, outputKind, outputKindFlags, stdoutProblem } from './output.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { documentFilterRows, documentTest, fitting } from '../../core/options/document-filter.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import { prefixOption, storeOption, storeOptions, type StoreValues } from './store-options.ts';

const skipFlag = {
  skipDamaged: 'with lines of JSON: skip those that are not documents',
} as const;
const outputFlags = {
  quiet: 'print nothing',
  json: 'same as --log json',
  ...outputKindFlags,
  byHost: 'one folder of markdown files per host',
} as const;

interface ExportValues
  extends
    Pick<StoreValues, 'store' | 'prefix'>,
    FlagValues<typeof skipFlag & typeof documentFilterRows & typeof outputFlags> {}

/** Adds the command. */
export function addExportCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('export')
    .summary('convert documents to another format')
    .description(
      'Converts documents from lines of JSON, a folder of markdown files, or a job to another format.',
    )
    .argument(
      '<from>',
      'file with lines of JSON, folder of markdown files, or with --store the id of a job',
    )
    .argument(
      '<to>',
      'folder, or file: .jsonl, .json, .csv, .parquet, .warc, .warc.gz, .har, llms.txt',
    );
  addFlags(command, skipFlag)
    .addOption(storeOption('the store of the job, and of its assets, to write them too'))
    .addOption(prefixOption());
  addFlags(command.optionsGroup('Documents:'), documentFilterRows).optionsGroup('Output:');
  addFlags(command, outputFlags);
  command
    .addHelpText('after', exportExamples)
    .action(async (from: string, to: string, values: ExportValues) => {
      const { outputFormat, relativeLinks, byHost = false, skipDamaged = false } = values;
      const isMarkdown = outputKind(to, outputFormat) === 'markdown';
      if (!isMarkdown && (relativeLinks === false || byHost)) {
        command.error('--no-relative-links and --by-host need a folder of markdown files as <to>');
      }
      const noStdout = stdoutProblem(to, outputKind(to, outputFormat));
      if (noStdout !== undefined) command.error(noStdout);
      const isJob = jobId.test(from);
      if (isJob && values.store === undefined)
        command.error(`job ${from}: --store says where it is`);
      const isFolder = !isJob && (await isFolderAt(from));
      if ((isFolder || isJob) && skipDamaged) {
        command.error(
          `--skip-damaged is for lines of JSON, and <from> is a ${isJob ? 'job' : 'folder'}`,
        );
      }
      const filter = flagValues(documentFilterRows, values);
      const abort = new AbortController();
      await using client = createClient({ browser: false, ...storeOptions(values) });
      using _ = onInterrupt(() => {
        abort.abort();
        // A job that another process runs may have no next document.
        if (isJob) void client.close();
      });
      if (isJob) {
        const found = (await client.jobs.list()).find(({ id }) => id === from);
        if (found?.status === 'scraping' && !found.isRunning) {
          command.error(
            `job ${from} was interrupted: end it with pagewright resume, and export then`,
          );
        }
      }
      const read = (): Documents =>
        isFolder ? readMarkdownFolder(from) : readJsonl(from, { skipDamaged });
      const documents: Documents = isJob
        ? (client.jobs.follow(from).documents(filter) as Documents)
        : fitting(read(), documentTest('export', filter));
      const readAsset = values.store === undefined ? undefined : client.readAsset.bind(client);
      const count = await writeAll(untilAborted(abort.signal, documents), () =>
        openDocumentOutput(to, { outputFormat, relativeLinks, byHost, readAsset }, run.log),
      );
      const pages = `${count} ${count === 1 ? 'page' : 'pages'}`;
      run.log.info('exported', { pages: count, to }, `${pages} written to ${to}`);
      run.finish(ExitCode.success);
    });
}

const jobId = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

async function isFolderAt(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  return found.isDirectory();
}

async function* untilAborted(
  signal: AbortSignal,
  documents: Documents,
): AsyncGenerator<PlainDocument, void, undefined> {
  for await (const document of documents) {
    if (signal.aborted) throw new PagewrightError('CANCELLED', 'Interrupted.');
    yield document;
  }
}

const exportExamples = `
Examples:
  pagewright export pages.jsonl docs
  pagewright export pages.jsonl pages.csv
  pagewright export pages.jsonl pages.parquet
  pagewright export docs llms.txt
  pagewright export pages.jsonl failed.csv --status 4xx,5xx
  pagewright export 0d9c… products.parquet --store jobs.sqlite --label product --since 2026-11-30
`;
