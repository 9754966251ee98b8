/** Writes the pages of a running crawl or batch, with progress and a summary on stderr. */
import type { DocumentSink } from '../export/document-sink.ts';
import type { CrawlJob, Document, FormatInput, PageFailure, SkipReason } from '../index.ts';
import { failureKinds, kindOf } from '../jobs/page-failure.ts';
import { ExitCode, forCommandLine, onInterrupt, warningForCommandLine } from './command-errors.ts';
import type { FrontierValues } from './frontier-options.ts';
import {
  ClosedOutput,
  formatWhenNone,
  openDocumentOutput,
  openOutput,
  type OutputKind,
  outputKind,
  writeNotice,
} from './output.ts';
import {
  browserProblem,
  type BrowserValues,
  type ContentValues,
  requestedFormats,
  screenshotProblem,
} from './page-options.ts';

/** Options of the output and of notices. */
export interface PageOutput extends Pick<FrontierValues, 'allowSubdomains' | 'allowExternalLinks'> {
  /** A folder for markdown files, or a file of another kind. */
  readonly output?: string;
  /** Overrides the kind given by the name. */
  readonly outputFormat?: OutputKind;
  /** Links between markdown files are relative. */
  readonly relativeLinks?: true;
  /** A file for JSON lines; true and `-` are stdout, and so is neither this nor `output`. */
  readonly jsonl?: string | true;
  /** Summary and errors as lines of JSON, no progress. */
  readonly json?: true;
  /** No progress and no summary. */
  readonly quiet?: true;
  /** Warnings that are already shown. */
  readonly told?: readonly string[];
  /** False: failed pages do not change the exit code. @default true */
  readonly strict?: boolean;
}

/** Writes pages as they arrive; the job waits for a slow reader. Returns the exit code. */
export async function writePages(job: CrawlJob<CrawledPage>, values: PageOutput): Promise<number> {
  const sinks = await openSinks(values);
  let written = 0;
  let isComplete = false;
  using progress = openProgress(job, sinks, values);
  using _ = onInterrupt(() => job.cancel());
  const summarize = (): void => {
    progress?.finish();
    writeSummary(job, sinks, written, values);
  };
  try {
    for await (const page of job) {
      for (const sink of sinks) await sink.write(page);
      written += 1;
    }
    isComplete = true;
  } catch (error) {
    if (written > 0 && !(error instanceof ClosedOutput)) summarize();
    throw error;
  } finally {
    for (const sink of sinks) await sink.close(isComplete || written > 0);
  }
  summarize();
  if (job.progress.status === 'cancelled') return ExitCode.interrupted;
  return values.strict !== false && job.progress.failed > 0
    ? ExitCode.failedPages
    : ExitCode.success;
}

async function openSinks(values: PageOutput): Promise<PageSink[]> {
  const { output, outputFormat, relativeLinks, jsonl, allowSubdomains, allowExternalLinks } =
    values;
  const sinks: PageSink[] = [];
  if (output !== undefined) {
    // Pages of many hosts may have the same path.
    const byHost = allowSubdomains === true || allowExternalLinks === true;
    const sink = await openDocumentOutput(output, { outputFormat, byHost, relativeLinks });
    sinks.push(fileSink(output, sink));
  }
  if (output === undefined || jsonl !== undefined) {
    sinks.push(await jsonLines(typeof jsonl === 'string' ? jsonl : '-'));
  }
  return sinks;
}

function openProgress(
  job: CrawlJob<CrawledPage>,
  sinks: readonly PageSink[],
  { quiet, json }: PageOutput,
): ProgressLine | undefined {
  if (quiet === true || json === true) return undefined;
  // On a terminal that also shows the pages, a rewritten line would break.
  const shared = process.stdout.isTTY && sinks.some(({ name }) => name === 'stdout');
  const { stderr } = process;
  const target = shared ? { write: (text: string) => stderr.write(text) } : stderr;
  return showProgress(target, () => job.progress);
}

function writeSummary(
  job: CrawlJob<CrawledPage>,
  sinks: readonly PageSink[],
  written: number,
  { quiet, json, told }: PageOutput,
): void {
  if (quiet === true) return;
  const { status, failed, skipped, pending, warning } = job.progress;
  const untold = json === true ? warning : withoutFields(told, warning);
  const facts: CrawlFacts = {
    status,
    completed: written,
    failed,
    skipped,
    pending,
    writtenTo: sinks.map(({ name }) => name),
    errors: job.errors().map(({ document: _, error, ...failure }) => {
      return { ...failure, error: forCommandLine(error) };
    }),
    skippedByReason: job.skippedByReason(),
    ...(untold === undefined ? {} : { warning: warningForCommandLine(untold) }),
  };
  if (json === true) writeNotice(JSON.stringify({ summary: facts }));
  else for (const line of summaryLines(facts)) writeNotice(line);
}

/** A warning without the sentences that are already shown; undefined if none is left. */
function withoutFields(
  told: readonly string[] = [],
  warning: string | undefined,
): string | undefined {
  const rest = told.reduce((text, sentence) => text.replace(sentence, ''), warning ?? '').trim();
  return rest === '' ? undefined : rest;
}

// The destinations of a crawl's pages.

/** A page of a crawl; the command line decides its formats. */
type CrawledPage = Document<readonly FormatInput[]>;

/** An open destination for pages. */
interface PageSink {
  /** The name in the summary: `docs/`, `pages.jsonl`, `stdout`. */
  readonly name: string;
  /** Resolves when the page is written: the crawl waits for it. */
  write(page: CrawledPage): Promise<void>;
  /** With `keep` the written pages stay; without it a file does not appear. */
  close(keep: boolean): Promise<void>;
}

/** A file or folder that is complete or absent. After a failed write it is not kept. */
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
    write: (page) => attempt(sink.write(page)),
    async close(keep) {
      if (isBroken) return;
      if (keep) await attempt(sink.finish());
      else await sink.abandon();
    },
  };
}

// Pages as JSON lines.

/** Opens a file, or stdout for `-`. */
async function jsonLines(path: string): Promise<PageSink> {
  const output = await openOutput(path);
  return {
    name: path === '-' ? 'stdout' : path,
    write: (page) => output.write(`${JSON.stringify(page)}\n`),
    close: () => output.close(),
  };
}

// Errors in the output options.

/** Reports a requested format that no output would contain. */
export function outputProblem(
  values: ContentValues & BrowserValues & PageOutput,
): string | undefined {
  const { output, outputFormat, relativeLinks, screenshots } = values;
  const problem = browserProblem(values) ?? screenshotProblem(values);
  if (problem !== undefined) return problem;
  const kind = output === undefined ? undefined : outputKind(output, outputFormat);
  if (kind === undefined && outputFormat !== undefined) return '--output-format needs --output';
  if (kind !== 'markdown' && screenshots === true) {
    return '--screenshots are written beside markdown files: say where with --output';
  }
  if (kind !== 'markdown' && relativeLinks === true) {
    return '--relative-links are those of markdown files: name a folder with --output';
  }
  const formats = requestedFormats({ ...values, screenshots: undefined }, formatWhenNone(values));
  if (kind === 'warc' && !formats.includes('rawHtml')) {
    return '--output writes a web archive of rawHtml, which is not among the formats; add it';
  }
  return kind === 'markdown' ? folderProblem(formats, values) : undefined;
}

/** A folder holds markdown and pictures only. */
function folderProblem(
  formats: readonly FormatInput[],
  { jsonl }: Pick<PageOutput, 'jsonl'>,
): string | undefined {
  if (!formats.includes('markdown')) {
    return '--output writes markdown, which is not among the formats; add it or use --jsonl instead';
  }
  if (formats.length > 1 && jsonl === undefined) {
    return '--output writes markdown only; add --jsonl for the other formats';
  }
  return undefined;
}

// Progress of a crawl: one line, rewritten in place on a terminal, repeated at intervals elsewhere.

/** The counts in the line. */
export interface ProgressCounts {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly pending: number;
}

/** The stream of the line; `process.stderr` fits. */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Milliseconds between two lines. */
const terminalInterval = 100;

const logInterval = 5000;

/** A line on the screen. Disposing removes it without final numbers. */
interface ProgressLine extends Disposable {
  /** Shows the final numbers. */
  finish(): void;
}

/** Shows the line until it is finished or disposed of. It keeps no process alive. */
export function showProgress(target: ProgressTarget, counts: () => ProgressCounts): ProgressLine {
  const { isTTY = false, columns = 0 } = target;
  const started = performance.now();
  const line = (): string => progressText(counts(), (performance.now() - started) / 1000);
  // A line that wraps would not be overwritten.
  const inPlace = (): string => `\r${line().slice(0, (columns || 80) - 1)}\x1b[K`;
  const timer = isTTY
    ? setInterval(() => target.write(inPlace()), terminalInterval)
    : setInterval(() => target.write(`${line()}\n`), logInterval);
  timer.unref();
  return {
    finish: () => {
      clearInterval(timer);
      target.write(isTTY ? `${inPlace()}\n` : `${line()}\n`);
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      if (isTTY) target.write('\r\x1b[K');
    },
  };
}

/** `12 done, 1 failed, 30 skipped, 4 queued, 23.4 pages/s` */
export function progressText(counts: ProgressCounts, seconds: number): string {
  const { completed, failed, skipped, pending } = counts;
  const rate = seconds > 0 ? completed / seconds : 0;
  return `${completed} done, ${failed} failed, ${skipped} skipped, ${pending} queued, ${rate.toFixed(1)} pages/s`;
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
  /** The destinations of the pages. */
  readonly writtenTo: readonly string[];
  readonly errors: readonly PageFailure[];
  readonly skippedByReason: Readonly<Partial<Record<SkipReason, number>>>;
  readonly warning?: string;
}

/** Most failed pages that are listed. */
const mostFailures = 20;

/** The summary as text. */
export function summaryLines(facts: CrawlFacts): string[] {
  const { status, completed, pending, writtenTo, errors, skippedByReason, warning } = facts;
  const reasons = Object.entries(skippedByReason).map(([reason, count]) => `${count} ${reason}`);
  const more = errors.length - mostFailures;
  return [
    ...errors.slice(0, mostFailures).map(failureLine),
    ...(more > 0 ? [`failed: ${more} more; --json lists all`] : []),
    ...(reasons.length === 0 ? [] : [`skipped: ${reasons.join(', ')}`]),
    ...(warning === undefined ? [] : [`warning: ${warning}`]),
    `${pageCount(completed)} written to ${writtenTo.join(' and ')}`,
    ...(errors.length === 0 ? [] : [`${pageCount(errors.length)} failed: ${failureKinds(errors)}`]),
    ...(status === 'cancelled' ? [`interrupted, ${pending} URLs were still queued`] : []),
  ];
}

function failureLine(failure: PageFailure): string {
  const { code, url, error } = failure;
  // The status is the whole message.
  const why = code === 'HTTP_STATUS' ? '' : `: ${error}`;
  return `failed: ${kindOf(failure)} ${url}${why}`;
}

function pageCount(count: number): string {
  return `${count} ${count === 1 ? 'page' : 'pages'}`;
}

// The webhook of a finished crawl: waits for its last events, and reports lost ones.

/** Waits until every event is delivered or given up. */
export async function finishWebhook(
  job: Pick<CrawlJob<unknown>, 'delivered' | 'undelivered'>,
  { quiet, json }: { readonly quiet?: true; readonly json?: true },
): Promise<void> {
  await job.delivered();
  const undelivered = job.undelivered();
  const [first] = undelivered;
  if (first === undefined || quiet === true) return;
  if (json === true) writeNotice(JSON.stringify({ undelivered }));
  else writeNotice(`${undelivered.length} webhook events were not delivered: ${first.error}`);
}
