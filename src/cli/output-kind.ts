/** What `--output` writes, by the name of the file or by `--output-format`. */
import { basename } from 'node:path';
import { type Command, Option } from 'commander';

/** The kinds of output. */
const outputKinds = ['markdown', 'jsonl', 'parquet', 'warc', 'llms'] as const;

/** One of them. */
export type OutputKind = (typeof outputKinds)[number];

/** A name that ends as none of the files do is a folder for markdown. */
export function outputKind(path: string, given?: OutputKind): OutputKind {
  if (given !== undefined) return given;
  const name = basename(path).toLowerCase();
  if (/\.(?:jsonl|ndjson)$/.test(name)) return 'jsonl';
  if (name.endsWith('.parquet')) return 'parquet';
  if (/\.warc(?:\.gz)?$/.test(name)) return 'warc';
  return name === 'llms.txt' ? 'llms' : 'markdown';
}

/** The format that is made when none is asked for: a web archive holds pages as they came. */
export function formatWhenNone({
  output,
  outputFormat,
}: {
  readonly output?: string | undefined;
  readonly outputFormat?: OutputKind | undefined;
}): 'markdown' | 'rawHtml' {
  return output !== undefined && outputKind(output, outputFormat) === 'warc'
    ? 'rawHtml'
    : 'markdown';
}

/** The options that every command with such an output has. */
export function addOutputKindOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--output-format <kind>', 'what to write there, whatever its name').choices(
        outputKinds,
      ),
    )
    .option('--relative-links', 'links between markdown files are relative');
}
