/** Pages whose scripts never rest or get in the way: what is there is read in time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Behaviour, FixtureServer } from 'pagewright/testing';
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
const time = 10_000;

const everyPrototype = `
  const classes = [Array, Object, String, Function, Promise, Map, Set, Node, Element, Document,
    EventTarget, RegExp, Number, Error];
  for (const { prototype } of classes) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      try { prototype[name] = () => { throw new Error('gone'); }; } catch {}
    }
  }
  for (const name of ['JSON', 'performance', 'setTimeout', 'MutationObserver', 'getComputedStyle']) {
    try { globalThis[name] = null; } catch {}
  }`;

const readable: Readonly<Record<string, Behaviour>> = {
  '/loop': script('for (;;);'),
  '/loop-after-load': script("addEventListener('load', () => { for (;;); })"),
  '/loop-in-timer': script('setTimeout(() => { for (;;); }, 30)'),
  '/dialogs': script('for (let i = 0; i < 20; i++) { alert(i); confirm(i); prompt(i); }'),
  '/before-unload': script('onbeforeunload = (event) => { event.preventDefault(); return 1; }'),
  '/stream': stream('<!doctype html><title>Stream</title><p>Text.', '<p>more'),
  '/mutations': script('setInterval(() => document.body.append(Math.random()), 1)'),
  '/rewrites': script(
    "setInterval(() => { document.open(); document.write('<p>Text.'); document.close(); }, 5)",
  ),
  '/prototypes': script(everyPrototype),
  '/getters': script(`
    for (const [owner, name] of [[Node.prototype, 'textContent'], [Document.prototype, 'body'],
      [Element.prototype, 'innerHTML'], [Document.prototype, 'documentElement']]) {
      Object.defineProperty(owner, name, { get() { for (;;); } });
    }`),
  '/title': script("document.title = 't'.repeat(1 << 20)"),
  '/print': script('print()'),
  '/debugger': script('for (let i = 0; i < 20; i++) { debugger; }'),
  '/messages': script('onmessage = () => { postMessage(1); postMessage(2); }; postMessage(0)'),
  '/telephone': script("location = 'tel:123'"),
  '/file': script("location = 'file:///etc/passwd'"),
  '/chrome': script("location = 'chrome://crash'"),
  '/data': script("location = 'data:text/html,<p>No text.'"),
  '/closes': script('window.close()'),
  '/regular-expression': script("/^(a+)+$/.test('a'.repeat(40) + '!')"),
};

/** Pages that never end, that change all the time, and that break what is built in; the others are rare. */
const usual = ['/loop', '/mutations', '/prototypes'];
const paths = Object.keys(readable).filter((path) => usual.includes(path) || isDeep(path));

describe('a page whose scripts never rest', { timeout: 120_000 }, () => {
  let site: FixtureServer;
  let lab: BrowserLab;
  beforeAll(async () => {
    lab = browserLab({ maxPages: 4, idleTimeout: 60_000 });
    site = await hostileSite({ ...readable, '/plain': answer('<p>Plain.</p>') });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await site.close();
  });

  test('is a document all the same, and our own process is free meanwhile', async () => {
    await lab.visit(site.url('/plain'));
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const results = new Map<string, string>();
    await eachOf(paths, 3, async (path) => {
      results.set(path, await resultOf(lab.visit(site.url(path), { timeout: 2 * time })));
    });
    const unread = [...results].filter(([, result]) => !/<p>Text\.(?:<\/p>|<p>more)/.test(result));
    expect(unread).toEqual([]);
    expect(delay.percentile(50) / 1e6).toBeLessThan(200);
    const { text } = await lab.visit(site.url('/plain'));
    expect(text).toContain('Plain.');
  });
});
