/** Output of a command: results to stdout, a file or a folder of documents. */
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { csvSink } from '../export/csv.ts';
import type { DocumentSink } from '../export/document-sink.ts';
import { harSink } from '../export/har.ts';
import { jsonArraySink, jsonlSink } from '../export/jsonl.ts';
import { llmsTxtSink } from '../export/llms-txt.ts';
import { markdownFolder } from '../export/markdown-folder.ts';
import { createFile, type OpenFile } from '../export/open-file.ts';
import { cannotWrite } from '../export/storage-error.ts';
import { warcSink } from '../export/warc.ts';
import { parquetSink } from '../export/write-parquet.ts';
import type { FormatInput } from '../../index.ts';
import { choice, option } from '../../core/checks/option.ts';
import type { ReadAsset } from '../../core/options/export-options.ts';
import type { Log } from './log.ts';
import { withoutControls } from './terminal-text.ts';

/** The reader of stdout has closed it (`| head`): the command ends without an error. */
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
  const visible = stdout.isTTY ? withoutControls(text) : text;
  await new Promise<void>((resolve, reject) => {
    stdout.write(visible, (error) => {
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
  /** The folder of local files: pages are named by the path in it. */
  readonly below?: string;
  readonly readAsset?: ReadAsset | undefined;
}

/** Opens the output. */
export async function openDocumentOutput(
  path: string,
  { outputFormat, byHost, relativeLinks = true, below, readAsset }: OutputDetails,
  log: Log,
): Promise<DocumentSink> {
  switch (outputKind(path, outputFormat)) {
    case 'markdown':
      return markdownFolder(
        path,
        { byHost, relativeLinks, contents: false, readAsset },
        below === undefined ? '/' : pathToFileURL(resolve(below, '_')).pathname.slice(0, -1),
      );
    case 'jsonl':
      return jsonlSink(await openOutput(path, log));
    case 'json':
      return jsonArraySink(await openOutput(path, log));
    case 'csv':
      return csvSink(await openOutput(path, log));
    case 'parquet':
      return parquetSink(path);
    case 'warc':
      return warcSink(path, { readAsset });
    case 'har':
      return harSink(path);
    case 'llms':
      return llmsTxtSink(path, { title: undefined, description: undefined, full: true });
  }
}

async function openOutput(path: string, log: Log): Promise<OpenFile> {
  return path === '-' ? openStdout(log) : createFile(path);
}

/** Stdout as a file: written data stays. */
export function openStdout(log: Log): OpenFile {
  return {
    write: (text) => writeToStdout(String(text), log),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  };
}

// The kind of `--output`, by the name of the file or by `--output-format`.

/** The kinds of output. */
const outputKinds = ['markdown', 'jsonl', 'json', 'csv', 'parquet', 'warc', 'har', 'llms'] as const;

/** A kind of output. */
export type OutputKind = (typeof outputKinds)[number];

/** A name without a known ending is a folder for markdown; `-` is stdout, for lines of JSON. */
export function outputKind(path: string, given?: OutputKind): OutputKind {
  if (given !== undefined) return given;
  if (path === '-') return 'jsonl';
  const name = basename(path).toLowerCase();
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (name.endsWith('.json')) return 'json';
  if (name.endsWith('.csv')) return 'csv';
  if (name.endsWith('.parquet')) return 'parquet';
  if (/\.warc(?:\.gz)?$/.test(name)) return 'warc';
  if (name.endsWith('.har')) return 'har';
  return name === 'llms.txt' ? 'llms' : 'markdown';
}

/** Most kinds are files of bytes, or more than one file. */
export function stdoutProblem(
  output: string | undefined,
  kind: OutputKind | undefined,
): string | undefined {
  return output === '-' && !['jsonl', 'json', 'csv'].includes(kind ?? '')
    ? '--output - is stdout, for --output-format jsonl, json or csv'
    : undefined;
}

/** True if the result is JSON, by `--json` or by the name of the file. */
export function isJsonWanted({
  json,
  output = '',
}: {
  readonly json?: true;
  readonly output?: string;
}): boolean {
  return json === true || output.toLowerCase().endsWith('.json');
}

/** Default formats: those the output needs, else the config file's. */
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

/** The flags of every command with such an output. */
export const outputKindFlags = {
  outputFormat: option(choice(outputKinds), {
    cli: '<kind> format to write, regardless of the file name',
  }),
  relativeLinks:
    '--no-relative-links leave links between markdown files as they are: URLs of the site',
} as const;

/** The flag of every command that runs a job. */
export const reportFlag = {
  report: '<file> write an HTML report about the job: URLs, failures and reasons, times and sizes',
} as const;
