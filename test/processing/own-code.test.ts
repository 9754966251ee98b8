/** Formats and parsers of a caller that name a module, which a worker loads. */
import { threadId } from 'node:worker_threads';
import { createClient, defineFormat, type Format, type Parser } from 'pagewright';
import { expect, test } from 'vitest';
import { turnsDuring, watchThreads } from './heavy-page.ts';

const url = 'http://site.test/';
const html = { url, contentType: 'text/html' };
const page = '<h1>Tides</h1>';
const moduleUrl = (name: string): string => new URL(`./modules/${name}`, import.meta.url).href;
const worker = moduleUrl('own-code.mjs');

function notHere(): never {
  throw new Error('this ran on the thread of the caller');
}

const own = (name: string, module = worker): Format =>
  defineFormat({ name, needs: 'page', worker: module, run: notHere });

test('a format runs in another thread, with its options, beside formats of ours', async () => {
  const thread = defineFormat({
    name: 'thread',
    needs: 'content',
    worker,
    parseOptions: ({ add = 0 }) => ({ add: Number(add) }),
    run: (): { threadId: number; text: string } => notHere(),
  });
  await using client = createClient({ formats: [thread] });
  const { thread: found, markdown } = await client.parse(page, {
    ...html,
    formats: ['markdown', { type: 'thread', add: 1000 }],
  });
  expect(markdown).toBe('# Tides');
  expect(found.text).toBe('Tides');
  expect(found.threadId).toBeGreaterThan(1000 + threadId);
});

test('a format finishes on the thread of the caller what it found in the worker', async () => {
  const thread = defineFormat({
    name: 'thread',
    needs: 'content',
    worker,
    runOptions: () => ({ add: 0 }),
    run: (): { threadId: number } => notHere(),
    needsMarkdown: () => true,
    finish: ({ threadId: other }, _, { markdown, warn }) => {
      warn('finished');
      return { threads: [threadId, other], markdown };
    },
  });
  await using client = createClient();
  const document = await client.parse(page, { ...html, formats: [thread] });
  expect(document.thread.markdown).toBe('# Tides');
  expect(document.thread.threads[0]).toBe(threadId);
  expect(document.thread.threads[1]).not.toBe(threadId);
  expect(document.warning).toBe('finished');
  expect(Object.keys(document).sort()).toEqual(['metadata', 'thread', 'warning']);
});

test('a parser parses in another thread', async () => {
  using workers = watchThreads();
  const shout: Parser = {
    name: 'shout',
    worker,
    accepts: (mediaType) => mediaType === 'text/plain',
    parse: notHere,
  };
  await using client = createClient({ parsers: [shout] });
  const { markdown } = await client.parse('words', { url, contentType: 'text/plain' });
  expect(markdown).toMatch(/^5 BYTES in thread [1-9]/);
  expect(workers.started).toBe(1);
});

test.each([
  ['failing', worker, /The format "failing" threw for .*ENOENT/],
  ['strange', worker, /The format "strange" threw for .*strange/],
  ['uncloneable', worker, /The format "uncloneable" threw for .*cannot leave the worker/],
  ['absent', worker, /own-code\.mjs does not export it/],
  ['lost', moduleUrl('lost.mjs'), /its module file:.*lost\.mjs cannot be loaded/],
  ['broken', moduleUrl('broken.mjs'), /broken\.mjs cannot be loaded: out of order/],
])('the format %s is HOOK_FAILED', async (name, module, message) => {
  await using client = createClient();
  const work = client.parse(page, { ...html, formats: [own(name, module)] });
  await expect(work).rejects.toMatchObject({
    name: 'PagewrightError',
    code: 'HOOK_FAILED',
    message: expect.stringMatching(message) as string,
    url,
  });
  expect((await client.parse(page, html)).markdown).toBe('# Tides');
});

test('a format that hangs ends at the deadline, and the process goes on', async () => {
  await using client = createClient();
  const work = client.parse(page, { ...html, formats: [own('hanging')], timeout: 1500 });
  const outcome = expect(work).rejects.toMatchObject({ code: 'TIMEOUT', url });
  expect(await turnsDuring(work)).toBeGreaterThan(10);
  await outcome;
});

test('a worker that is not the URL of a module is refused', async () => {
  await using client = createClient();
  const formats = [own('thread', './own-code.mjs')];
  await expect(client.parse(page, { ...html, formats })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('worker must be the URL of a module') as string,
  });
  expect(() => createClient({ formats })).toThrow(/worker must be the URL of a module/);
});
