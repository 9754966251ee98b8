/** `pagewright plan <url>`: the pages that a crawl would take, and why it skips the rest. */
import type { Command } from 'commander';
import { split } from '../../core/checks/option.ts';
import { contentRows } from '../../core/options/scrape-options.ts';
import type { CrawlPlan } from '../../index.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import {
  addFrontierOptions,
  frontierOptions,
  frontierProblem,
  type FrontierValues,
} from './frontier-options.ts';
import { isJsonWanted, writeOutput } from './output.ts';
import { addFlags, type FlagValues } from './flags.ts';
import {
  addPageOptions,
  browserProblem,
  crawlPageRows,
  pageOptions,
  type PageValues,
} from './page-options.ts';
import { lineView } from './progress-view.ts';
import { tableLines } from './terminal-text.ts';
import { failureLine } from './write-pages.ts';

const outputFlags = {
  skipped: 'also list skipped URLs, each with its reason and rule',
  json: 'print pages, skipped URLs and failures as JSON, and stderr as with --log json',
  output: '<file> write to this file instead of stdout: .json as --json',
  quiet: 'print no progress and no summary',
} as const;

interface PlanValues
  extends ConnectionValues, PageValues, FrontierValues, FlagValues<typeof outputFlags> {}

/** Adds the command. */
export function addPlanCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('plan')
    .summary('list what a crawl would visit and skip')
    .description(
      'Lists the pages that a crawl would visit, and why it would skip the others; writes no documents.',
    )
    .argument('<url>', 'the page to start with')
    .optionsGroup('Output:');
  addFrontierOptions(addFlags(command, outputFlags));
  addPageOptions(command, split(crawlPageRows, contentRows)[1]);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (url: string, values: PlanValues) => {
    const problem = frontierProblem(values) ?? browserProblem(values);
    if (problem !== undefined) command.error(problem);
    await using client = await openClient(run, values);
    const abort = new AbortController();
    using _ = onInterrupt(() => abort.abort());
    using view = run.log.show(lineView(`plan ${url}`));
    const options = {
      ...frontierOptions(values),
      scrapeOptions: pageOptions(values),
      signal: abort.signal,
    };
    const { explain: _explain, ...plan } = await client.plan(url, options);
    view.finish();
    const { isTTY, columns } = process.stdout;
    const width = isTTY && values.output === undefined ? columns : undefined;
    const text = isJsonWanted(values)
      ? JSON.stringify(plan, null, 2)
      : table(plan, values, width).join('\n');
    await writeOutput(values.output, `${text}\n`, run.log);
    if (!isJsonWanted(values)) reportRest(plan, run);
    run.finish(ExitCode.success);
  });
}

type PlainPlan = Omit<CrawlPlan, 'explain'>;

function table(
  { pages, skipped }: PlainPlan,
  { skipped: withSkipped }: PlanValues,
  columns: number | undefined,
): string[] {
  const rows = [
    ...pages.map(({ url, depth, discoveredBy }) => [
      'page',
      `${discoveredBy}, depth ${depth}`,
      url,
    ]),
    ...(withSkipped === true
      ? skipped.map(({ url, reason, rule }) => [reason, rule.slice(0, longestRule), url])
      : []),
  ];
  return tableLines([['', 'WHY', 'URL'], ...rows], columns);
}

const longestRule = 40; // characters of a rule in the table

function reportRest(
  { pages, skippedByReason, errors, warning }: PlainPlan,
  { log }: CommandRun,
): void {
  for (const failure of errors) {
    log.info('failed', failure, failureLine(failure));
  }
  if (warning !== undefined) log.warn(warning);
  const reasons = Object.entries(skippedByReason).map(([reason, count]) => `${count} ${reason}`);
  const count = `${pages.length} ${pages.length === 1 ? 'page' : 'pages'}`;
  log.info(
    'plan',
    { pages: pages.length, skippedByReason },
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    `${count} would be crawled, ${errors.length} failed`,
  );
}

const examples = `
Pages are fetched for their links, and no documents are made.

Examples:
  pagewright plan https://example.com/docs/ --limit 50
  pagewright plan https://example.com --exclude-paths '/tag/' --skipped
  pagewright plan https://example.com --json | jq -r '.pages[].url'
`;
