/** The pages of a running crawl to where they belong, with progress and a summary on stderr. */
import type { CrawlJob } from '../index.ts';
import { forCommandLine, warningForCommandLine } from './describe-error.ts';
import { openDocumentOutput } from './document-output.ts';
import { type CrawlFacts, summaryLines } from './crawl-summary.ts';
import { ExitCode } from './exit-code.ts';
import type { FrontierValues } from './frontier-options.ts';
import { onInterrupt } from './interrupt.ts';
import { jsonLines } from './json-lines.ts';
import { notice } from './notice.ts';
import { ClosedOutput } from './output.ts';
import type { OutputKind } from './output-kind.ts';
import { type CrawledPage, fileSink, type PageSink } from './page-sink.ts';
import { type ProgressLine, showProgress } from './progress-line.ts';

/** Where pages go and what is said on the way. */
export interface PageOutput extends Pick<FrontierValues, 'allowSubdomains' | 'allowExternalLinks'> {
  /** A folder for markdown files, or a file of another kind. */
  readonly output?: string;
  /** The kind, where the name does not say it. */
  readonly outputFormat?: OutputKind;
  /** Links between markdown files are relative. */
  readonly relativeLinks?: true;
  /** A file for lines of JSON; true and `-` are stdout, as is saying neither this nor `output`. */
  readonly jsonl?: string | true;
  /** Summary and errors as lines of JSON, no progress. */
  readonly json?: true;
  /** No progress and no summary. */
  readonly quiet?: true;
  /** Warnings that were shown already. */
  readonly told?: readonly string[];
  /** False: failed pages are not told by the exit code. @default true */
  readonly strict?: boolean;
}

/** Writes pages as they come; the job waits for a slow reader. Gives the exit code. */
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
  // On the terminal that shows the pages, a line that is rewritten would be torn apart.
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
  const untold = json === true ? warning : without(told, warning);
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
  if (json === true) notice(JSON.stringify({ summary: facts }));
  else for (const line of summaryLines(facts)) notice(line);
}

/** A warning without the sentences that were shown already; undefined where none is left. */
function without(told: readonly string[] = [], warning: string | undefined): string | undefined {
  const rest = told.reduce((text, sentence) => text.replace(sentence, ''), warning ?? '').trim();
  return rest === '' ? undefined : rest;
}
