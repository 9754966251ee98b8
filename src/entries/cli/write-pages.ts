/** Writes the pages of a running crawl or batch, with progress and a summary on stderr. */
import type { Command } from 'commander';
import type { DocumentSink } from '../export/document-sink.ts';
import { jsonlSink } from '../export/jsonl.ts';
import { createFile } from '../export/open-file.ts';
import { reportSink } from '../export/report/write-report.ts';
import {
  type Client,
  type CrawlJob,
  type CrawlStop,
  type Document,
  type FormatInput,
  type PageFailure,
  PagewrightError,
} from '../../index.ts';
import type { SkipReason } from '../../core/model/job.ts';
import { split } from '../../core/checks/option.ts';
import { failureKinds, kindOf } from '../../core/jobs/page-failure.ts';
import { ExitCode, forCommandLine, onInterrupt, warningForCommandLine } from './command-errors.ts';
import type { CommandRun } from './command-run.ts';
import type { FrontierValues } from './frontier-options.ts';
import type { Log } from './log.ts';
import { addFlags, type FlagValues, type Rows } from './flags.ts';
import {
  ClosedOutput,
  openDocumentOutput,
  type OutputKind,
  outputKind,
  outputKindFlags,
  openStdout,
  reportFlag,
  stdoutProblem,
} from './output.ts';
import {
  browserProblem,
  isFormat,
  type PageValues,
  requestedFormats,
  screenshotProblem,
  screenshotsFlags,
} from './page-options.ts';
import { JobView, type ViewedJob } from './progress-view.ts';
import { byteSize, clockTime } from './terminal-text.ts';
import type { StoreValues } from './store-options.ts';

/** Flags of the output and of notices. */
const outputFlags = {
  output:
    '<place> folder for markdown files, or a file: .jsonl, .json, .csv, .parquet, .warc[.gz], .har, llms.txt; - is stdout',
  jsonl: '[file] write a line of JSON for each page, to stdout without a file (default)',
  ...reportFlag,
  json: 'same as --log json: progress, failures and summary on stderr as lines of JSON',
  quiet: 'print no progress and no summary',
  ...outputKindFlags,
} as const;

/** Options of the output and of notices. */
export interface PageOutput
  extends
    Pick<FrontierValues, 'allowSubdomains' | 'allowExternalLinks'>,
    StoreValues,
    FlagValues<typeof outputFlags> {
  /** False: failed pages do not change the exit code. @default true */
  readonly strict?: boolean;
}

/** Adds the options of a command that writes the pages of a job, and its own ones. */
export function addPageOutputOptions(command: Command, own: Rows): Command {
  return addFlags(command.optionsGroup('Output:'), { ...outputFlags, ...own });
}

/** The job to write, and its facts for the view. */
interface RunningPages {
  readonly job: CrawlJob<CrawledPage>;
  /** Reads the files of the pages. */
  readonly client: Pick<Client, 'readAsset'>;
  readonly view: ConstructorParameters<typeof JobView>[1];
  /** Leaves the job to be resumed. @default it is cancelled for good */
  readonly leave?: (() => unknown) | undefined;
}

/** Writes pages as they arrive; the job waits for a slow reader. Returns the exit code. */
export async function writePages(
  { job, client, view, leave }: RunningPages,
  values: PageOutput,
  run: CommandRun,
): Promise<number> {
  const { log } = run;
  const reported = reportFailures(job, view.isList === true, log);
  if (leave !== undefined) log.info('job', { id: job.id }, `job ${job.id}`);
  const sinks = await openSinks({ job, client }, values, log);
  const written: WrittenCounts = { pages: 0, statuses: new Map(), started: performance.now() };
  let isComplete = false;
  let failure: unknown;
  const interruption = new AbortController();
  const progress = new JobView(viewedJob(job), view);
  using _ = onInterrupt(() => {
    interruption.abort();
    return (leave ?? (() => job.cancel()))();
  });
  using live = log.show(progress);
  const summarize = (): void => {
    live.finish();
    writeSummary({ job, sinks, written, reported, isLeft: leave !== undefined }, values, run);
  };
  try {
    for await (const page of job) {
      for (const sink of sinks) await sink.write(page);
      written.pages += 1;
      countStatus(written.statuses, page.metadata.statusCode);
    }
    isComplete = true;
  } catch (error) {
    // The pages so far are written.
    const isLeft = error instanceof PagewrightError && error.code === 'CANCELLED';
    isComplete = isLeft && interruption.signal.aborted;
    if (!isComplete && written.pages > 0 && !(error instanceof ClosedOutput)) summarize();
    if (!isComplete) throw error;
  } finally {
    for (const sink of sinks) {
      // The other outputs have their pages anyway.
      await sink
        .close(isComplete || written.pages > 0)
        .catch((error: unknown) => (failure ??= error));
    }
  }
  summarize();
  if (failure !== undefined) throw failure;
  if (job.progress.status === 'cancelled') return ExitCode.interrupted;
  return values.strict !== false && job.progress.failed > 0
    ? ExitCode.failedPages
    : ExitCode.success;
}

const mostFailures = 50; // failed pages that have a line of text

/**
 * Reports each failure when it happens; returns the URLs of the reported ones. If the start page of a crawl fails,
 * the command itself reports the error.
 */
function reportFailures(job: CrawlJob<CrawledPage>, isList: boolean, log: Log): Set<string> {
  const reported = new Set<string>();
  job.on('pageFailed', (failure) => {
    if (isList || job.progress.completed > 0) reportFailure(failure, reported, log);
  });
  return reported;
}

function reportFailure(failure: PageFailure, reported: Set<string>, log: Log): void {
  reported.add(failure.url);
  const lines = reported.size > mostFailures ? [] : [failureLine(failure)];
  log.info('failed', plainFailure(failure), ...lines);
}

/** A failure without the document of the error page. */
function plainFailure({ document: _, error, ...failure }: PageFailure): PageFailure {
  return { ...failure, error: forCommandLine(error) };
}

function viewedJob(job: CrawlJob<CrawledPage>): ViewedJob {
  return {
    counts: () => job.progress,
    active: () => job.active,
    bytes: () => job.progress.usage.bytes,
  };
}

/** The destinations of the pages. */
async function openSinks(
  { job, client }: Pick<RunningPages, 'job' | 'client'>,
  values: PageOutput,
  log: Log,
): Promise<PageSink[]> {
  const { output, outputFormat, relativeLinks, jsonl, report } = values;
  const { allowSubdomains, allowExternalLinks } = values;
  const sinks: PageSink[] = [];
  if (output !== undefined) {
    // Pages of many hosts may have the same path.
    const byHost = allowSubdomains === true || allowExternalLinks === true;
    const readAsset = client.readAsset.bind(client);
    const details = { outputFormat, byHost, relativeLinks, readAsset };
    const sink = await openDocumentOutput(output, details, log);
    sinks.push(fileSink(output === '-' ? 'stdout' : output, sink));
  }
  if (typeof jsonl === 'string' && jsonl !== '-') {
    sinks.push(fileSink(jsonl, jsonlSink(await createFile(jsonl))));
  } else if (output === undefined || jsonl !== undefined) {
    sinks.push(fileSink('stdout', jsonlSink(openStdout(log))));
  }
  if (report !== undefined) {
    const sink = fileSink(report, await reportSink(job, report));
    // A job without a page gets its report, too.
    sinks.push({ ...sink, close: (keep) => sink.close(keep || job.progress.discovered > 0) });
  }
  return sinks;
}

/** Counts that are made while pages are written. */
interface WrittenCounts {
  pages: number;
  /** Pages by the status of their response. */
  readonly statuses: Map<number, number>;
  /** The time of `performance.now()`. */
  readonly started: number;
}

function countStatus(statuses: Map<number, number>, status: number | undefined): void {
  if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** A job that has ended here, and the outcome of its pages. */
interface WrittenPages {
  readonly job: CrawlJob<CrawledPage>;
  readonly sinks: readonly PageSink[];
  readonly written: WrittenCounts;
  /** URLs of failures that were reported. */
  readonly reported: Set<string>;
  /** True for a job that can be resumed after an interruption. */
  readonly isLeft: boolean;
}

function writeSummary(
  { job, sinks, written, reported, isLeft }: WrittenPages,
  values: PageOutput,
  run: CommandRun,
): void {
  const { log } = run;
  const { status, failed, skipped, pending, warning, stop, redactions, usage } = job.progress;
  const errors = job.errors();
  const statuses = new Map(written.statuses);
  for (const { statusCode } of errors) countStatus(statuses, statusCode);
  // A resumed job has failures of earlier processes, too.
  for (const failure of errors)
    if (!reported.has(failure.url)) reportFailure(failure, reported, log);
  const unreported = withoutSentences(log.warnings, warning);
  const isResumable = isLeft && (status === 'cancelled' || errors.length > 0);
  const facts: CrawlFacts = {
    status,
    completed: written.pages,
    failed,
    skipped,
    pending,
    bytes: usage.bytes,
    seconds: Math.round(performance.now() - written.started) / 1000,
    statuses: Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
    writtenTo: sinks.map(({ name }) => name),
    ...firstFile(sinks),
    errors: errors.map(plainFailure),
    skippedByReason: job.skippedByReason(),
    ...(stop === undefined ? {} : { stop }),
    ...(redactions === undefined ? {} : { redactions }),
    ...(warning === undefined ? {} : { warning: warningForCommandLine(warning) }),
    ...(isResumable ? { resume: resumeHint(job, values, run) } : {}),
  };
  const text = unreported === undefined ? undefined : warningForCommandLine(unreported);
  log.info('summary', facts, ...summaryLines({ ...facts, warning: text }));
}

function firstFile(sinks: readonly PageSink[]): { firstFile?: string } {
  const [file] = sinks.flatMap(({ first }) => first?.() ?? []);
  return file === undefined ? {} : { firstFile: file };
}

/**
 * The command that resumes a job, with the options of this run that it takes, too; one with failed pages retries
 * them. Passwords in URLs are left out.
 */
function resumeHint(
  { id, progress }: Pick<CrawlJob<unknown>, 'id' | 'progress'>,
  { allowSubdomains, allowExternalLinks }: PageOutput,
  run: CommandRun,
): string {
  const given = run.optionsFor('resume');
  const retries = progress.failed > 0 && !given.includes('--retry-failed');
  const isByHost =
    (allowSubdomains ?? allowExternalLinks) === true &&
    given.includes('--output') &&
    !given.includes('--by-host');
  return [
    ...programWords(),
    'resume',
    id,
    ...given,
    ...(isByHost ? ['--by-host'] : []),
    ...(retries ? ['--retry-failed'] : []),
  ]
    .map((word) => word.replace(/^([a-z]+:\/\/[^/@]*:)[^/@]*@/i, '$1…@'))
    .map((word) => (/^[\w./:@%+=,…-]+$/.test(word) ? word : shellQuoted(word)))
    .join(' ');
}

/** The words that start this program again: `npx` where it is installed in a project. */
function programWords(): string[] {
  const isLocal = /[\\/]node_modules[\\/]/.test(process.argv[1] ?? '');
  return isLocal || process.env['npm_command'] === 'exec' ? ['npx', 'pagewright'] : ['pagewright'];
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A warning without the sentences that were already logged; undefined if none is left. */
function withoutSentences(
  reported: readonly string[],
  warning: string | undefined,
): string | undefined {
  const rest = reported
    .reduce((text, sentence) => text.replace(sentence, ''), warning ?? '')
    .trim();
  return rest === '' ? undefined : rest;
}

// The destinations of a crawl's pages.

/** A page of a crawl; the command line decides its formats. */
type CrawledPage = Document<readonly FormatInput[]>;

/** An open destination for pages. */
interface PageSink {
  /** The name in the summary: `docs/`, `pages.jsonl`, `stdout`. */
  readonly name: string;
  /** The file of the first page, where each page has its own. */
  readonly first?: () => string | undefined;
  /** Resolves when the page is written: the crawl waits for it. */
  write(page: CrawledPage): Promise<void>;
  /** With `keep` the written pages stay; without it a file does not appear. */
  close(keep: boolean): Promise<void>;
}

/** A file or folder that is complete or absent. A failed write removes it. */
function fileSink(name: string, sink: DocumentSink): PageSink {
  let isBroken = false;
  const attempt = async (work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      isBroken = true;
      await sink.abandon();
      throw error;
    }
  };
  return {
    name,
    first: () => sink.first,
    write: (page) => attempt(sink.write(page)),
    async close(keep) {
      if (isBroken) return;
      if (keep) await attempt(sink.finish());
      else await sink.abandon();
    },
  };
}

// Errors in the output options.

/** Reports a requested format that no output would contain. */
export function outputProblem(
  values: PageValues & PageOutput,
  whenNone: readonly FormatInput[],
  isStored: boolean,
): string | undefined {
  const { output, outputFormat, relativeLinks, screenshots } = values;
  const problem = browserProblem(values) ?? screenshotProblem(values);
  if (problem !== undefined) return problem;
  const kind = output === undefined ? undefined : outputKind(output, outputFormat);
  if (kind === undefined && outputFormat !== undefined) return '--output-format needs --output';
  if (kind !== 'markdown' && screenshots === true) {
    return '--screenshots are written beside markdown files: name a folder with --output';
  }
  if (kind !== 'markdown' && relativeLinks === false) {
    return '--no-relative-links is for markdown files: name a folder with --output';
  }
  const noStdout = stdoutProblem(output, kind);
  if (noStdout !== undefined) return noStdout;
  const hasAssetTarget = kind === 'markdown' || kind === 'warc' || isStored;
  if (values.assets !== undefined && !hasAssetTarget) {
    return '--assets are written beside markdown or into a web archive: name it with --output, or keep them with --store';
  }
  const formats = requestedFormats(split(values, screenshotsFlags)[1], whenNone);
  return (
    archiveProblem(kind, formats) ??
    (kind === 'markdown' ? folderProblem(formats, values) : undefined)
  );
}

/** Reports the format that an archive needs and does not get. */
export function archiveProblem(
  kind: OutputKind | undefined,
  formats: readonly FormatInput[],
): string | undefined {
  if (kind === 'warc' && !formats.includes('rawHtml')) {
    return '--output writes a web archive of rawHtml, which is not among the formats; add it';
  }
  if (kind === 'har' && !formats.some((one) => isFormat(one, 'requests'))) {
    return '--output writes an HTTP archive of requests, which is not among the formats; add it';
  }
  return undefined;
}

/** A folder holds markdown and pictures only. */
function folderProblem(
  formats: readonly FormatInput[],
  { jsonl }: Pick<PageOutput, 'jsonl'>,
): string | undefined {
  if (!formats.some((one) => isFormat(one, 'markdown'))) {
    return '--output writes markdown, which is not among the formats; add it or use --jsonl instead';
  }
  if (formats.length > 1 && jsonl === undefined) {
    return '--output writes markdown only; add --jsonl for the other formats';
  }
  return undefined;
}

// The summary at the end of a crawl.

/** The contents of the summary. */
export interface CrawlFacts {
  readonly status: string;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Pages left in the queue after an interruption. */
  readonly pending: number;
  /** Received, before decompression. */
  readonly bytes: number;
  /** Duration of the command. */
  readonly seconds: number;
  /** Pages, failed ones too, by the status of their response. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The destinations of the pages. */
  readonly writtenTo: readonly string[];
  /** The file of the first page in a folder. */
  readonly firstFile?: string;
  readonly errors: readonly PageFailure[];
  readonly skippedByReason: Readonly<Partial<Record<SkipReason, number>>>;
  /** The reason that the crawl ended before its last page. */
  readonly stop?: CrawlStop;
  /** Sums of the values that were redacted, by type. */
  readonly redactions?: Readonly<Record<string, number>>;
  readonly warning?: string | undefined;
  /** The command that continues an interrupted job, or retries the failed pages of one in a store. */
  readonly resume?: string;
}

/** The summary as text. */
export function summaryLines(facts: CrawlFacts): string[] {
  const { status, completed, pending, writtenTo, firstFile, errors, skippedByReason } = facts;
  const { stop, redactions = {}, warning, resume } = facts;
  const redacted = Object.entries(redactions).map(([type, count]) => `${count} ${type}`);
  const reasons = Object.entries(skippedByReason).map(([reason, count]) => `${count} ${reason}`);
  const more = errors.length - mostFailures;
  return [
    ...(more > 0 ? [`failed: ${more} more; --log json lists all`] : []),
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
    ...(stop === undefined ? [] : [stopLine(stop)]),
    ...(redacted.length === 0 ? [] : [`redacted: ${redacted.join(', ')}`]),
    receivedLine(facts),
    ...(errors.length === 0 ? [] : [`${pageCount(errors.length)} failed: ${failureKinds(errors)}`]),
    `${pageCount(completed)} written to ${writtenTo.join(' and ')}`,
    ...(firstFile === undefined ? [] : [`look into ${firstFile}`]),
    ...(status === 'cancelled' ? [`interrupted, ${pending} URLs were still queued`] : []),
    ...(resume === undefined ? [] : [`resume with: ${resume}`]),
    ...(status === 'cancelled' && resume === undefined ? [resumableHint] : []),
  ];
}

const resumableHint =
  'this run cannot be resumed: with --store jobs (a folder) it could be, from these pages on';

/** `received 1.2 MB in 0:08: 49 × 200, 1 × 404`. */
function receivedLine({ bytes, seconds, statuses }: CrawlFacts): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const text = `received ${byteSize(bytes)} in ${clockTime(seconds)}`;
  return counts.length === 0 ? text : `${text}: ${counts.join(', ')}`;
}

/** `answered: …`, with the pages that have the answer. */
function stopLine({ coverage, pages, passages }: CrawlStop): string {
  const urls = [...new Set(passages.map(({ url }) => url))];
  const share = Math.round(coverage * 100);
  return `answered: ${pageCount(pages)} cover ${share} % of the query, best ${urls.slice(0, 2).join(' and ')}`;
}

/** `failed: 404 https://…`, or the code with the message. */
export function failureLine(failure: PageFailure): string {
  const { code, url, error } = plainFailure(failure);
  // The status is the whole message.
  if (code === 'HTTP_STATUS') return `failed: ${failure.statusCode} ${url}`;
  return `failed: ${kindOf(failure)} ${url}: ${error}`;
}

function pageCount(count: number): string {
  return `${count} ${count === 1 ? 'page' : 'pages'}`;
}

// The webhook of a finished crawl: waits for its last events, and reports lost ones.

/** Waits until every event is delivered or given up. */
export async function finishWebhook(
  job: Pick<CrawlJob<unknown>, 'delivered' | 'undelivered'>,
  log: Log,
): Promise<void> {
  await job.delivered();
  const undelivered = job.undelivered();
  const [first] = undelivered;
  if (first === undefined) return;
  const line = `${undelivered.length} webhook events were not delivered: ${first.error}`;
  log.info('undelivered', undelivered, line);
}
