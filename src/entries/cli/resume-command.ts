/** `pagewright resume <id>`: resumes a stored crawl or batch. */
import type { Command } from 'commander';
import { PagewrightError, type JobSummary } from '../../index.ts';
import type { CommandRun } from './command-run.ts';
import { addConnectionOptions, type ConnectionValues, openClient } from './connection-options.ts';
import { addModelOptions, type ModelValues } from './model-options.ts';
import { addFlags, type FlagValues, flagValues } from './flags.ts';
import { jobRows } from '../../core/options/job-options.ts';
import { resumeRows } from '../../core/options/resume-options.ts';
import { outputKind, stdoutProblem } from './output.ts';
import { addStoreOptions, isStored, type StoreValues } from './store-options.ts';
import { addPageOutputOptions, finishWebhook, type PageOutput, writePages } from './write-pages.ts';

const outputFlags = {
  byHost: 'one folder of markdown files per host',
  strict: 'exit with code 3 if pages failed (default) / exit with code 0 even if pages failed',
  webhook: '<url> send an event to this URL for each page and the end',
} as const;
const paceFlags = {
  maxConcurrency: '<count> concurrent pages',
  delay: '<seconds> for a crawl: pause between two requests to a host, or a time such as 500ms',
} as const;
const requestFlags = { cache: '<folder> cache pages in this folder' } as const;

interface ResumeValues
  extends
    ConnectionValues,
    ModelValues,
    StoreValues,
    PageOutput,
    FlagValues<
      typeof outputFlags & Omit<typeof paceFlags, 'maxConcurrency'> & typeof requestFlags
    > {}

const { budget } = jobRows;

/** Adds the command. */
export function addResumeCommand(program: Command, run: CommandRun): void {
  const command: Command = program
    .command('resume')
    .summary('resume a stored job')
    .description(
      'Resumes an interrupted crawl or batch from the store; stored pages are not fetched again.',
    )
    .argument('<id>', 'the id of the job, as listed by pagewright jobs');
  addPageOutputOptions(addStoreOptions(command), { ...resumeRows, ...outputFlags });
  addFlags(command.optionsGroup('Pace:'), { ...paceFlags, budget });
  addModelOptions(addFlags(command.optionsGroup('Request:'), requestFlags));
  addConnectionOptions(command);
  command.addHelpText('after', examples).action(async (id: string, values: ResumeValues) => {
    const { output, outputFormat, relativeLinks, byHost } = values;
    const kind = output === undefined ? undefined : outputKind(output, outputFormat);
    if (kind === undefined && outputFormat !== undefined) {
      command.error('--output-format needs --output');
    }
    if (kind !== 'markdown' && (relativeLinks === false || byHost === true)) {
      command.error(
        '--no-relative-links and --by-host need a folder of markdown files as --output',
      );
    }
    const noStdout = stdoutProblem(output, kind);
    if (noStdout !== undefined) command.error(noStdout);
    await using client = await openClient(run, values);
    if (!isStored(values, await run.config()))
      command.error('resume needs --store <place>, the store of the job');
    const { verb, counts } = findJob(await client.jobs.list(), id);
    const job = client.jobs.resume(id, {
      ...flagValues({ ...resumeRows, budget }, values),
      // The output of earlier runs may be gone, or incomplete.
      fromStart: true,
      maxConcurrency: values.maxConcurrency,
      webhook: values.webhook,
      ...(values.delay === undefined ? {} : { delay: values.delay }),
    });
    const isList = verb === 'batchScrape';
    const before = counts?.completed ?? 0;
    const view = { verb: isList ? 'batch' : 'crawl', isList, before };
    const written = { ...values, ...(byHost && { allowExternalLinks: true as const }) };
    const leave = (): Promise<void> => client.close();
    const exitCode = await writePages({ job, client, view, leave }, written, run);
    await finishWebhook(job, run.log);
    run.finish(exitCode);
  });
}

/** The job with that id. Throws `JOB_NOT_FOUND`. */
function findJob(jobs: readonly JobSummary[], id: string): JobSummary {
  const job = jobs.find((one) => one.id === id);
  if (job !== undefined) return job;
  const message = `The store has no job ${JSON.stringify(id)}; pagewright jobs --store <place> lists its jobs.`;
  throw new PagewrightError('JOB_NOT_FOUND', message);
}

const examples = `
Writes all pages of the job, also those of earlier runs. The options of the crawl are stored with
the job; give the network options again (--allow, --proxy, --user-agent), and --cache. The line
"resume with" of an interrupted crawl has them. Headers and other secrets are stored only if
PAGEWRIGHT_SECRET is set to the same text, at least 16 characters, in both runs.

Examples:
  pagewright jobs --store jobs.sqlite
  pagewright resume 0d9c… --store jobs.sqlite --output docs
  pagewright resume 0d9c… --store jobs.sqlite --jsonl pages.jsonl
  pagewright resume 0d9c… --store jobs.sqlite --output docs --retry-failed
`;
