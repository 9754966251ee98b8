/** The views of running work on terminals of many widths, and their frames in a log. */
import stringWidth from 'string-width';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LogStream } from '../../../src/entries/cli/live-region.ts';
import { Log, type LogValues } from '../../../src/entries/cli/log.ts';
import { JobView, lineView } from '../../../src/entries/cli/progress-view.ts';
import type { JobCounts } from '../../../src/core/model/job.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const counts = { discovered: 47, completed: 12, failed: 1, skipped: 30, pending: 4 };
const plain = (_: string, text: string): string => text;

/** A job whose numbers the test sets. */
function jobOf(active: readonly string[] = [], first: JobCounts = counts) {
  const job = {
    now: first,
    counts: (): JobCounts => job.now,
    active: () => active,
    bytes: () => 1_234_567,
  };
  return job;
}

/** A stream that keeps what it is given, as a terminal or as a file. */
function stream(facts: Partial<LogStream> = {}): LogStream & { written: string[] } {
  const written: string[] = [];
  return { ...facts, written, write: (text) => written.push(text) };
}

function logTo(target: LogStream, values: LogValues = {}): Log {
  const log = new Log(target, {});
  log.configure(values);
  return log;
}

describe('the view of a job', () => {
  test('has a bar, the pages found, counts and the pages under way', () => {
    const urls = [1, 2, 3, 4, 5, 6].map((n) => `https://a.test/${n}`);
    const lines = new JobView(jobOf(urls), { verb: 'crawl' }).lines(80, plain);
    expect(lines[0]).toMatch(/^⠋ crawl {2}━+─+ {2}13 of 17 found$/);
    expect(lines.slice(1)).toEqual([
      '  0 queued, 1 failed, 30 skipped, 1.2 MB, 0:00',
      '  https://a.test/1',
      '  https://a.test/2',
      '  https://a.test/3',
      '  https://a.test/4',
      '  and 2 more',
    ]);
  });

  test('counts up to the limit once enough pages are known, and tells rate and time left', () => {
    const job = jobOf([], { ...counts, completed: 0, failed: 0, pending: 500 });
    const view = new JobView(job, { verb: 'crawl', limit: 100 });
    expect(view.lines(120, plain)[0]).toMatch(/ {2}0 of 100$/);
    for (let second = 1; second <= 5; second += 1) {
      vi.advanceTimersByTime(1000);
      job.now = { ...job.now, completed: second * 4, pending: 500 - second * 4 };
      view.lines(120, plain);
    }
    expect(view.lines(120, plain)[0]).toMatch(/ {2}20 of 100 {2}4\.0\/s {2}0:20 left$/);
    job.now = { ...job.now, completed: 100 };
    expect(view.lines(120, plain)[0]).not.toContain('left');
  });

  test('tells no time left while pages are still being found', () => {
    const job = jobOf();
    const view = new JobView(job, { verb: 'crawl' });
    for (let second = 1; second <= 6; second += 1) {
      vi.advanceTimersByTime(1000);
      job.now = { ...job.now, completed: 12 + second, pending: 4 + second };
      expect(view.lines(120, plain)[0]).not.toContain('left');
    }
    // No page is found any more.
    for (let second = 1; second <= 5; second += 1) {
      vi.advanceTimersByTime(1000);
      job.now = { ...job.now, completed: job.now.completed + 1, pending: job.now.pending - 1 };
      view.lines(120, plain);
    }
    expect(view.lines(120, plain)[0]).toMatch(/ {2}24 of 29 found {2}1\.0\/s {2}0:05 left$/);
  });

  test('does not count what an earlier process did as its rate', () => {
    const job = jobOf();
    const view = new JobView(job, { verb: 'batch', isList: true, before: 12 });
    vi.advanceTimersByTime(2000);
    job.now = { ...counts, completed: 14 };
    expect(view.line()).toBe('14 done, 1 failed, 30 skipped, 4 queued, 1.0 pages/s');
  });

  test.each([1, 2, 5, 10, 20, 40, 79, 200])('is narrower than %i columns', (columns) => {
    const urls = [
      `https://a.test/${'long/'.repeat(60)}`,
      `https://a.test/${encodeURI('漢字'.repeat(80))}`,
      `https://a.test/${encodeURI('👩‍👩‍👧‍👦'.repeat(30))}`,
    ];
    const view = new JobView(jobOf(urls), { verb: 'extract', isList: true });
    for (const line of [
      ...view.lines(columns, plain),
      ...lineView('https://a.test/').lines(columns, plain),
    ]) {
      expect(stringWidth(line)).toBeLessThan(Math.max(columns, 2));
    }
  });

  test('shows letters of URLs, and nothing that a terminal obeys', () => {
    const urls = [
      'https://a.test/%E6%BC%A2',
      'https://a.test/%1B%5B2J%0Afake%E2%80%AEgnp.exe',
      'https://a.test/\x1b[31m\x9b31m\r\n',
      'https://a.test/%E4',
    ];
    const lines = new JobView(jobOf(urls), { verb: 'crawl' }).lines(100, plain);
    expect(lines.slice(2)).toEqual([
      '  https://a.test/漢',
      '  https://a.test/�[2J�fake�gnp.exe',
      '  https://a.test/�[31m�31m��',
      '  https://a.test/%E4',
    ]);
  });
});

describe('a log', () => {
  const view = { lines: () => ['one', 'two'], line: () => 'both', value: () => ({ n: 1 }) };

  test('rewrites a view in place on a terminal, and shows the cursor at its end', () => {
    const terminal = stream({ isTTY: true, columns: 20 });
    const log = logTo(terminal, { color: false });
    const shown = log.show(view);
    vi.advanceTimersByTime(200);
    expect(terminal.written).toEqual([
      '\x1b[?25l',
      '\x1b[?2026h\rone\x1b[K\ntwo\x1b[K\x1b[J\x1b[?2026l',
      '\x1b[?2026h\r\x1b[1Aone\x1b[K\ntwo\x1b[K\x1b[J\x1b[?2026l',
    ]);
    terminal.written.length = 0;
    log.warn('Careful.');
    expect(terminal.written).toEqual(['\r\x1b[1A\x1b[J', 'warning: Careful.\n']);
    terminal.written.length = 0;
    shown.finish();
    vi.advanceTimersByTime(1000);
    expect(terminal.written).toEqual(['\x1b[?25h', 'both\n']);
    expect(process.listeners('SIGTERM')).toEqual([]);
  });

  test('erases the rows that a view takes after its terminal became narrower', () => {
    const terminal = { ...stream({ isTTY: true }), columns: 20 };
    const log = logTo(terminal);
    using _ = log.show({ lines: (columns) => ['x'.repeat(columns - 1), 'end'] });
    vi.advanceTimersByTime(100);
    terminal.columns = 10;
    vi.advanceTimersByTime(100);
    // 19 letters take two rows, and the last line one.
    expect(terminal.written.at(-1)).toContain('\r\x1b[2Axxxxxxxxx\x1b[K\n');
  });

  test('leaves no trace of a view that ends at once', () => {
    const terminal = stream({ isTTY: true });
    logTo(terminal).show(view)[Symbol.dispose]();
    vi.advanceTimersByTime(1000);
    expect(terminal.written).toEqual([]);
  });

  test.each([
    ['a file', {}, {}, ['both\n', 'both\n', 'both\n']],
    ['a file, quietly', {}, { quiet: true }, []],
    [
      'a terminal in JSON',
      { isTTY: true },
      { log: 'json' },
      ['{"progress":{"n":1}}\n', '{"progress":{"n":1}}\n'],
    ],
    ['a file in JSON', {}, { json: true }, ['{"progress":{"n":1}}\n', '{"progress":{"n":1}}\n']],
  ] as const)('writes plain lines every five seconds to %s', (_, facts, values, expected) => {
    const target = stream(facts);
    const shown = logTo(target, values).show(view);
    vi.advanceTimersByTime(12_000);
    shown.finish();
    vi.advanceTimersByTime(12_000);
    expect(target.written).toEqual(expected);
  });

  test.each([
    [{ isTTY: true }, {}, {}, true],
    [{}, {}, {}, false],
    [{ isTTY: true }, { NO_COLOR: '1' }, {}, false],
    [{ isTTY: true }, { NO_COLOR: '' }, {}, true],
    [{}, { FORCE_COLOR: '1' }, {}, true],
    [{ isTTY: true }, { FORCE_COLOR: '0' }, {}, false],
    [{ isTTY: true, hasColors: () => false }, {}, {}, false],
    [{ isTTY: true }, {}, { color: false }, false],
    [{}, { NO_COLOR: '1' }, { color: true }, true],
  ])('has colours by the rules: %j %j %j', (facts, env, values, isColored) => {
    const target = stream(facts);
    const log = new Log(target, env);
    log.configure(values);
    log.info('failed', {}, 'failed: 404 https://a.test/\x1b[2J');
    log.error({ code: 'TIMEOUT', message: 'Too slow.' });
    expect(target.written).toEqual(
      isColored
        ? [
            '\x1b[31mfailed:\x1b[39m 404 https://a.test/�[2J\n',
            '\x1b[31mTIMEOUT:\x1b[39m Too slow.\n',
          ]
        : ['failed: 404 https://a.test/�[2J\n', 'TIMEOUT: Too slow.\n'],
    );
  });
});

test('text of a URL cannot steer the terminal, in a view and in what packages log', () => {
  const hostile = 'scrape http://a.test/\u001b]0;owned\u0007\u009b2J\u202e\r\nwarning: none';
  for (const columns of [8, 30, 200]) {
    const shown = lineView(hostile).lines(columns, plain).join('');

    expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
  const target = stream();
  logTo(target).print('Skipping \u001b[2J');
  expect(target.written.join('')).toBe('Skipping \ufffd[2J');
});
