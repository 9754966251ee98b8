/** Writes the report of a job: one HTML file that shows everything and loads nothing. */
import { messageOf } from '../../../core/runtime/errors.ts';
import type { ExtractJob } from '../../../core/jobs/extract-job.ts';
import type { Job } from '../../../core/jobs/job.ts';
import type { Metadata, PlainDocument } from '../../../core/model/document.ts';
import type { PageFailure, SkippedUrl } from '../../../core/model/job.ts';
import {
  type ExportSettings,
  parseExportOptions,
  type ReportOptions,
} from '../../../core/options/export-options.ts';
import { packageVersion } from '../../../core/runtime/package-version.ts';
import type { DocumentSink } from '../document-sink.ts';
import { createFile, type OpenFile } from '../open-file.ts';
import {
  packReport,
  type ReportData,
  type ReportedFacts,
  ReportRows,
  displayOptions,
  displayText,
} from './report-data.ts';
import { reportHtml } from './report-html.ts';
import { thumbnailOf } from './thumbnail.ts';

/** A crawl or a batch, as far as its report needs it. */
export type ReportedJob = AsyncIterable<PlainDocument> &
  Pick<
    Job<PlainDocument>,
    | 'id'
    | 'input'
    | 'progress'
    | 'errors'
    | 'skipped'
    | 'skippedByReason'
    | 'timings'
    | 'explain'
    | 'status'
    | 'settled'
    | 'on'
  >;

/** An extraction, as far as its report needs it. */
export type ReportedExtraction = Pick<ExtractJob<unknown, boolean>, 'id' | 'status' | 'settled'>;

/**
 * Writes one HTML file about a job once it has ended, well or not: its numbers, the tree of the site, each page
 * with its size and time, each skipped and failed URL with the reason, screenshots. The file loads nothing and
 * opens from disk. Titles and URLs of pages are shown as text; passwords in URLs and other secrets are left out.
 * A job that still runs is read to its end, as a loop over it does. Returns the number of pages in the report;
 * rejects with `STORAGE` when the file cannot be written, with `JOB_EXPIRED`, with `BAD_REQUEST`.
 *
 * @example
 * const job = crawl('https://example.com/docs/', { limit: 500 });
 * await writeReport(job, 'report.html');
 */
export async function writeReport(
  job: ReportedJob | ReportedExtraction,
  file: string,
  options: ReportOptions = {},
): Promise<number> {
  const settings = parseExportOptions('writeReport', options);
  const sink = await ReportSink.open(job, file, settings);
  try {
    if (!('explain' in job)) await job.settled();
    else await readAll(job, sink);
    await sink.finish();
    return sink.pages;
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

/** A job that ended with an error has a report, too, unless it could not even be opened. */
async function readAll(job: ReportedJob, sink: ReportSink): Promise<void> {
  try {
    for await (const document of job) await sink.write(document);
  } catch (error) {
    const { status, discovered } = job.progress;
    const { code } = error as { readonly code?: unknown };
    if (status === 'scraping' || discovered === 0 || code === 'JOB_EXPIRED') throw error;
    sink.fail(error);
  }
  await sink.readEarlier();
}

/**
 * Opens a report that is written while the documents of a job go to other outputs, too: `write()` each, then
 * `finish()`, which waits for the end of the job.
 */
export function reportSink(
  job: ReportedJob | ReportedExtraction,
  file: string,
  options: ReportOptions = {},
): Promise<DocumentSink> {
  return ReportSink.open(job, file, parseExportOptions('writeReport', options));
}

/** Bytes of the thumbnails of a report. */
const mostThumbnailBytes = 10_000_000;

/** Skipped URLs that are held at once. */
const skippedAtOnce = 10_000;

class ReportSink implements DocumentSink {
  readonly #job: ReportedJob | ReportedExtraction;
  readonly #file: OpenFile;
  readonly #settings: ExportSettings<'writeReport'>;
  readonly #rows = new ReportRows();
  /** The rows of pages and failures by URL. */
  readonly #rowOf = new Map<string, number>();
  readonly #screenshots: [row: number, image: string][] = [];
  #thumbnailBytes = 0;
  #screenshotsLeftOut = 0;
  #error: unknown;
  /** Documents received, including documents without a row. */
  #documents = 0;
  pages = 0;

  static async open(
    job: ReportedJob | ReportedExtraction,
    file: string,
    settings: ExportSettings<'writeReport'>,
  ): Promise<ReportSink> {
    return new ReportSink(job, await createFile(file), settings);
  }

  private constructor(
    job: ReportedJob | ReportedExtraction,
    file: OpenFile,
    settings: ExportSettings<'writeReport'>,
  ) {
    this.#job = job;
    this.#file = file;
    this.#settings = settings;
    if ('explain' in job) job.on('failed', ({ error }) => this.fail(error));
  }

  /** The error of the job. */
  fail(error: unknown): void {
    this.#error = error;
  }

  async write(document: PlainDocument): Promise<void> {
    this.#documents += 1;
    if (this.pages >= this.#settings.limit) return;
    const url = this.#urlOf(document.metadata.sourceURL);
    if (this.#rowOf.has(url)) return;
    const row = this.#addPage(url, document.metadata, document.warning);
    await this.#addScreenshot(row, document);
  }

  /** Reads the documents before the loop's first one: those a resumed job already had. */
  async readEarlier(): Promise<void> {
    const job = this.#job;
    if (!('explain' in job)) return;
    let skip: number | undefined = 0;
    while (skip !== undefined && this.#documents < job.progress.completed) {
      const { data, next }: Awaited<ReturnType<typeof job.status>> = await job.status({ skip });
      for (const document of data) await this.write(document);
      skip = data.length === 0 ? undefined : next;
    }
  }

  async finish(): Promise<void> {
    await this.#job.settled();
    const data = 'explain' in this.#job ? this.#jobData(this.#job) : this.#extractData(this.#job);
    await this.#file.write(reportHtml(data.title, await packReport(data)));
    await this.#file.finish();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }

  #addPage(url: string, metadata: Partial<Metadata>, warning?: string): number {
    const { title, statusCode, engine, depth, parentUrl, discoveredBy, creditsUsed } = metadata;
    this.pages += 1;
    const row = this.#rows.add({
      state: 'page',
      url,
      finalUrl: metadata.url === url ? undefined : metadata.url,
      parent: parentUrl ?? this.#parentOf(url),
      title: typeof title === 'string' ? title : undefined,
      statusCode,
      note: warning,
      engine,
      foundBy: discoveredBy,
      depth,
      credits: creditsUsed,
      cache: metadata.cacheState,
    });
    this.#rowOf.set(url, row);
    return row;
  }

  /** The URL by which the job knows a page; a batch may spell it differently. */
  #urlOf(url: string): string {
    return ('explain' in this.#job ? this.#job.explain(url)?.url : undefined) ?? url;
  }

  #parentOf(url: string): string | undefined {
    const outcome = 'explain' in this.#job ? this.#job.explain(url) : undefined;
    return outcome?.parent;
  }

  async #addScreenshot(row: number, document: PlainDocument): Promise<void> {
    const screenshot = firstScreenshot(document);
    if (screenshot === undefined || this.#settings.screenshots === 'skip') return;
    const image =
      this.#thumbnailBytes < mostThumbnailBytes ? await thumbnailOf(screenshot) : undefined;
    if (image === undefined) this.#screenshotsLeftOut += 1;
    else {
      this.#thumbnailBytes += image.length;
      this.#screenshots.push([row, image]);
    }
  }

  #jobData(job: ReportedJob): ReportData {
    const { input, progress } = job;
    const { limit } = this.#settings;
    const failures = job.errors();
    for (const failure of failures.slice(0, limit)) this.#addFailure(failure);
    const fetched = new Map<string, number>(this.#rowOf);
    let skipped = 0;
    while (skipped < limit) {
      const count = Math.min(skippedAtOnce, limit - skipped);
      const skips = job.skipped({ skip: skipped, limit: count });
      for (const skip of skips) {
        const row = this.#addSkip(skip);
        if (!fetched.has(skip.url)) fetched.set(skip.url, row);
      }
      skipped += skips.length;
      if (skips.length < count) break;
    }
    for (const { url, fetchedAt, durationMs, bytes } of job.timings()) {
      const row = fetched.get(url) ?? this.#pageWithoutDocument(job, url);
      // Nothing came of a page that did not answer: its size is not 0 but unknown.
      if (row === undefined) continue;
      const size = bytes === 0 && this.#rows.isFailure(row) ? -1 : bytes;
      this.#rows.time(row, { at: Date.parse(fetchedAt), durationMs, bytes: size });
    }
    const { id, status, createdAt, completedAt, completed, failed, pending } = progress;
    const { creditsUsed, usage, warning } = progress;
    return this.#data(
      {
        id,
        verb: input?.verb ?? 'job',
        url: input?.url,
        options: input?.options ?? {},
        status,
        createdAt,
        completedAt,
        completed,
        failed,
        skipped: progress.skipped,
        pending,
        creditsUsed,
        usage,
        warning,
        error: this.#error === undefined ? undefined : messageOf(this.#error),
      },
      job.skippedByReason(),
      {
        pages: Math.max(0, completed - this.pages),
        failed: Math.max(0, failures.length - limit),
        skipped: Math.max(0, progress.skipped - skipped),
      },
    );
  }

  /** The row of a page whose document is not stored, or was not received. */
  #pageWithoutDocument(job: ReportedJob, url: string): number | undefined {
    if (this.pages >= this.#settings.limit) return undefined;
    return job.explain(url)?.state === 'completed' ? this.#addPage(url, { url }) : undefined;
  }

  #extractData(job: ReportedExtraction): ReportData {
    const { limit } = this.#settings;
    const state = job.status();
    const { id, status, createdAt, completedAt, creditsUsed, usage, warning } = state;
    const { pages, errors, skipped } = state;
    for (const { url, cacheState, isUsed } of pages.slice(0, limit)) {
      const note = isUsed ? undefined : 'No value of this page is in the data.';
      this.#addPage(url, { url, ...(cacheState && { cacheState }) }, note);
    }
    for (const failure of errors.slice(0, limit)) this.#addFailure(failure);
    for (const skip of skipped.slice(0, limit)) this.#addSkip(skip);
    const counts = { completed: pages.length, failed: errors.length, skipped: skipped.length };
    const facts: ReportedFacts = {
      id,
      verb: 'extract',
      options: {},
      status,
      createdAt,
      completedAt,
      pending: 0,
      ...counts,
      creditsUsed,
      usage,
      warning,
    };
    return this.#data(facts, skipped.length === 0 ? {} : { BUDGET: skipped.length }, {
      pages: Math.max(0, pages.length - limit),
      failed: Math.max(0, errors.length - limit),
      skipped: Math.max(0, skipped.length - limit),
    });
  }

  #addFailure(failure: PageFailure): void {
    const { url, code, error, statusCode, parent, timestamp, kept } = failure;
    const row = this.#rows.add({
      state: 'failed',
      url,
      parent,
      statusCode,
      code,
      note: error,
      at: Date.parse(timestamp),
      keptHtml: kept?.html?.path ?? kept?.html?.key,
      keptScreenshot: kept?.screenshot?.path ?? kept?.screenshot?.key,
    });
    this.#rowOf.set(url, row);
  }

  #addSkip({ url, reason, rule, parent }: SkippedUrl): number {
    return this.#rows.add({ state: 'skipped', url, code: reason, note: rule, parent });
  }

  #data(
    job: ReportedFacts,
    skippedByReason: ReportData['skippedByReason'],
    unlisted: ReportData['unlisted'],
  ): ReportData {
    const text = (value: string | undefined): string | undefined =>
      value === undefined ? undefined : displayText(value, 5000);
    const [first] = this.#rows.texts;
    const url = text(job.url);
    const title = this.#settings.title ?? hostOf(url ?? first) ?? job.id;
    return {
      version: packageVersion(),
      writtenAt: new Date().toISOString(),
      title: displayText(title, 300),
      job: {
        ...job,
        url,
        warning: text(job.warning),
        error: text(job.error),
        options: displayOptions(job.options) as ReportedFacts['options'],
      },
      skippedByReason,
      unlisted,
      screenshots: this.#screenshots,
      screenshotsLeftOut: this.#screenshotsLeftOut,
      texts: this.#rows.texts,
      rows: this.#rows.columns,
    };
  }
}

/** The screenshot of the format, or else the first one of the actions. */
function firstScreenshot({ screenshot, actions }: PlainDocument): string | undefined {
  if (typeof screenshot === 'string') return screenshot;
  const { screenshots } = (actions ?? {}) as { readonly screenshots?: unknown };
  const first: unknown = Array.isArray(screenshots) ? screenshots[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}
