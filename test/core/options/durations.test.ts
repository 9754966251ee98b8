/** Times: milliseconds or a number with its unit, in options and on the command line. */
import { createClient, type CrawlOptions, type ScrapeOptions } from 'pagewright';
import { expect, expectTypeOf, test } from 'vitest';
import { durationValue, secondsValue } from '../../../src/entries/cli/option-values.ts';
import { durationSchema, secondsSchema } from '../../../src/core/checks/duration.ts';

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5m', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  [250, 250],
])('%s is %d ms', (given, time) => {
  expect(durationSchema(1).parse(given)).toBe(time);
  expect(secondsSchema(10_000_000).parse(typeof given === 'number' ? given / 1000 : given)).toBe(
    time / 1000,
  );
  expect(durationValue(String(given))).toBe(time);
});

test.each(['', '10', 'x', '10 minutes', '-1s', '1e3s'])('%j is not a time', (given) => {
  expect(durationSchema(0).safeParse(given).success).toBe(false);
});

test('the command line refuses other words, and takes seconds for a delay', () => {
  expect(() => durationValue('soon')).toThrow(/30s, 15m or 2h/);
  expect([secondsValue('0.5'), secondsValue('500ms')]).toEqual([0.5, 0.5]);
});

test('calls and clients take them, and say what they take', async () => {
  await using client = createClient({ jobRetention: '1m' });
  const page = { html: '<p>a</p>', url: 'https://site.test/' };
  expect(await client.scrape(page, { timeout: '10s', maxAge: '2h' })).toMatchObject({
    markdown: 'a',
  });
  const job = client.batchScrape([]);
  const { completedAt = '', expiresAt = '' } = await job;
  expect(Date.parse(expiresAt) - Date.parse(completedAt)).toBe(60_000);
  await expect(client.scrape(page, { timeout: '10 minutes' as unknown as number })).rejects.toThrow(
    /timeout: expected a number, or a time such as '500ms', '30s' or '15m', got/,
  );
  await expect(client.scrape(page, { timeout: '0s' })).rejects.toThrow(/timeout: .*1/);
});

test('the type takes numbers and texts with a unit', () => {
  expectTypeOf<'15m'>().toExtend<ScrapeOptions['timeout']>();
  expectTypeOf<'500ms'>().toExtend<CrawlOptions['delay']>();
  expectTypeOf<'soon'>().not.toExtend<ScrapeOptions['timeout']>();
});
