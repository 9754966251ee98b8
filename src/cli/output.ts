/** Output of a command: results to stdout, a file or a folder of documents. */
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { DocumentSink } from '../export/document-sink.ts';
import { harSink } from '../export/har.ts';
import { jsonlSink } from '../export/jsonl.ts';
import { llmsTxtSink } from '../export/llms-txt.ts';
import { markdownFolder } from '../export/markdown-folder.ts';
import { createFile } from '../export/open-file.ts';
import { cannotWrite } from '../export/storage-error.ts';
import { warcSink } from '../export/warc.ts';
import { parquetSink } from '../export/write-parquet.ts';
import type { FormatInput } from '../index.ts';
import type { ReadAsset } from '../options/export-options.ts';
import type { Log } from './log.ts';
import { withoutControls } from './terminal-text.ts';

/** The reader of stdout is gone (`| head`): the command ends without an error. */
export class ClosedOutput extends Error {
  override readonly name = 'ClosedOutput';
}

/** Writes a file, which is complete or as it was, or to stdout for `-` and undefined. Rejects with `STORAGE`. */
export async function writeOutput(path: string | undefined, text: string, log: Log): Promise<void> {
  if (path === undefined || path === '-') return writeToStdout(text, log);
  const file = await createFile(path);
  try {
    await file.write(text);
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** Rejects with `ClosedOutput` if the reader of stdout is gone. */
export async function writeToStdout(text: string, log: Log): Promise<void> {
  const { stdout } = process;
  // The live view is on the same terminal.
  if (stdout.isTTY) log.makeRoom();
  const shown = stdout.isTTY ? withoutControls(text) : text;
  await new Promise<void>((resolve, reject) => {
    stdout.write(shown, (error) => {
      if (!error) resolve();
      else
        reject(
          'code' in error && error.code === 'EPIPE'
            ? new ClosedOutput()
            : cannotWrite('stdout', error),
        );
    });
  });
}

// A file or folder for documents.

/** Options of the output. */
export interface OutputDetails {
  /** Overrides the kind given by the name. */
  readonly outputFormat?: OutputKind | undefined;
  /** Each host has its own folder. */
  readonly byHost: boolean;
  readonly relativeLinks?: boolean | undefined;
  readonly readAsset?: ReadAsset | undefined;
}

/** Opens the output. */
export async function openDocumentOutput(
  path: string,
  { outputFormat, byHost, relativeLinks = false, readAsset }: OutputDetails,
): Promise<DocumentSink> {
  switch (outputKind(path, outputFormat)) {
    case 'markdown':
      return markdownFolder(path, { byHost, relativeLinks, contents: false, readAsset });
    case 'jsonl':
      return jsonlSink(await createFile(path));
    case 'parquet':
      return parquetSink(path);
    case 'warc':
      return warcSink(path, { readAsset });
    case 'har':
      return harSink(path);
    case 'llms':
      return llmsTxtSink(path, { full: true });
  }
}

// The kind of `--output`, by the name of the file or by `--output-format`.

/** The kinds of output. */
const outputKinds = ['markdown', 'jsonl', 'parquet', 'warc', 'har', 'llms'] as const;

/** A kind of output. */
export type OutputKind = (typeof outputKinds)[number];

/** A name without a known ending is a folder for markdown. */
export function outputKind(path: string, given?: OutputKind): OutputKind {
  if (given !== undefined) return given;
  const name = basename(path).toLowerCase();
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (name.endsWith('.parquet')) return 'parquet';
  if (/\.warc(?:\.gz)?$/.test(name)) return 'warc';
  if (name.endsWith('.har')) return 'har';
  return name === 'llms.txt' ? 'llms' : 'markdown';
}

/** The formats if no option names any: the formats that the output needs, or else the formats of the config file. */
export function formatsWhenNone(
  values: {
    readonly output?: string | undefined;
    readonly outputFormat?: OutputKind | undefined;
    readonly jsonl?: string | true | undefined;
  },
  configured: readonly FormatInput[] = ['markdown'],
): readonly FormatInput[] {
  const { output, outputFormat, jsonl } = values;
  if (output === undefined) return configured;
  const kind = outputKind(output, outputFormat);
  if (kind === 'warc') return ['rawHtml'];
  if (kind === 'har') return ['requests'];
  const isMarkdown = kind === 'markdown' || kind === 'llms';
  return isMarkdown && jsonl === undefined ? ['markdown'] : configured;
}

/** Adds the options of every command with such an output. */
export function addOutputKindOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--output-format <kind>', 'format to write, regardless of the file name').choices(
        outputKinds,
      ),
    )
    .option('--relative-links', 'make links between markdown files relative');
}

/** Adds the option of every command that runs a job. */
export function addReportOption(command: Command): Command {
  return command.option(
    '--report <file>',
    'write an HTML report about the job: URLs, failures and reasons, times and sizes',
  );
}
