import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import {
  gapAfter,
  mayPass,
  retry,
  retryPolicies,
  type RetryPolicy,
} from '../../../src/core/runtime/retry.ts';

/** The row of a policy in `docs/politeness.md`. */
function rowOf(name: string, policy: RetryPolicy): string[] {
  const { retried, final = '', gaps, jitter, longestPause, shortensPause, attempts, time } = policy;
  const seconds = (ms: number): string => String(ms / 1000);
  const cap = `${seconds(longestPause ?? 0)} s`;
  const pause = shortensPause === true ? `${cap} at most` : `up to ${cap}, else final`;
  return [
    `\`${name}\``,
    retried,
    final,
    gaps.map(seconds).join(', '),
    [...new Set(jitter)].join('–'),
    longestPause === undefined ? 'ignored' : longestPause === Infinity ? 'any' : pause,
    time === undefined ? String(attempts ?? gaps.length + 1) : `for ${seconds(time)} s`,
  ];
}

test('the documentation has a row for each policy, as it is', () => {
  const file = new URL('../../../docs/politeness.md', import.meta.url);
  const [, section = ''] = readFileSync(file, 'utf8').split('## What is retried\n');
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  const rows = lines.map((line) => line.split('|').slice(1, -1));
  const expected = Object.entries<RetryPolicy>(retryPolicies).map(([name, policy]) =>
    rowOf(name, policy),
  );
  expect(rows.map((cells) => cells.map((cell) => cell.trim()))).toEqual(expected);
});

test.each([
  ['s3', { statusCode: 503 }, true],
  ['s3', { statusCode: 507 }, false],
  ['s3', { statusCode: 409 }, false],
  ['s3', { statusCode: 409, code: 'OperationAborted' }, true],
  ['s3', {}, true],
  ['webhook', { statusCode: 404 }, true],
  ['webhook', { statusCode: 302 }, false],
  ['webhook', { statusCode: 410 }, false],
  ['webhook', { code: 'TLS' }, true],
  ['webhook', { code: 'BLOCKED_ADDRESS' }, false],
  ['model', { statusCode: 529 }, true],
  ['model', { code: 'TLS' }, false],
  ['page', { statusCode: 501 }, false],
  ['page', { code: 'HOST_BUSY' }, false],
] as const)('%s after %j: %s', (name, failure, expected) => {
  expect(mayPass(retryPolicies[name], failure)).toBe(expected);
});

test('Retry-After lengthens a gap, up to a limit that shortens it or ends the attempts', () => {
  const gap = (policy: RetryPolicy, attempt: number, pause: number): number =>
    gapAfter(policy, attempt, pause, { random: () => 1 });
  expect(gap(retryPolicies.model, 1, 0)).toBe(500);
  expect(gap(retryPolicies.model, 2, 700)).toBe(1000);
  expect(gap(retryPolicies.model, 1, 30_000)).toBe(30_000);
  expect(gap(retryPolicies.model, 1, 30_001)).toBe(Infinity);
  expect(gap(retryPolicies.webhook, 1, 90_000)).toBe(60_000);
  expect(gap(retryPolicies.s3, 1, 90_000)).toBe(100);
  expect(gap(retryPolicies.store, 9, 0)).toBe(500);
});

const quick: RetryPolicy = { retried: '429 DNS', gaps: [1, 1], jitter: [1, 1], longestPause: 5 };

/** Fails as often as there are errors; counts the attempts. */
function failing(...errors: readonly Error[]): { work: () => string; count: () => number } {
  let count = 0;
  const work = (): string => {
    const error = errors[count];
    count += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  return { work, count: () => count };
}

const lost = new PagewrightError('DNS', 'lost');

test.each([
  ['succeeds after failures that pass', [lost, lost], 'done', 3],
  ['ends with the error of the last attempt', [lost, lost, lost, lost], 'lost', 3],
  ['ends after a failure that stays', [new PagewrightError('TLS', 'final')], 'final', 1],
  ['ends after an error of somebody else', [new Error('other')], 'other', 1],
  [
    'ends when the server asks for too long a pause',
    [new PagewrightError('SEARCH_FAILED', 'busy', { statusCode: 429, retryAfter: 6 })],
    'busy',
    1,
  ],
] as const)('a call %s', async (_, errors, outcome, attempts) => {
  const { work, count } = failing(...errors);
  const result = await retry(quick, work).catch((error: unknown) => (error as Error).message);
  expect([result, count()]).toEqual([outcome, attempts]);
});

const slow: RetryPolicy = { ...quick, gaps: [600_000, 600_000] };

test('an abort ends the gap at once, with the reason of the signal', async () => {
  const controller = new AbortController();
  const { work, count } = failing(lost);
  const result = retry(slow, work, { signal: controller.signal });
  await sleep(5);
  controller.abort(new Error('enough'));
  await expect(result).rejects.toThrow('enough');
  expect(count()).toBe(1);
});

test('in a hurry one more attempt follows without a gap, and no other', async () => {
  const controller = new AbortController();
  const { work, count } = failing(lost, lost);
  const result = retry(slow, work, { hurry: controller.signal });
  await sleep(5);
  controller.abort();
  await expect(result).rejects.toThrow('lost');
  expect(count()).toBe(2);
});

test('no attempt begins after the time of all attempts', async () => {
  const policy = { ...quick, gaps: [20], attempts: Infinity, time: 100 };
  const { work, count } = failing(...Array<Error>(20).fill(lost));
  await expect(retry(policy, work)).rejects.toThrow('lost');
  expect(count()).toBeGreaterThan(1);
  expect(count()).toBeLessThanOrEqual(5);
});
