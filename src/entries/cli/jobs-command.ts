/** `pagewright jobs`: the crawls and batches of a store. */
import type { Command } from 'commander';
import { PagewrightError, type JobSummary } from '../../index.ts';
import { ExitCode } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import { openClient } from './connection-options.ts';
import { addFlags, type FlagValues } from './flags.ts';
import { writeOutput } from './output.ts';
import { isStored, prefixOption, storeOption, type StoreValues } from './store-options.ts';
import { tableLines } from './terminal-text.ts';

const flags = {
  remove: '<id> remove this job and its documents; repeatable',
  json: 'print a line of JSON for each job, and stderr as with --log json',
} as const;

interface JobsValues extends StoreValues, FlagValues<typeof flags> {}

/** Adds the command. */
export function addJobsCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('jobs')
    .summary('list the jobs in a store')
    .description('Lists the crawls and batches in a store, oldest first.')
    .addOption(storeOption('the store of the jobs'))
    .addOption(prefixOption());
  addFlags(command, flags);
  command.addHelpText('after', examples).action(async (values: JobsValues) => {
    await using client = await openClient(run, values);
    if (!isStored(values, await run.config()))
      command.error('jobs needs --store <place>, the store of the jobs');
    for (const id of values.remove ?? []) {
      if (!(await client.jobs.remove(id))) {
        throw new PagewrightError('JOB_NOT_FOUND', `The store has no job ${JSON.stringify(id)}.`);
      }
      run.log.info('removed', { id }, `removed job ${id}`);
    }
    if (values.remove === undefined) {
      const jobs = await client.jobs.list();
      const lines = values.json === true ? jobs.map((job) => JSON.stringify(job)) : table(jobs);
      await writeOutput(undefined, lines.map((line) => `${line}\n`).join(''), run.log);
    }
    run.finish(ExitCode.success);
  });
}

function table(jobs: readonly JobSummary[]): string[] {
  if (jobs.length === 0) return ['There are no jobs in the store.'];
  const rows = jobs.map(({ id, verb, status, isRunning, counts, createdAt, expiresAt, url }) => [
    id,
    verb === 'crawl' ? 'crawl' : 'batch',
    status === 'scraping' ? (isRunning ? 'running' : 'interrupted') : status,
    counts === undefined ? '-' : String(counts.completed),
    counts === undefined ? '-' : String(counts.failed),
    counts === undefined ? '-' : String(counts.pending),
    minute(createdAt),
    expiresAt === undefined ? '-' : minute(expiresAt),
    url ?? '-',
  ]);
  const { isTTY, columns } = process.stdout;
  return tableLines([head, ...rows], isTTY ? columns : undefined);
}

const head = ['ID', 'KIND', 'STATUS', 'PAGES', 'FAILED', 'QUEUED', 'STARTED', 'KEPT UNTIL', 'URL'];

/** `2026-11-27 04:30`, in UTC. */
function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

const examples = `
Times are in UTC. Resume an interrupted job with: pagewright resume <id> --store <place>

Examples:
  pagewright jobs --store jobs.sqlite
  pagewright jobs --store redis://10.0.0.5:6379 --json | jq -r 'select(.status == "scraping").id'
  pagewright jobs --store jobs.sqlite --remove 0d9c…
`;
