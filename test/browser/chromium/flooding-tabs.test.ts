/** A tab that reports too much is closed; the visit in it has a code, and the tabs beside it go on. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour } from 'pagewright/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { PageRequest } from '../../../src/core/model/request.ts';
import { startDeadline } from '../../../src/core/runtime/deadline.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { answer, browserLab, hostileSite, resultOf } from './hostile-lab.ts';

/** The pipe of each browser that is started, and the sessions of pages in it. */
function watchPipes(): { readonly pipes: Readable[]; readonly sessions: string[] } {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => {
    started.push((message as { readonly process: ChildProcess }).process);
  };
  subscribe('child_process', note);
  onTestFinished(() => void unsubscribe('child_process', note));
  const sessions: string[] = [];
  const pipes: Readable[] = [];
  const listen = (): void => {
    for (const { stdio } of started.splice(0)) {
      const pipe = stdio[4] as Readable | undefined;
      if (pipe === undefined) continue;
      pipes.push(pipe);
      pipe.on('data', (chunk: Buffer) => {
        const opened = /"sessionId":"(\w+)","targetInfo":\{"targetId":"\w+","type":"page"/g;
        for (const [, id = ''] of chunk.toString('latin1').matchAll(opened)) sessions.push(id);
      });
    }
  };
  const timer = setInterval(listen, 5);
  onTestFinished(() => clearInterval(timer));
  return { pipes, sessions };
}

/** What Chromium sends for a page that logs without end. A loaded machine takes minutes for it. */
function flood(sessionId: string): Buffer {
  const args = [{ type: 'string', value: 'x'.repeat(1_000) }];
  const params = { type: 'log', args, executionContextId: 1, timestamp: 1 };
  const message = `${JSON.stringify({ method: 'Runtime.consoleAPICalled', params, sessionId })}\0`;
  return Buffer.from(message.repeat(100_000));
}

/** `onHang` is called when the page that hangs is open. */
function pagesWith(onHang: () => void): Record<string, Behaviour> {
  return {
    '/hangs': answer('<p>Text.</p><script src="/never.js"></script>'),
    '/never.js': onHang,
    '/good': answer('<p>Good.</p>'),
  };
}

test('a visit ends with PARSE_LIMIT', { timeout: 90_000 }, async () => {
  const { pipes, sessions } = watchPipes();
  let open = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (open = resolve));
  const site = await hostileSite(pagesWith(() => open()));
  onTestFinished(() => site.close());
  await using lab = browserLab({ idleTimeout: 60_000, maxPages: 2 });
  await lab.visit(site.url('/good'), { timeout: 60_000 });
  const bad = resultOf(
    lab.visit(site.url('/hangs'), { timeout: 60_000, rendering: { mobile: true } }),
  );
  await hangs;
  await sleep(50);
  pipes[0]?.emit('data', flood(sessions.at(-1) ?? ''));
  expect(await bad).toBe('PARSE_LIMIT');
  const { text } = await lab.visit(site.url('/good'), { timeout: 60_000 });
  expect(text).toContain('Good.');
  expect(lab.browsers).toHaveLength(1);
});

test('the page of a session ends', { timeout: 90_000 }, async () => {
  const { pipes, sessions } = watchPipes();
  let open = (): void => undefined;
  const hangs = new Promise<void>((resolve) => (open = resolve));
  const site = await hostileSite(pagesWith(() => open()));
  onTestFinished(() => site.close());
  await using lab = browserLab({ idleTimeout: 60_000 });
  using deadline = startDeadline(60_000, [], 'The visit');
  const request: PageRequest = {
    url: site.url('/good'),
    headers: {},
    skipTlsVerification: true,
    rendering: {},
    limits: defaultLimits,
    signal: deadline.signal,
  };
  const page = await lab.engine.open?.(request);
  if (page === undefined) throw new Error('The engine keeps no pages.');
  await page.fetch(request);
  const reading = page.fetch({ ...request, url: site.url('/hangs') });
  const code = reading.catch((error: unknown) => (error as { readonly code?: string }).code);
  await hangs;
  await sleep(50);
  pipes[0]?.emit('data', flood(sessions.at(-1) ?? ''));
  expect(await code).toBe('PARSE_LIMIT');
  await page.ended;
  await page.close(false);
});
