/** `pagewright search <query>`: pages from a search engine, or passages of a stored crawl. */
import type { Command } from 'commander';
import {
  type IndexHit,
  PagewrightError,
  type SearchHit,
  type SearchOptions,
  type SearchResult,
} from '../../index.ts';
import { split } from '../../core/checks/option.ts';
import { queryRows, searchRows } from '../../core/options/search-options.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addFlags, flagNames, type FlagValues, flagValues } from './flags.ts';
import { isJsonWanted, writeOutput } from './output.ts';
import { lineView } from './progress-view.ts';
import {
  addSearchEngineOptions,
  openSearchEngine,
  type SearchEngineValues,
} from './search-engine-options.ts';
import { isStored, prefixOption, storeOption, type StoreValues } from './store-options.ts';

const outputFlags = {
  json: 'print everything about the results as JSON, and stderr as with --log json',
  output: '<file> write to this file instead of stdout: .json as --json',
  quiet: 'no progress',
} as const;
const scrapeFlag = { scrape: 'print the pages as markdown, too' } as const;
const indexFlag = {
  index: '<id> search in the pages of this crawl or batch of --store',
} as const;

interface SearchValues
  extends
    ConnectionValues,
    SearchEngineValues,
    StoreValues,
    FlagValues<typeof outputFlags & typeof scrapeFlag & typeof indexFlag> {
  readonly limit?: number;
}

/** Adds the command. */
export function addSearchCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('search')
    .summary('search the web, or a stored crawl')
    .description(
      'Searches with a search engine, or with --index in the pages of a stored crawl, and prints the results, best first.',
    )
    .argument('<query>', 'the words to search for')
    .optionsGroup('Output:');
  addFlags(command, outputFlags).optionsGroup('Results:');
  addFlags(command, { ...scrapeFlag, ...searchFlags });
  addFlags(addSearchEngineOptions(command).optionsGroup('Stored crawl:'), indexFlag)
    .addOption(storeOption('the store of the job'))
    .addOption(prefixOption());
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (query: string, values: SearchValues) => {
    if (values.index === undefined) await searchWeb(run, query, values);
    else await searchIndex(run, query, values.index, values);
    run.finish(ExitCode.success);
  });
}

async function searchWeb(run: CommandRun, query: string, values: SearchValues): Promise<void> {
  await using opened = openSearchEngine(values, await run.config());
  await using client = await openClient(run, values);
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  using view = run.log.show(lineView(`search ${query}`));
  const { engine } = opened;
  const options = { ...searchOptions(values), ...(engine && { engine }), signal: abort.signal };
  const result = await client.search(query, options);
  view.finish();
  if (isJsonWanted(values)) {
    await writeOutput(values.output, `${JSON.stringify(result, null, 2)}\n`, run.log);
    return;
  }
  if (result.warning !== undefined) run.log.warn(result.warning);
  await writeOutput(values.output, textOf(result), run.log);
}

function searchOptions(values: SearchValues): SearchOptions<readonly ['markdown']> {
  const scrape = values.scrape === true ? { formats: ['markdown'] as const } : false;
  return { ...flagValues(searchFlags, values), scrape };
}

/** The options of `search()` that have a flag. */
const searchFlags = split({ ...queryRows, ...searchRows }, { engine: true, signal: true })[1];

/** Options that an index lacks. */
const engineOptions = ['engine', 'engineUrl', 'scrape', ...flagNames(searchFlags)];

async function searchIndex(
  run: CommandRun,
  query: string,
  id: string,
  values: SearchValues,
): Promise<void> {
  if (!isStored(values, await run.config())) {
    throw new PagewrightError(
      'BAD_REQUEST',
      '--index needs --store <place>, the store of the job.',
    );
  }
  const given = new Map(Object.entries(values));
  const other = engineOptions.find((name) => name !== 'limit' && given.has(name));
  if (other !== undefined) {
    const option = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const message = `--${option} is for a search engine; with --index leave it out.`;
    throw new PagewrightError('BAD_REQUEST', message);
  }
  await using client = await openClient(run, values);
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  using view = run.log.show(lineView(`search ${query}`));
  const index = await client.index(id, { signal: abort.signal });
  const hits = await index.search(query, { limit: values.limit });
  view.finish();
  const text = isJsonWanted(values)
    ? `${JSON.stringify(hits, null, 2)}\n`
    : blocks(hits.map(passageLines));
  await writeOutput(values.output, text, run.log);
}

/** Title, address and text of each result, with a blank line between them. */
function textOf({ web, news, images }: SearchResult<{ readonly markdown: string }>): string {
  return blocks([
    ...web.map(hitLines),
    ...news.map(hitLines),
    ...images.map(({ title, imageUrl, url = '' }) => [title, imageUrl, url]),
  ]);
}

function hitLines(hit: SearchHit<{ readonly markdown: string }>): string[] {
  const { title, url, description, publishedAt = '', document, error } = hit;
  const page = error === undefined ? document?.markdown : `error: ${error.message}`;
  return [title, url, publishedAt, page === undefined ? description : `\n${page.trimEnd()}`];
}

function passageLines({ title, url, anchor = url, heading = '', description }: IndexHit): string[] {
  return [
    heading === '' || heading === title ? title : `${title}: ${heading}`,
    anchor,
    description,
  ];
}

function blocks(results: readonly (readonly string[])[]): string {
  const texts = results.map((lines) => lines.filter((line) => line !== '').join('\n'));
  return texts.length === 0 ? '' : `${texts.join('\n\n')}\n`;
}

const examples = `
Examples:
  pagewright search 'tide tables' --engine searxng --engine-url http://localhost:8888
  BRAVE_API_KEY=… pagewright search 'tide tables' --engine brave --source news --since week
  pagewright search 'tide tables' --engine tavily --scrape --limit 3
  pagewright search 'restore a backup' --index 0d9c… --store jobs.sqlite
`;
