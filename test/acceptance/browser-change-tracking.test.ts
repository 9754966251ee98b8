/** The visual mode of change tracking, in a real browser: where the picture of a page changed. */
import { type Client, createClient } from 'pagewright';
import { type FixtureServer, serve } from 'pagewright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesOf, colorAt } from '../support/picture.ts';
import { rareTest } from '../support/deep.ts';

/** What the page shows now. */
let color = '#0000ff';
let clock = '10:00';
let height = 400;
let site: FixtureServer;
let client: Client;

beforeAll(async () => {
  site = await serve({
    '/': () => ({
      body: `<!doctype html><html lang="en"><title>Dashboard</title>
<style>body { margin: 0; font: 40px monospace } div { position: absolute } p { margin: 0 }
#box { left: 200px; top: 100px; width: 120px; height: 80px; background: ${color} }
#clock { left: 20px; top: 300px; width: 200px; height: 60px }
#page { width: 10px; height: ${height}px }</style>
<body><div id="page"></div><div id="box"></div><div id="clock">${clock}</div><p>Dashboard</p>`,
    }),
  });
  client = createClient({ network: { allow: ['127.0.0.1'] } });
}, 60_000);
afterAll(async () => {
  await client.close();
  await site.close();
});

const viewport = { width: 640, height: 400 };
const clockBox = { x: 20, y: 300, width: 200, height: 60 };

async function track(tag: string, more: { regions?: readonly (string | typeof clockBox)[] } = {}) {
  const { changeTracking, warning } = await client.scrape(site.url('/'), {
    formats: [
      'markdown',
      { type: 'screenshot', viewport, fullPage: true },
      {
        type: 'changeTracking',
        modes: ['visual'],
        tag,
        ignore: { selectors: ['#clock'] },
        ...more,
      },
    ],
  });
  return { ...changeTracking, warning };
}

test('a box that changes is where the picture changed', { timeout: 60_000 }, async () => {
  const first = await track('box');
  expect(first).not.toHaveProperty('visual');
  expect(first.warning).toBeUndefined();
  expect((await track('box')).visual).toEqual({ changedPixels: 0, ratio: 0, boxes: [] });
  color = '#ff8800';
  const { visual, changeStatus } = await track('box');
  // The text is the same: the status is by the markdown.
  expect(changeStatus).toBe('same');
  expect(visual).toMatchObject({
    changedPixels: 120 * 80,
    boxes: [{ x: 200, y: 100, width: 120, height: 80 }],
  });
  expect(colorAt(bytesOf(visual?.image), 260, 140)).toBe('#ff0000');
  // What changed is what is compared with from now on.
  expect((await track('box')).visual?.changedPixels).toBe(0);
});

rareTest(
  'a clock changes the picture, unless its region is ignored',
  { timeout: 60_000 },
  async () => {
    await track('clock');
    await track('ignored', { regions: [clockBox] });
    await track('selected', { regions: ['#clock'] });
    clock = '23:59';
    const { visual } = await track('clock');
    expect(visual?.changedPixels).toBeGreaterThan(0);
    for (const { x, y, width, height: tall } of visual?.boxes ?? []) {
      expect(x).toBeGreaterThanOrEqual(clockBox.x);
      expect(y).toBeGreaterThanOrEqual(clockBox.y);
      expect(x + width).toBeLessThanOrEqual(clockBox.x + clockBox.width);
      expect(y + tall).toBeLessThanOrEqual(clockBox.y + clockBox.height);
    }
    const ignored = await track('ignored', { regions: [clockBox] });
    expect(ignored.visual).toEqual({ changedPixels: 0, ratio: 0, boxes: [] });
    const selected = await track('selected', { regions: ['#clock'] });
    expect(selected.visual).toEqual({ changedPixels: 0, ratio: 0, boxes: [] });
  },
);

rareTest('a page that grew says so', { timeout: 60_000 }, async () => {
  await track('size');
  height = 900;
  const { visual } = await track('size');
  expect(visual?.sizes).toEqual({
    previous: { width: 640, height: 400 },
    current: { width: 640, height: 900 },
  });
  expect(visual?.changedPixels).toBe(640 * 500);
});
