/** `pagewright extract <url...>`: data that fits a schema. */
import type { Command } from 'commander';
import type { ExtractBudget, ExtractResult } from '../index.ts';
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
import { jsonObject, namedNumbers, numberValue } from './option-values.ts';

interface ExtractValues extends ConnectionValues, RequestValues {
  readonly schema: Record<string, unknown>;
  readonly output?: string;
  readonly limit?: number;
  readonly includeSubdomains?: true;
  readonly ignoreSitemap?: true;
  readonly maxConcurrency?: number;
  readonly budget?: ExtractBudget;
}

/** Adds the command. */
export function addExtractCommand(program: Command, finish: (exitCode: number) => void): void {
  const command = program
    .command('extract')
    .description('Data that fits a schema, from one or many pages, as JSON. No model is used.')
    .argument('<url...>', 'the pages; a URL that ends in /* stands for the pages below it')
    .requiredOption('--schema <file>', 'a file with a JSON Schema', jsonObject)
    .optionsGroup('Output:')
    .option(
      '--json',
      'sources, conflicts and failed pages beside the data; errors on stderr as a line of JSON',
    )
    .option('--output <file>', 'write there instead of stdout')
    .optionsGroup('Pages:')
    .option(
      '--limit <count>',
      'pages at most for each URL that ends in /* (default: 100)',
      numberValue,
    )
    .option('--include-subdomains', 'for /*: other hosts of the same domain too')
    .option('--ignore-sitemap', 'for /*: do not read sitemaps')
    .option('--max-concurrency <count>', 'pages fetched at the same time (default: 8)', numberValue)
    .option(
      '--budget <name=number,…>',
      'end when used up: seconds, bytes, credits, pages',
      namedNumbers,
    );
  addRequestOptions(command);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (urls: string[], values: ExtractValues) => {
    await using client = openClient(values);
    const job = client.extract({
      urls,
      schema: values.schema,
      limit: values.limit,
      includeSubdomains: values.includeSubdomains,
      ignoreSitemap: values.ignoreSitemap,
      maxConcurrency: values.maxConcurrency,
      budget: values.budget,
      scrapeOptions: requestOptions(values),
    });
    using _ = onInterrupt(() => job.cancel());
    const result: ExtractResult<unknown> = await job;
    if (values.json !== true) for (const remark of remarks(result)) writeNotice(remark);
    const output = values.json === true ? result : result.data;
    await writeOutput(values.output, `${JSON.stringify(output, null, 2)}\n`);
    finish(ExitCode.success);
  });
}

/** Warnings and errors beside the data. */
function remarks(result: ExtractResult<unknown>): string[] {
  const { errors, invalidURLs, notFound, conflicts, warning } = result;
  return [
    ...invalidURLs.map((url) => `warning: ${url} is not a URL`),
    ...errors.map(({ code, url, error }) => `failed: ${code} ${url}: ${error}`),
    ...(notFound.length === 0 ? [] : [`not found: ${notFound.join(', ')}`]),
    ...conflicts.map(
      ({ path, values: [taken] }) =>
        `pages disagree about ${path}; the value of ${taken?.url} was taken`,
    ),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
  ];
}

const examples = `
The schema is a JSON Schema. A property may say where its value stands:
  { "type": "object", "properties": {
      "name":  { "type": "string" },
      "price": { "type": "number", "x-selector": ".price" } } }

Examples:
  pagewright extract https://example.com/lamp --schema product.json
  pagewright extract 'https://example.com/products/*' --schema products.json --limit 20
`;
