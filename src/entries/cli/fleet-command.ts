/** `pagewright fleet`: shows the workers of a fleet and their queues, and pauses them. */
import type { Command } from 'commander';
import type { FleetStatus } from '../fleet/index.ts';
import { ExitCode } from './command-errors.ts';
import { loadFleet, redisOption } from './fleet-options.ts';
import type { CommandRun } from './command-run.ts';
import { writeOutput } from './output.ts';
import { tableLines } from './terminal-text.ts';

interface FleetCommandValues {
  readonly redis: string;
  readonly prefix?: string;
  readonly json?: true;
}

/** Adds the command. */
export function addFleetCommand(program: Command, run: CommandRun): void {
  const command = program
    .command('fleet')
    .summary('show and control the workers')
    .description('Shows and controls the workers of a fleet.')
    .addHelpText('after', examples);
  const add = (name: 'status' | 'pause' | 'resume', description: string): void => {
    command
      .command(name)
      .description(description)
      .addOption(redisOption())
      .option('--prefix <text>', 'prefix of every key in Redis (default: pagewright:)')
      .option('--json', 'print JSON, and stderr as with --log json')
      .action(async ({ redis, prefix, json }: FleetCommandValues) => {
        const { fleet } = await loadFleet();
        await using all = fleet({ redis, prefix });
        if (name !== 'status') await all[name]();
        const status = await all.status();
        const text = json === true ? JSON.stringify(status, null, 2) : statusText(status);
        await writeOutput(undefined, `${text}\n`, run.log);
        run.finish(ExitCode.success);
      });
  };
  add('status', 'Shows the workers, and the pages of each class of workers.');
  add('pause', 'Stops all workers from starting pages, and shows the fleet.');
  add('resume', 'Resumes paused workers, and shows the fleet.');
}

function statusText({ isPaused, workers, classes, crawls }: FleetStatus): string {
  const workerRows = workers.map((worker) => [
    worker.id.slice(0, 8),
    worker.host,
    String(worker.pid),
    worker.version,
    worker.place ?? '-',
    worker.setup ?? '-',
    `${worker.busy.http}/${worker.slots.http}`,
    `${worker.busy.browser}/${worker.slots.browser}`,
    String(worker.visits),
    String(worker.lost),
    `${Math.round(worker.rss / 1e6)} MB`,
    worker.isDraining ? 'draining' : 'runs',
  ]);
  const classRows = classes.map((pages) => [
    pages.engine,
    pages.version,
    pages.place ?? '-',
    pages.setup ?? '-',
    String(pages.workers),
    `${pages.busy}/${pages.slots}`,
    String(pages.waiting),
    `${(pages.oldest / 1000).toFixed(1)} s`,
  ]);
  return [
    ...tableLines([workerHead, ...workerRows]),
    '',
    ...tableLines([classHead, ...classRows]),
    '',
    `crawls: ${crawls.waiting} waiting, ${crawls.running} running${isPaused ? '; the fleet is paused' : ''}`,
  ].join('\n');
}

const workerHead = [
  'WORKER', 'HOST', 'PID', 'VERSION', 'PLACE', 'SETUP', 'HTTP', 'BROWSER', 'VISITS', 'LOST', 'MEMORY', 'STATE',
]; // prettier-ignore
const classHead = [
  'CLASS', 'VERSION', 'PLACE', 'SETUP', 'WORKERS', 'BUSY', 'WAITING', 'OLDEST',
]; // prettier-ignore

const examples = `
Examples:
  pagewright fleet status --redis redis://10.0.0.5:6379
  pagewright fleet status --redis redis://10.0.0.5:6379 --json | jq '.classes[] | .waiting'
  pagewright fleet pause --redis redis://10.0.0.5:6379
`;
