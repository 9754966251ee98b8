import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressText, showProgress } from '../../src/cli/write-pages.ts';

const counts = { completed: 12, failed: 1, skipped: 30, pending: 4 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function target(facts: { isTTY?: boolean; columns?: number } = {}): {
  isTTY?: boolean;
  columns?: number;
  written: string[];
  write(text: string): void;
} {
  const written: string[] = [];
  return { ...facts, written, write: (text) => void written.push(text) };
}

test('the line has the four counts and the rate', () => {
  expect(progressText(counts, 0.5)).toBe('12 done, 1 failed, 30 skipped, 4 queued, 24.0 pages/s');
  expect(progressText(counts, 0)).toContain('0.0 pages/s');
});

test('on a terminal the line is rewritten in place, ten times a second, and ended once', () => {
  const terminal = target({ isTTY: true, columns: 200 });
  using progress = showProgress(terminal, () => counts);
  vi.advanceTimersByTime(1000);
  expect(terminal.written).toHaveLength(10);
  const line = ['\r12 done, 1 failed, 30 skipped, 4 queued, ', ' pages/s\x1b[K'];
  for (const text of terminal.written) expect(text.split(/\d+\.\d/)).toEqual(line);
  progress.finish();
  vi.advanceTimersByTime(1000);
  expect(terminal.written).toHaveLength(11);
  expect(terminal.written.at(-1)?.split(/\d+\.\d/)).toEqual([line[0], `${line[1]}\n`]);
});

test.each([
  [20, '\r12 done, 1 failed, \x1b[K'],
  // Some terminals say that they have no columns.
  [0, '\r12 done, 1 failed, 30 skipped, 4 queued, 120.0 pages/s\x1b[K'],
])('on a terminal of %i columns the line does not wrap', (columns, line) => {
  const terminal = target({ isTTY: true, columns });
  using _ = showProgress(terminal, () => counts);
  vi.advanceTimersByTime(100);
  expect(terminal.written).toEqual([line]);
});

test('elsewhere a whole line comes every five seconds and at the end, without control codes', () => {
  const log = target();
  using progress = showProgress(log, () => counts);
  vi.advanceTimersByTime(12_000);
  expect(log.written).toHaveLength(2);
  progress.finish();
  expect(log.written).toHaveLength(3);
  for (const text of log.written) expect(text).toMatch(/^12 done, [\w ,.]*pages\/s\n$/);
  expect(log.written.at(-1)).toContain('1.0 pages/s');
});

test('a line that is not finished goes without a trace', () => {
  const terminal = target({ isTTY: true });
  const log = target();
  showProgress(terminal, () => counts)[Symbol.dispose]();
  showProgress(log, () => counts)[Symbol.dispose]();
  vi.advanceTimersByTime(12_000);
  expect(terminal.written).toEqual(['\r\x1b[K']);
  expect(log.written).toEqual([]);
});
