/** Pages that are too much for a browser: each ends in time, as a document or a known error, and others are not harmed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Behaviour, FixtureServer } from 'pagewright/testing';
import type { ErrorCode } from '../../../src/core/runtime/errors.ts';
import {
  answer,
  type BrowserLab,
  browserLab,
  eachOf,
  hostileSite,
  resultOf,
  script,
  stream,
} from './hostile-lab.ts';
import { isDeep } from '../../support/deep.ts';

/** Milliseconds that each page gets. */
const time = 4_000;

const heavy: Readonly<Record<string, Behaviour>> = {
  '/promises': script('const next = () => Promise.resolve().then(next); next()'),
  '/popups': script("for (let i = 0; i < 100; i++) window.open('about:blank')"),
  '/endless-dialogs': script('for (;;) { alert(1); confirm(2); prompt(3); }'),
  '/console': script("for (let i = 0; i < 1e6; i++) console.log('x'.repeat(100), i)"),
  '/history': script("setInterval(() => history.pushState({}, '', '?' + Math.random()), 1)"),
  '/reloads': script('location.reload()'),
  '/refreshes': answer('<meta http-equiv=refresh content=0><p>Text.'),
  '/hops': ({ response }) => {
    const source = "<p>Text.<script>location = '/hops?' + Math.random()</script>";
    response.writeHead(200, { 'content-type': 'text/html' }).end(source);
  },
  '/head': stream('<!doctype html><head>', '<meta name=more>'),
  '/text': script(
    "const t = 'x'.repeat(1 << 20); for (let i = 0; i < 1000; i++) document.body.append(t)",
  ),
  '/nodes': script(
    "for (let i = 0; i < 1e6; i++) document.body.append(document.createElement('b'))",
  ),
  '/deep': script(`let at = document.body;
    for (let i = 0; i < 50_000; i++) at = at.appendChild(document.createElement('div'))`),
  '/frames': script(
    "for (let i = 0; i < 2e3; i++) document.body.append(document.createElement('iframe'))",
  ),
  '/frames-in-frames': ({ response }) => {
    const frame = `<iframe src="/frames-in-frames?${Math.random()}"></iframe>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>Text.${frame}${frame}`);
  },
  '/canvas': script(`const canvas = document.createElement('canvas'); document.body.append(canvas);
    canvas.width = canvas.height = 16_000; canvas.getContext('2d').fillRect(0, 0, 16_000, 16_000)`),
  '/downloads': script("setInterval(() => { location = '/archive.zip'; }, 20)"),
  '/workers': script(
    "for (let i = 0; i < 50; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))",
  ),
  '/sockets': script(
    "for (let i = 0; i < 200; i++) new WebSocket('ws://' + location.host + '/' + i)",
  ),
  '/fetches': script("for (let i = 0; i < 1000; i++) fetch('/none?' + i).catch(() => 0)"),
  '/mails': script("setInterval(() => { location = 'mailto:a@b.c'; }, 5)"),
};

const documented: readonly ErrorCode[] = [
  'TIMEOUT',
  'BROWSER_CRASHED',
  'CONNECTION_RESET',
  'PARSE_LIMIT',
];

/** Pages that never end, that lead on, and that start threads; the others are rare. */
const usual = ['/promises', '/reloads', '/workers'];
const paths = Object.keys(heavy).filter((path) => usual.includes(path) || isDeep(path));

describe('a page that is too much', { timeout: 180_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = browserLab({ maxPages: 4, idleTimeout: 60_000 });
    const archive = answer('zip', { 'content-type': 'application/zip' });
    site = await hostileSite({
      ...heavy,
      '/archive.zip': archive,
      '/plain': answer('<p>Plain.</p>'),
    });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
  });

  test('ends in time, and the next page comes', async () => {
    await eachOf(paths, 2, async (path) => {
      const begun = performance.now();
      const result = await resultOf(lab.visit(site.url(path), { timeout: time }));
      const took = performance.now() - begun;
      if (!/^(?:<|zip$|$)/.test(result)) expect(documented, path).toContain(result);
      expect(took, path).toBeLessThan(time + 2_000);
      const { text } = await lab.visit(site.url('/plain'), { timeout: 30_000 });
      expect(text, `after ${path}`).toContain('Plain.');
    });
  });
});
