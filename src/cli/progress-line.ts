/** How far a crawl is: one line, rewritten in place on a terminal, repeated now and then elsewhere. */

/** The numbers of the line. */
export interface ProgressCounts {
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly pending: number;
}

/** Where the line goes; `process.stderr` fits. */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Milliseconds between two lines. */
const terminalInterval = 100;
const logInterval = 5000;

/** A line that is being shown. Disposing takes it away without a last word. */
export interface ProgressLine extends Disposable {
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
