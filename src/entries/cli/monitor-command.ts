/** `pagewright monitor <urls…>`: watches pages and sites, and prints a digest of each round with news. */
import type { Command } from 'commander';
import type { Client, Monitor, MonitorDigest, MonitorOptions } from '../../index.ts';
import { ExitCode, flagOf, onInterrupt } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { monitorRows } from '../../core/options/monitor-options.ts';
import { addFlags, flagNames, type FlagValues, flagValues } from './flags.ts';
import { writeOutput } from './output.ts';
import { isStored, prefixOption, storeOption, type StoreValues } from './store-options.ts';
import { tableLines, withoutControls } from './terminal-text.ts';

const outputFlags = {
  json: 'print a line of JSON for each digest, and stderr as with --log json',
  exitCode: 'with --once: exit with 4 if there is news',
} as const;
const targetFlags = {
  crawl: '<url> also watch the pages of this site; repeatable',
  limit: '<count> with --crawl: maximum pages of each site (default: 100)',
  once: 'run one round now and exit: for cron',
  schema: '<file> compare the values of this JSON Schema in place of the text',
  ignore: '<regex> do not compare what matches; repeatable',
  ignoreRobotsTxt: 'visit pages that robots.txt disallows',
} as const;
const storeFlags = {
  list: 'list the monitors of the store',
  remove: '<id> remove a monitor from the store',
} as const;

interface MonitorValues
  extends
    ConnectionValues,
    ModelValues,
    StoreValues,
    FlagValues<typeof outputFlags & typeof targetFlags & typeof storeFlags> {
  readonly id?: string;
  readonly every?: number;
}

/** Adds the command. */
export function addMonitorCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('monitor')
    .summary('watch pages and sites for changes')
    .description(
      'Watches pages and sites, and prints what changed since the round before. The first round only records the pages. Ctrl-C stops; the same command continues where it ended.',
    )
    .argument('[urls...]', 'pages to watch')
    .optionsGroup('Output:');
  addFlags(command, outputFlags).optionsGroup('Monitor:');
  addFlags(command, { ...targetFlags, ...monitorRows })
    .optionsGroup('Store:')
    .addOption(storeOption('the store of the monitor'))
    .addOption(prefixOption());
  addModelOptions(addFlags(command, storeFlags));
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (urls: string[], values: MonitorValues) => {
    if (!isStored(values, await run.config()))
      command.error('monitor needs --store <place>, where it keeps the pages');
    const problem = monitorProblem(urls, values);
    if (problem !== undefined) command.error(problem);
    await using client = await openClient(run, values);
    if (values.remove !== undefined) {
      const isRemoved = await client.monitors.remove(values.remove);
      if (!isRemoved) command.error(`the store has no monitor ${JSON.stringify(values.remove)}`);
    } else if (values.list === true) {
      await listMonitors(client, run, values);
    } else {
      const options = monitorOptions(urls, values);
      if (options === undefined && values.id === undefined) {
        command.error('monitor needs URLs, --crawl <url> or --id <name>');
      }
      const other = optionAmong(newOptions, values);
      if (options === undefined && other !== undefined) {
        command.error(`${flagOf(other)} is for a new monitor: name its URLs, or leave it out`);
      }
      const monitor =
        options === undefined ? client.monitors.get(values.id ?? '') : client.monitor(options);
      if (values.once === true) return run.finish(await runOnce(monitor, run, values));
      await runOn(monitor, run, values);
    }
    run.finish(ExitCode.success);
  });
}

const { id: _, ...newRows } = monitorRows;

/** Options that the store has for a monitor opened by its `--id` alone. */
const newOptions = ['limit', ...flagNames(newRows), 'schema', 'ignore', 'ignoreRobotsTxt'];

/** Options of rounds, which --list and --remove do not run. */
const roundOptions = ['id', 'crawl', 'once', 'exitCode', ...newOptions];

/** The first option that would be ignored. */
function monitorProblem(urls: readonly string[], values: MonitorValues): string | undefined {
  const { list, remove, crawl, limit, once, exitCode } = values;
  if (list === true || remove !== undefined) {
    const flag = remove === undefined ? '--list' : '--remove';
    const other =
      list === true && remove !== undefined ? 'list' : optionAmong(roundOptions, values);
    if (other !== undefined) return `${flag} runs no monitor: leave ${flagOf(other)} out`;
    return urls.length > 0 ? `${flag} takes no URLs` : undefined;
  }
  if (limit !== undefined && crawl === undefined && urls.length > 0) {
    return '--limit is for the pages of a site: name it with --crawl <url>';
  }
  return exitCode === true && once !== true ? '--exit-code needs --once' : undefined;
}

function optionAmong(names: readonly string[], values: MonitorValues): string | undefined {
  const given = new Map(Object.entries(values));
  return names.find((name) => given.has(name));
}

/** Undefined where a stored monitor is opened as it is. */
function monitorOptions(
  urls: readonly string[],
  values: MonitorValues,
): MonitorOptions | undefined {
  const { crawl = [], limit, schema, ignore, ignoreRobotsTxt, once } = values;
  if (urls.length + crawl.length === 0) return undefined;
  const given = { schema, ignore, ignoreRobotsTxt };
  const pages = urls.map((url) => ({ url, ...given }));
  const sites = crawl.map((url) => ({ crawl: url, limit: limit ?? 100, ...given }));
  return {
    targets: [...pages, ...sites],
    ...flagValues(monitorRows, values),
    every: values.every ?? (once === true ? undefined : '1h'),
  };
}

async function runOnce(monitor: Monitor, run: CommandRun, values: MonitorValues): Promise<number> {
  const abort = new AbortController();
  using _ = onInterrupt(() => abort.abort());
  const digest = await monitor.check({ signal: abort.signal });
  await print(digest, run, values);
  // Pending digests go to the webhook before the process ends.
  await monitor.settled();
  return values.exitCode === true && digest.hasNews ? ExitCode.changed : ExitCode.success;
}

async function runOn(monitor: Monitor, run: CommandRun, values: MonitorValues): Promise<void> {
  using _ = onInterrupt(() => void monitor.stop(), ['SIGINT', 'SIGTERM']);
  for await (const digest of monitor) await print(digest, run, values);
}

async function print(
  digest: MonitorDigest,
  { log }: CommandRun,
  { json }: MonitorValues,
): Promise<void> {
  const { at, summary, warning } = digest;
  if (json === true) return writeOutput(undefined, `${JSON.stringify(digest)}\n`, log);
  if (warning !== undefined) log.warn(warning);
  const text = `${at.slice(0, 16).replace('T', ' ')} ${withoutControls(summary)}\n`;
  await writeOutput(undefined, text, log);
}

async function listMonitors(
  client: Client,
  { log }: CommandRun,
  { json }: MonitorValues,
): Promise<void> {
  const monitors = await client.monitors.list();
  const rows = monitors.map(({ id, rounds, lastAt = '-', targets }) => {
    const [first = '', ...others] = targets;
    const more = others.length === 0 ? first : `${first} and ${others.length} more`;
    return [id, String(rounds), lastAt, withoutControls(more, true)];
  });
  const lines =
    json === true
      ? monitors.map((monitor) => JSON.stringify(monitor))
      : tableLines([['ID', 'ROUNDS', 'LAST', 'TARGETS'], ...rows], undefined);
  await writeOutput(undefined, lines.map((line) => `${line}\n`).join(''), log);
}

const examples = `
Examples:
  pagewright monitor https://example.com/prices --every 1h --store watch.sqlite
  pagewright monitor --crawl https://a.com --every 1d --store a.sqlite --webhook https://b.com/x
  pagewright monitor https://example.com/terms --once --exit-code --store watch.sqlite
  pagewright monitor https://a.com --goal "a price changes" --model ollama:qwen3 --store a.sqlite
`;
