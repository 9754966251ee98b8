import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, pageWith } from '../../support/chromium.ts';
import type { ActionContext } from '../../../src/browser/actions/action.ts';
import { emptyOutcome } from '../../../src/browser/actions/run-actions.ts';
import { screenshot } from '../../../src/browser/actions/screenshot.ts';
import { takeScreenshot } from '../../../src/browser/chromium/take-screenshot.ts';
import { act } from './lab.ts';
import { rareTest } from '../../support/deep.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  await browser.close();
});

const show = (html: string): Promise<Page> => pageWith(browser, html);

describe('pictures', () => {
  test('screenshot: PNG, JPEG, the whole page, another window; pdf', async () => {
    const page = await show('<body style="margin: 0"><div style="height: 3000px">x</div>');
    const { screenshots, pdfs } = await act(page, [
      { type: 'screenshot' },
      { type: 'screenshot', quality: 50 },
      { type: 'screenshot', fullPage: true, viewport: { width: 400, height: 300 } },
      { type: 'pdf', format: 'A5', landscape: true, scale: 0.5 },
    ]);
    const [png, jpeg, whole] = screenshots.map(({ bytes }) => Buffer.from(bytes));
    const sizeOf = (bytes?: Buffer): number[] => [bytes!.readInt32BE(16), bytes!.readInt32BE(20)];
    expect(sizeOf(png)).toEqual([1280, 720]);
    expect([...jpeg!.subarray(0, 2)]).toEqual([0xff, 0xd8]);
    expect(screenshots[1]?.mediaType).toBe('image/jpeg');
    expect(sizeOf(whole)).toEqual([400, 3000]);
    expect(page.viewportSize()).toEqual({ width: 1280, height: 720 });
    expect(Buffer.from(pdfs[0]!.bytes).toString('latin1')).toMatch(
      /^%PDF[^]*MediaBox \[0 0 59\d[.\d]* 4(?:19|20)/,
    );
  });

  test('a picture that fails leaves the window as it was', async () => {
    const page = await show('x');
    const before = page.viewportSize();
    const viewport = { width: 400, height: 300 };
    const settle = (): Promise<void> => Promise.reject(new Error('too late'));
    const context = { settle } as ActionContext;
    await expect(screenshot(page, { viewport }, context, emptyOutcome())).rejects.toThrow('late');
    expect(page.viewportSize()).toEqual(before);
    await expect(takeScreenshot(page, { fullPage: false, viewport }, settle)).rejects.toThrow(
      'late',
    );
    expect(page.viewportSize()).toEqual(before);
  });

  rareTest('a page that is too tall for a picture is cut, with a warning', async () => {
    const page = await show('<body style="margin: 0"><div style="height: 900000px">x</div>');
    const { screenshots, warnings } = await act(page, [
      { type: 'screenshot', fullPage: true, quality: 1, viewport: { width: 100, height: 100 } },
    ]);
    expect(screenshots).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/900000 px; the screenshot shows the first/)]);
  });
});
