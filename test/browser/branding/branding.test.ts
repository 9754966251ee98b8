/** Branding of whole sites whose style sheets are known. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBranding } from '../../../src/browser/branding/read-branding.ts';
import type { Branding } from '../../../src/core/model/branding.ts';
import { type FixtureServer, serve } from '../../../src/entries/testing/serve.ts';
import { launchChromium } from '../../support/chromium.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

const patience = (): AbortSignal => AbortSignal.timeout(25_000);

/** Opens a fixture site, reads it, and gives what `look` makes of it. */
async function visit<T>(
  name: string,
  look: (branding: Branding, page: Page, server: FixtureServer) => Promise<T> | T,
  options: { colorScheme?: 'light' | 'dark' } = {},
): Promise<T> {
  await using server = await serve(`fixtures/sites/branding-${name}`);
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.goto(server.url('/'));
    return await look(await readBranding(page, patience()), page, server);
  } finally {
    await context.close();
  }
}

describe('a light shop', () => {
  let branding: Branding;
  let origin: string;
  beforeAll(() =>
    visit('shop', (read, _page, server) => {
      branding = read;
      origin = server.origin;
    }),
  );

  test('its colours play the parts that its designer gave them', () => {
    expect(branding.colorScheme).toBe('light');
    expect(branding.colors).toEqual({
      primary: '#1f6f54',
      secondary: '#b4532a',
      background: '#fffdf8',
      textPrimary: '#2b2a27',
      textSecondary: '#77736a',
      link: '#b4532a',
      success: '#2e7d32',
      warning: '#a15c00',
      error: '#c62828',
    });
  });

  test('nothing is left of the consent banner and the advertisement', () => {
    const colors = branding.palette.map(({ color }) => color);
    expect(colors).not.toContain('#ff0000');
    expect(colors).not.toContain('#0000ff');
    expect(colors).not.toContain('#00ff00');
  });

  test('areas are those of the picture, not of boxes over each other', () => {
    const areaOf = (wanted: string): number =>
      branding.palette.find(({ color }) => color === wanted)?.area ?? 0;
    // The footer is 1280 px wide and about 140 px high on a page of about 1340 px.
    expect(areaOf('#17352b')).toBeGreaterThan(0.09);
    expect(areaOf('#17352b')).toBeLessThan(0.13);
    expect(areaOf('#fffdf8')).toBeGreaterThan(areaOf('#e3efe8'));
    expect(branding.palette.reduce((sum, { area }) => sum + area, 0)).toBeLessThan(1.1);
    expect(branding.palette.find(({ color }) => color === '#1f6f54')?.uses).toEqual(
      expect.arrayContaining(['button', 'border', 'text']),
    );
  });

  test('the main button is measured, with what a transition of two seconds leads to', () => {
    expect(branding.components.buttonPrimary).toEqual({
      background: '#1f6f54',
      textColor: '#ffffff',
      borderColor: '#1f6f54',
      borderWidth: 2,
      borderRadius: 8,
      shadow: 'rgba(0, 0, 0, 0.2) 0px 2px 4px 0px',
      padding: { top: 12, right: 24, bottom: 12, left: 24 },
      fontFamily: 'Karla',
      fontSize: 16,
      fontWeight: 600,
      label: 'Shop the harvest',
      states: {
        hover: { background: '#175540', borderColor: '#175540' },
        focus: { outlineColor: '#f2b84b' },
        disabled: { background: '#9bb8ad' },
      },
    });
  });

  test('the outlined button and the field are measured, translucent colours over what is behind', () => {
    const { buttonSecondary, input } = branding.components;
    expect(buttonSecondary).toMatchObject({
      background: 'transparent',
      textColor: '#1f6f54',
      borderColor: '#1f6f54',
      // Half of #1f6f54 over the #e3efe8 of the hero.
      states: { hover: { background: '#81af9e' } },
    });
    expect(input).toMatchObject({
      background: '#ffffff',
      borderColor: '#b9b3a4',
      borderRadius: 8,
      padding: { top: 12, right: 16, bottom: 12, left: 16 },
      states: {
        focus: { borderColor: '#1f6f54', shadow: 'rgba(31, 111, 84, 0.3) 0px 0px 0px 3px' },
      },
    });
  });

  test('type and spacing are those of the style sheet', () => {
    expect(branding.fonts).toEqual([
      { family: 'Karla', role: 'body', weights: [400, 600] },
      { family: 'Fraunces', role: 'heading', weights: [600] },
    ]);
    expect(branding.typography).toEqual({
      fontFamilies: { primary: 'Karla', heading: 'Fraunces' },
      fontStacks: {
        primary: ['Karla', 'Helvetica', 'sans-serif'],
        heading: ['Fraunces', 'Georgia', 'serif'],
      },
      fontSizes: { h1: 48, h2: 32, h3: 24, body: 16, small: 14 },
      lineHeights: { heading: 1.2, body: 1.5 },
      fontWeights: { regular: 400, bold: 600 },
    });
    expect(branding.spacing).toEqual({ baseUnit: 8, borderRadius: 8 });
  });

  test('the logo is the one in the header, not the old one in JSON-LD and not the partner’s', () => {
    expect(branding.brandName).toBe('Harrow & Fig');
    expect(branding.logo).toBe(`${origin}/img/logo.svg`);
    expect(branding.images).toEqual({
      logo: `${origin}/img/logo.svg`,
      logoHref: `${origin}/`,
      logoAlt: 'Harrow & Fig',
      favicon: `${origin}/favicon.svg`,
      ogImage: `${origin}/img/preview.png`,
    });
  });
});

describe('a dark product page', () => {
  let branding: Branding;
  beforeAll(() =>
    visit('dark-product', (read) => {
      branding = read;
    }),
  );

  test('colours in oklch, lab, display-p3 and color-mix are told as the browser paints them', () => {
    expect(branding.colorScheme).toBe('dark');
    expect(branding.colors).toEqual({
      primary: '#5ff06e',
      secondary: '#60a5fa',
      background: '#141822',
      textPrimary: '#e8e8e9',
      link: '#60a5fa',
    });
    expect(branding.components.buttonPrimary).toMatchObject({
      background: '#5ff06e',
      textColor: '#06120a',
      borderRadius: 9999,
      states: { hover: { background: '#80ff80' } },
    });
    expect(branding.components.buttonSecondary).toMatchObject({
      background: '#2c3039',
      textColor: '#ffffff',
    });
  });

  test('a gradient is told as one, and its ends are no colours of the palette', () => {
    expect(branding.gradients).toEqual([
      {
        css: 'linear-gradient(90deg, rgb(107, 33, 168), rgb(190, 24, 93))',
        area: expect.closeTo(0.19, 1),
      },
    ]);
    expect(JSON.stringify(branding.palette)).not.toMatch(/#6b21a8|#be185d/);
  });

  test('the logo drawn from a sprite stands alone, without the script in it', () => {
    const svg = decodeURIComponent(branding.logo ?? '');
    expect(svg).toMatch(/^data:image\/svg\+xml,<svg fill="#52e991"/);
    expect(svg).toContain('<use href="#mark">');
    expect(svg).toContain('<path d="M2 30 16 2l14 28z" fill="#ffcc00">');
    expect(svg).not.toMatch(/script|alert|onclick|class/);
    expect(branding.brandName).toBe('Kestrelbase');
  });

  test('fonts have their own names again', () => {
    expect(branding.typography.fontFamilies).toEqual({
      primary: 'Inter',
      heading: 'Inter',
      code: 'JetBrains Mono',
    });
  });
});

test('a newspaper: serif, one red, the logo of its publisher, nothing of what is not seen', async () => {
  await visit('news', (branding, _page, { origin }) => {
    expect(branding.colors).toEqual({
      primary: '#c8102e',
      background: '#ffffff',
      textPrimary: '#121212',
      textSecondary: '#666666',
      link: '#c8102e',
    });
    expect(branding.typography.fontSizes).toEqual({ h1: 42, h2: 26, body: 18, small: 14 });
    expect(branding.typography.fontFamilies).toEqual({
      primary: 'Tiempos Text',
      heading: 'Canela Deck',
    });
    expect(branding.brandName).toBe('The Quillham Courier');
    expect(branding.logo).toBe(`${origin}/courier.png`);
    expect(branding.components).toEqual({});
    expect(JSON.stringify(branding.palette)).not.toMatch(/#00ff00|#0000ff|#ff00ff/);
  });
});

describe('a page with a light and a dark side', () => {
  const light = {
    primary: '#5b3df5',
    background: '#faf9ff',
    textPrimary: '#1d1a2b',
    textSecondary: '#6d6885',
    link: '#5b3df5',
  };
  const dark = {
    primary: '#a594ff',
    secondary: '#ffb454',
    background: '#14111f',
    textPrimary: '#ece9f7',
    textSecondary: '#9d97b5',
    link: '#ffb454',
  };

  test.each([
    ['light', light],
    ['dark', dark],
  ] as const)(
    'both are read where %s is asked for, and the page is put back',
    async (own, colors) => {
      await visit(
        'schemes',
        async (branding, page) => {
          expect(branding.colorScheme).toBe(own);
          expect(branding.colors).toEqual(colors);
          expect(branding.schemes).toMatchObject({
            light: { colors: light },
            dark: { colors: dark },
          });
          expect(branding.schemes?.dark.components.buttonPrimary?.textColor).toBe('#14111f');
          const preferred = await page.evaluate(
            () => matchMedia('(prefers-color-scheme: dark)').matches,
          );
          expect(preferred).toBe(own === 'dark');
          await expect
            .poll(() => page.evaluate(() => getComputedStyle(document.body).backgroundColor))
            .toBe(own === 'dark' ? 'rgb(20, 17, 31)' : 'rgb(250, 249, 255)');
          // The style sheet against transitions is gone, and no element is hovered.
          expect(
            await page.evaluate(() => getComputedStyle(document.body).transitionDuration),
          ).toBe('4s');
        },
        { colorScheme: own },
      );
    },
  );

  test('a button in a shadow root has its states', async () => {
    await visit('schemes', ({ components }) => {
      expect(components.buttonPrimary).toMatchObject({
        background: '#5b3df5',
        borderRadius: 12,
        states: { hover: { background: '#4527d6' } },
      });
    });
  });

  test('a page that is the same for both has no schemes', async () => {
    await visit('shop', (branding) => expect(branding).not.toHaveProperty('schemes'));
  });
});
