/** `pagewright extract <url...>`: data that fits a schema. */
import type { Command } from 'commander';
import { writeReport } from '../export/report/write-report.ts';
import type { ExtractResult } from '../../index.ts';
import { extractPageRows, extractRows } from '../../core/options/extract-options.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import type { Log } from './log.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { reportFlag, writeOutput } from './output.ts';
import { addPageOptions } from './page-options.ts';
import { JobView } from './progress-view.ts';
import { failureLine } from './write-pages.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';

const dataFlags = {
  schema: '<file> file with a JSON Schema; without --model no model is used',
  prompt: '<text> what the --model should find',
} as const;
const outputFlags = {
  json: 'add sources, conflicts and failed pages to the data, and stderr as with --log json',
  output: '<file> write to this file instead of stdout',
  ...reportFlag,
  quiet: 'print no progress and no remarks',
} as const;

interface ExtractValues
  extends ConnectionValues, ModelValues, FlagValues<typeof dataFlags & typeof outputFlags> {}

/** Adds the command. */
export function addExtractCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('extract')
    .summary('extract data by a schema or a prompt')
    .description(
      'Extracts data that fits a schema or answers a prompt, from one or more pages, as JSON.',
    )
    .argument('<url...>', 'the pages; a URL that ends in /* means all pages below it')
    .optionsGroup('Data:');
  addFlags(command, dataFlags).optionsGroup('Output:');
  addFlags(addFlags(command, outputFlags).optionsGroup('Pages:'), extractRows);
  addModelOptions(command);
  addPageOptions(command, extractPageRows);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (urls: string[], values: ExtractValues) => {
    if (values.schema === undefined && values.prompt === undefined) {
      command.error('extract needs --schema <file>, or --model with --prompt <text>');
    }
    await using client = await openClient(run, values);
    const job = client.extract({
      ...flagValues(extractRows, values),
      urls,
      schema: values.schema,
      prompt: values.prompt,
      scrapeOptions: flagValues(extractPageRows, values),
    });
    using _ = onInterrupt(() => job.cancel());
    const viewed = {
      counts: () => job.counts,
      active: () => job.active,
      bytes: () => job.progress.usage.bytes,
    };
    using view = run.log.show(new JobView(viewed, { verb: 'extract', isList: true }));
    let result: ExtractResult<unknown>;
    try {
      result = await job;
    } finally {
      view[Symbol.dispose]();
      if (values.report !== undefined) await writeReport(job, values.report);
    }
    reportRemarks(result, run.log);
    const output = values.json === true ? result : result.data;
    await writeOutput(values.output, `${JSON.stringify(output, null, 2)}\n`, run.log);
    run.finish(ExitCode.success);
  });
}

/** Warnings and errors beside the data. */
function reportRemarks(result: ExtractResult<unknown>, log: Log): void {
  const { errors, invalidURLs, notFound, conflicts, warning } = result;
  for (const url of invalidURLs) log.info('invalidURL', url, `warning: ${url} is not a URL`);
  for (const failure of errors) {
    log.info('failed', failure, failureLine(failure));
  }
  if (notFound.length > 0) log.info('notFound', notFound, `not found: ${notFound.join(', ')}`);
  for (const conflict of conflicts) {
    const { path, values } = conflict;
    const line = `pages disagree about ${path}; using the value of ${values[0]?.url}`;
    log.info('conflict', conflict, line);
  }
  if (warning !== undefined) log.warn(warning);
}

const examples = `
The schema is a JSON Schema. A property may say where its value stands:
  { "type": "object", "properties": {
      "name":  { "type": "string" },
      "price": { "type": "number", "x-selector": ".price" } } }

Examples:
  pagewright extract https://example.com/lamp --schema product.json
  pagewright extract https://example.com/team --prompt 'who works there' --model ollama:qwen3
  pagewright extract 'https://example.com/products/*' --schema products.json --limit 20
`;
