import { serve } from 'pagewright/testing';
import { beforeAll, expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { requireBuild, docsSite, pagewright } from './run-pagewright.ts';

beforeAll(requireBuild);

const words = ['crawl', 'https://docs.test/docs/', '--limit', '3', ...docsSite];

test('crawl --webhook tells the receiver of each page before the program ends', async () => {
  await using receiver = await serve(() => 'thanks');
  const { code, stderr } = await pagewright([
    ...words,
    '--allow',
    '127.0.0.1',
    '--webhook',
    receiver.url('/'),
  ]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('webhook');
  const types = receiver.log.map(({ body }) => JSON.parse(Buffer.from(body).toString()).type);
  expect(types).toEqual([
    'crawl.started',
    'crawl.page',
    'crawl.page',
    'crawl.page',
    'crawl.completed',
  ]);
});

test('crawl --webhook says what was not delivered; the pages are there all the same', async () => {
  const { code, stderr, stdout } = await commandLine([
    ...words,
    '--webhook',
    'http://127.0.0.1:2/',
  ]);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(3);
  expect(stderr).toMatch(/5 webhook events were not delivered: .*Refused to contact 127\.0\.0\.1/);
});

test('crawl --webhook with what is no URL is wrong usage', async () => {
  const { code, stderr } = await commandLine([...words, '--webhook', 'receiver']);
  expect(code).toBe(2);
  expect(stderr).toContain('webhook.url: expected an absolute URL');
});
