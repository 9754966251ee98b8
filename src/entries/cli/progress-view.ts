/** The views of running work: a bar with counts, rate and active pages for a job, a line for a single page. */
import type { JobCounts } from '../../core/model/job.ts';
import type { LiveView, Painter } from './log.ts';
import { byteSize, clockTime, fit, readableUrl } from './terminal-text.ts';

const limits = {
  narrow: 20, // columns below which a view is a single line
  active: 4, // active pages that have a line of their own
  rateWindow: 15_000, // milliseconds over which the rate is measured
  settledAfter: 4000, // milliseconds without a new page after which the pages found count as all
};

/** The part of a job that a view shows; crawls, batches and extractions have it. */
export interface ViewedJob {
  /** URLs by state, and the total that is done or may become documents. */
  counts(): JobCounts & { readonly total?: number };
  /** URLs of the active pages, the oldest first. */
  active(): readonly string[];
  /** Bytes received. */
  bytes(): number;
}

/** Facts about a job before it runs. */
interface JobFacts {
  /** The word before the bar: `crawl`. */
  readonly verb: string;
  /** Documents at most. */
  readonly limit?: number | undefined;
  /** True if every page is known from the start, and none is found during the run. @default false */
  readonly isList?: boolean;
  /** Pages that an earlier process of the job finished. @default 0 */
  readonly before?: number;
}

/** Milliseconds and pages before the time left is estimated. */
const [earliest, fewest] = [2000, 3];

/** The view of a job that has begun. */
export class JobView implements LiveView {
  readonly #job: ViewedJob;
  readonly #facts: JobFacts;
  readonly #started = performance.now();
  readonly #before: number;
  readonly #samples: { readonly at: number; readonly done: number }[] = [];
  #frame = 0;
  #known = 0;
  #knownSince = performance.now();

  constructor(job: ViewedJob, facts: JobFacts) {
    this.#job = job;
    this.#facts = facts;
    this.#before = facts.before ?? 0;
  }

  lines(columns: number, paint: Painter): string[] {
    const counts = this.#job.counts();
    const now = performance.now();
    const rate = this.#rate(counts, now);
    const goal = this.#goal(counts, now);
    const spinner = spinnerFrame(this.#frame++);
    const room = columns - 1;
    const numbers = [
      ...(goal.total === 0 ? [] : [`${goal.done} of ${goal.total}${goal.isSure ? '' : ' found'}`]),
      ...(rate === undefined ? [] : [rateText(rate)]),
      ...this.#timeLeft(goal, rate, now),
    ];
    const head = `${spinner} ${this.#facts.verb}`;
    const text = partsWithin(numbers, room - head.length - 2);
    const barRoom = Math.min(40, room - head.length - text.length - 5);
    const bar = barRoom < 8 ? '' : `  ${progressBar(goal, barRoom, paint)}`;
    if (columns < limits.narrow) return [fit(`${spinner} ${numbers[0] ?? ''}`, room)];
    const first = `${paint('cyan', spinner)} ${paint('bold', this.#facts.verb)}${bar}  ${text}`;
    const active = this.#job.active();
    const rest = active.length - limits.active;
    return [
      first,
      paint('dim', fit(`  ${this.#details(counts).join(', ')}`, room)),
      ...active.slice(0, limits.active).map((url) => `  ${fit(readableUrl(url), room - 2)}`),
      ...(rest > 0 ? [paint('dim', fit(`  and ${rest} more`, room))] : []),
    ];
  }

  line(): string {
    const counts = this.#job.counts();
    const { completed, failed, skipped, pending } = counts;
    const rate = Math.max(0, completed - this.#before) / this.#seconds();
    return `${completed} done, ${failed} failed, ${skipped} skipped, ${pending} queued, ${rate.toFixed(1)} pages/s`;
  }

  value(): unknown {
    const active = this.#job.active();
    return { ...this.#job.counts(), bytes: this.#job.bytes(), seconds: this.#seconds(), active };
  }

  #seconds(): number {
    return Math.max(0.001, Math.round(performance.now() - this.#started) / 1000);
  }

  #details({ failed, skipped, pending }: JobCounts): string[] {
    const { length: active } = this.#job.active();
    return [
      `${Math.max(0, pending - active)} queued`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
      byteSize(this.#job.bytes()),
      clockTime(this.#seconds()),
    ];
  }

  /** Pages done a second, of late; undefined before there is one to count. */
  #rate({ completed, failed }: JobCounts, now: number): number | undefined {
    const done = completed + failed;
    const samples = this.#samples;
    // Earlier pages come from the store at once.
    if (completed <= this.#before) samples.length = 0;
    samples.push({ at: now, done });
    while (samples.length > 2 && now - (samples[1]?.at ?? now) > limits.rateWindow) samples.shift();
    const first = samples[0];
    if (first === undefined || done === first.done || now - first.at < 1000) return undefined;
    return ((done - first.done) * 1000) / (now - first.at);
  }

  /** The progress of the job. The goal of a crawl is its limit, or else the pages found so far. */
  #goal({ completed, failed, pending, total }: ReturnType<ViewedJob['counts']>, now: number): Goal {
    const found = completed + failed + pending;
    // A resumed job does not report its limit: its total reveals one.
    const known = total === undefined || total >= found ? Infinity : total - failed;
    const { limit = known, isList = false } = this.#facts;
    if (found !== this.#known) {
      this.#known = found;
      this.#knownSince = now;
    }
    // A failed page frees its slot.
    if (completed + pending >= limit)
      return { done: completed, total: limit, isSure: true, isSettled: true };
    const isSettled = isList || now - this.#knownSince > limits.settledAfter;
    return { done: completed + failed, total: found, isSure: isList, isSettled };
  }

  #timeLeft({ done, total, isSettled }: Goal, rate: number | undefined, now: number): string[] {
    const hasRun = now - this.#started > earliest && done - this.#before >= fewest;
    if (!isSettled || !hasRun || rate === undefined || done >= total) return [];
    return [`${clockTime((total - done) / rate)} left`];
  }
}

interface Goal {
  readonly done: number;
  readonly total: number;
  /** False while further pages may be found. */
  readonly isSure: boolean;
  /** True if the time left can be estimated. */
  readonly isSettled: boolean;
}

/** The view of work without counts: a page, a search for URLs. */
export function lineView(text: string): LiveView {
  const started = performance.now();
  let frame = 0;
  return {
    lines: (columns, paint) => {
      const spinner = spinnerFrame(frame++);
      const time = clockTime((performance.now() - started) / 1000);
      if (columns < limits.narrow) return [fit(`${spinner} ${time}`, columns - 1)];
      const fitted = fit(text, columns - 4 - time.length - 1);
      return [`${paint('cyan', spinner)} ${fitted}  ${paint('dim', time)}`];
    },
  };
}

function rateText(rate: number): string {
  return rate >= 1 ? `${rate.toFixed(1)}/s` : `${Math.round(rate * 60)}/min`;
}

/** As many of the parts as fit, in their order. */
function partsWithin(parts: readonly string[], columns: number): string {
  let text = '';
  for (const part of parts) {
    const longer = text === '' ? part : `${text}  ${part}`;
    if (longer.length > columns) break;
    text = longer;
  }
  return text;
}

function progressBar({ done, total }: Goal, width: number, paint: Painter): string {
  const filled = total === 0 ? 0 : Math.min(width, Math.round((done / total) * width));
  return paint('green', full.repeat(filled)) + paint('dim', empty.repeat(width - filled));
}

/** The console of Linux has few characters. */
const isPlain = process.env['TERM'] === 'linux';
const [full, empty] = isPlain ? ['#', '-'] : ['━', '─'];
const spinnerFrames = isPlain ? '|/-\\' : '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

function spinnerFrame(frame: number): string {
  return spinnerFrames[frame % spinnerFrames.length] ?? '';
}
