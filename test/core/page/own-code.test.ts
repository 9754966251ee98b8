/** Formats, parsers and hooks of a caller that name a module, which a worker loads. */
import { threadId } from 'node:worker_threads';
import { createClient, defineFormat, type Format, type Hooks, type Parser } from 'pagewright';
import { expect, test } from 'vitest';
import { memoryWeb } from '../../support/memory-web.ts';
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
    uses: () => ({ markdown: true }),
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

test('a hook changes the page in another thread, and a format sees it', async () => {
  await using client = createClient({ hooks: { beforeFormats: { worker } } });
  const { markdown } = await client.parse(`${page}<p id="thread">`, html);
  expect(markdown).toMatch(/^# Tides\n\nthread [1-9]/);
});

test('a hook gives a document of its own, and leaves a page out', async () => {
  await using client = createClient({ hooks: { beforeFormats: { worker } } });
  expect(await client.parse('<p class="own">', html)).toMatchObject({
    from: expect.stringMatching(/^http:\/\/site\.test\/ in thread [1-9]/) as string,
  });
  await expect(client.parse('<p class="skip">', html)).rejects.toMatchObject({
    code: 'HOOK_FAILED',
    message: expect.stringContaining('beforeFormats') as string,
  });
});

test('the hook of a module runs here where a function is a hook of the page too', async () => {
  const engine = memoryWeb(() => ({ body: `${page}<p id="thread">` }));
  await using client = createClient({ engines: [engine], hooks: { beforeFormats: { worker } } });
  const seen: (string | null | undefined)[] = [];
  const hooks: Hooks = {
    beforeFormats: ({ page: own }) =>
      void seen.push(own.kind === 'html' ? own.root.textContent : own.kind),
  };
  await client.crawl(url, { hooks, limit: 1, sitemap: 'skip' });
  expect(seen).toEqual([expect.stringContaining(`thread ${threadId}`)]);
});

test.each([
  ['<p class="uncloneable">', /cannot leave the worker/],
  ['<p class="failing">', /The hook "beforeFormats" threw for .*out of paper/],
])('a hook that fails on %s is HOOK_FAILED', async (body, message) => {
  await using client = createClient({ hooks: { beforeFormats: { worker } } });
  const failure = { code: 'HOOK_FAILED', message: expect.stringMatching(message) as string, url };
  await expect(client.parse(body, html)).rejects.toMatchObject(failure);
});

test('a hook that hangs ends at the deadline, and the process goes on', async () => {
  await using client = createClient({ hooks: { beforeFormats: { worker } } });
  const work = client.parse('<p class="hanging">', { ...html, timeout: 1500 });
  const outcome = expect(work).rejects.toMatchObject({ code: 'TIMEOUT', url });
  expect(await turnsDuring(work)).toBeGreaterThan(10);
  await outcome;
});

test.each([
  ['broken', moduleUrl('broken.mjs'), /broken\.mjs cannot be loaded: out of order/],
  ['missing', moduleUrl('../heavy-page.ts').replace('.ts', '.none.mjs'), /cannot be loaded/],
  ['without it', 'data:text/javascript,export default 1', /does not export it/],
])('a hook whose module is %s is HOOK_FAILED', async (_, module, message) => {
  await using client = createClient({ hooks: { beforeFormats: { worker: module } } });
  const failure = { code: 'HOOK_FAILED', message: expect.stringMatching(message) as string, url };
  await expect(client.parse(page, html)).rejects.toMatchObject(failure);
});

test('a hook that is neither a function nor a module is refused', () => {
  expect(() => createClient({ hooks: { beforeFormats: 1 as never } })).toThrow(
    /expected a function of one object, or \{ worker \}/,
  );
  expect(() => createClient({ hooks: { beforeFormats: { worker: './hooks.js' } } })).toThrow(
    /worker must be the URL of a module/,
  );
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
