/** `pagewright worker`: visits the pages of crawls and batches that other processes run. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { compact } from '../../core/runtime/compact.ts';
import { messageOf } from '../../core/runtime/errors.ts';
import type { WorkerOptions } from '../fleet/index.ts';
import { importOwn } from '../../core/hooks/own-module.ts';
import { PagewrightError } from '../../index.ts';
import { ExitCode, onInterrupt } from './command-errors.ts';
import {
  addConnectionOptions,
  connectionOptions,
  type ConnectionValues,
} from './connection-options.ts';
import {
  addWorkerKindOptions,
  fleetOptions,
  loadFleet,
  redisOption,
  type WorkerKindValues,
} from './fleet-options.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { numberValue } from './option-values.ts';
import type { CommandRun } from './command-run.ts';
import type { Log } from './log.ts';
import { secretOption, storeOf } from './store-options.ts';

const moduleFlag = {
  module: '<file> module that default-exports more options of startWorker(): hooks, formats, …',
} as const;
const workFlags = {
  slots: '<count> concurrent pages (default: 32)',
  browserSlots: '<count> additional concurrent pages that need a browser; 0 for none (default: 4)',
  takes: '<kinds> visits, crawls, or both (default: visits,crawls)',
  crawls: '<count> concurrent handed-over crawls (default: 4)',
} as const;
const logFlags = { json: 'same as --log json', quiet: 'print only warnings and errors' } as const;

interface WorkerValues
  extends ConnectionValues, WorkerKindValues, FlagValues<typeof moduleFlag & typeof workFlags> {
  readonly redis: string;
  /** Seconds. */
  readonly drain: number;
}

/** Adds the command. */
export function addWorkerCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('worker')
    .summary('visit pages for crawls in other processes')
    .description('Visits pages for the crawls of other processes, until SIGTERM or Ctrl-C.')
    .optionsGroup('Fleet:')
    .addOption(redisOption());
  addFlags(addWorkerKindOptions(command), moduleFlag).optionsGroup('Work:');
  addFlags(command, workFlags)
    .option(
      '--drain <seconds>',
      'time for pages in progress at the end; then other workers get them',
      numberValue,
      30,
    )
    .optionsGroup('Output:');
  addFlags(command, logFlags);
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (values: WorkerValues) => {
    const report = (line: string): void => run.log.info('worker', line, line);
    const stop = new AbortController();
    using _ = onInterrupt(() => stop.abort(), ['SIGINT', 'SIGTERM']);
    const { fleet, startWorker } = await loadFleet();
    // Reports a problem of --redis before the store at the same URL reports it for --store.
    fleet(fleetOptions(values.redis, values));
    await using worker = await startWorker(await workerOptions(values, run.log));
    const { id, slots } = worker.status();
    report(`worker ${id}: ${slots.http} pages at a time, ${slots.browser} in browsers`);
    if (!stop.signal.aborted) {
      await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    }
    const { busy, running } = worker;
    report(
      `draining: ${busy} pages in progress, ${running} crawls handed to other workers; a second signal ends immediately`,
    );
    await worker.drain(values.drain * 1000);
    run.finish(ExitCode.success);
  });
}

const mostDrain = 86_400; // seconds that a worker may take to drain: a day

/** The options of the command line, over those of the module. */
async function workerOptions(values: WorkerValues, log: Log): Promise<WorkerOptions> {
  const { redis, prefix, store, slots, browserSlots, takes, crawls } = values;
  if (values.drain < 0 || values.drain > mostDrain) {
    throw new PagewrightError('BAD_REQUEST', `--drain: expected 0 to ${mostDrain} seconds.`);
  }
  const own = values.module === undefined ? {} : await optionsIn(values.module);
  const given = { ...connectionOptions(values, log), slots, browserSlots, takes, crawls };
  const declared = compact<typeof given>(given) as Partial<WorkerOptions>;
  const { network, engines, logger, ...rest } = declared;
  return {
    // A worker stores no copies of pages, unless the module sets it.
    cache: false,
    logger,
    ...own,
    ...secretOption(),
    ...rest,
    ...(values.allow === undefined && values.deny === undefined
      ? {}
      : { network: { ...own.network, ...network } }),
    ...(values.fixtures === undefined ? {} : { engines }),
    fleet: {
      ...own.fleet,
      ...compact<ReturnType<typeof fleetOptions>>(fleetOptions(redis, values)),
    },
    storage:
      store === undefined && own.storage !== undefined
        ? own.storage
        : storeOf(store ?? redis, prefix ?? own.fleet?.prefix),
  };
}

/** The options that a module of the caller default-exports. Throws `BAD_REQUEST`. */
async function optionsIn(file: string): Promise<Partial<WorkerOptions>> {
  const refuse = (problem: string, cause?: unknown): PagewrightError =>
    new PagewrightError('BAD_REQUEST', `--module ${file}: ${problem}`, { cause });
  const loading = importOwn(pathToFileURL(resolve(file)).href, 'The worker', file);
  const module = await loading.catch((error: unknown) => {
    throw refuse(messageOf(error instanceof Error ? (error.cause ?? error) : error), error);
  });
  const { default: options } = module;
  if (typeof options !== 'object' || options === null) {
    throw refuse('it must default-export an object with options of startWorker().');
  }
  return options;
}

const examples = `
The storage has to be the one of the crawls. --allow and --deny are the worker's own: a crawl cannot
widen them. REDIS_URL in the environment does what --redis does, and no list of processes shows it.

Examples:
  pagewright worker --redis redis://10.0.0.5:6379
  pagewright worker --redis redis://10.0.0.5:6379 --slots 64 --browser-slots 0
  pagewright worker --redis redis://10.0.0.5:6379 --place eu-de --module ./shop.mjs --setup shop
`;
