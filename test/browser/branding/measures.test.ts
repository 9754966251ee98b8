/** The parts of branding that need no page: colours, painting, names, logos. */
import { describe, expect, test } from 'vitest';
import { checkAnswer } from '../../../src/browser/actions/isolated-world.ts';
import {
  chooseBrandName,
  isHome,
  readOrganization,
} from '../../../src/browser/branding/site-identity.ts';
import {
  difference,
  over,
  parseRgb,
  perceived,
  type Rgba,
  toHex,
} from '../../../src/browser/branding/color.ts';
import { familyOf, fontStack } from '../../../src/browser/branding/measures.ts';
import { paint } from '../../../src/browser/branding/paint.ts';
import type { BoxRecord, StyleRecords } from '../../../src/browser/branding/page-records.ts';
import { cpuTime } from '../../support/cpu-time.ts';

describe('colours', () => {
  test('what browsers compute is read, and nothing else', () => {
    expect(parseRgb('rgb(1, 2, 3)')).toEqual([1, 2, 3, 1]);
    expect(parseRgb('rgba(1, 2, 3, 0.4)')).toEqual([1, 2, 3, 0.4]);
    expect(parseRgb('oklch(0.5 0.1 200)')).toBeUndefined();
    expect(parseRgb('red')).toBeUndefined();
  });

  test('half of red over white is pink', () => {
    expect(toHex(over([255, 0, 0, 0.5], [255, 255, 255, 1]))).toBe('#ff8080');
  });

  test('lightness, chroma and hue are those of CSS Color 4', () => {
    const red = perceived('#ff0000');
    expect(red.lightness).toBeCloseTo(0.628, 3);
    expect(red.chroma).toBeCloseTo(0.2577, 3);
    expect(red.hue).toBeCloseTo(29.23, 1);
    expect(difference('#000000', '#ffffff')).toBeCloseTo(1, 3);
  });
});

describe('painting', () => {
  const box = (own: Partial<BoxRecord>): BoxRecord => ({
    parent: 0,
    tag: 'div',
    x: 0,
    y: 0,
    width: 80,
    height: 80,
    layer: 0,
    opacity: 1,
    background: -1,
    picture: '',
    color: -1,
    characters: 0,
    font: 0,
    border: -1,
    borderArea: 0,
    radius: 0,
    region: '',
    heading: 0,
    isCode: false,
    link: 0,
    mood: '',
    ...own,
  });
  const root = box({ parent: -1, tag: 'html', width: 160, height: 160 });
  const records = (boxes: readonly BoxRecord[], own: Partial<StyleRecords> = {}): StyleRecords => ({
    prefersDark: false,
    declaredScheme: 'normal',
    width: 160,
    height: 160,
    isCut: false,
    colors: [],
    fonts: [],
    boxes,
    distances: [],
    ...own,
  });
  const red: Rgba = [255, 0, 0, 1];
  const halfBlack: Rgba = [0, 0, 0, 0.5];

  test('the background of the body is that of the page, unless the root has one', () => {
    const body = box({ tag: 'body', background: 0 });
    expect(paint(records([root, body]), [red]).canvas).toBe('#ff0000');
    const own = { ...root, background: 1 };
    expect(paint(records([own, body]), [red, [0, 0, 255, 1]]).canvas).toBe('#0000ff');
  });

  test('a page without a background is white, or Chromium’s dark where it says that it is dark', () => {
    expect(paint(records([root]), []).canvas).toBe('#ffffff');
    const dark = { declaredScheme: 'light dark', prefersDark: true };
    expect(paint(records([root], dark), []).canvas).toBe('#121212');
    expect(paint(records([root], { declaredScheme: 'light dark' }), []).canvas).toBe('#ffffff');
    expect(paint(records([root], { declaredScheme: 'dark' }), []).canvas).toBe('#121212');
  });

  test('what lies above covers what lies below, by layer and not by order', () => {
    const high = box({ background: 0, layer: 1 });
    const low = box({ background: 1 });
    const painting = paint(records([root, high, low]), [red, [0, 0, 255, 1]]);
    expect(Object.fromEntries(painting.areas)).toEqual({ '#ffffff': 0.75, '#ff0000': 0.25 });
    expect(painting.boxes.map(({ isCovered }) => isCovered)).toEqual([false, false, true]);
  });

  test('a translucent colour is mixed with what is behind it, also a text', () => {
    const sheet = box({ background: 0 });
    const veil = box({ parent: 1, background: 1, color: 2, characters: 5 });
    const painting = paint(records([root, sheet, veil]), [red, halfBlack, [255, 255, 255, 0.5]]);
    expect(painting.boxes[2]).toMatchObject({ behind: '#ff0000', backdrop: '#800000' });
    expect(painting.boxes[2]?.text).toBe('#c08080');
  });

  test('over a gradient a translucent colour is unknown, and an opaque one is itself', () => {
    const shine = box({ picture: 'linear-gradient(red, blue)' });
    const veil = box({ parent: 1, color: 0, characters: 5 });
    const text = box({ parent: 1, color: 1, characters: 5 });
    const painting = paint(records([root, shine, veil, text]), [halfBlack, red]);
    expect(painting.boxes[2]?.text).toBeUndefined();
    expect(painting.boxes[3]?.text).toBe('#ff0000');
    expect(Object.fromEntries(painting.gradients)).toEqual({ 'linear-gradient(red, blue)': 0.25 });
  });

  test('five thousand layers of a long page are painted within bounds', () => {
    const layer = box({ width: 1280, height: 12_000, background: 0 });
    const boxes = [root, ...Array.from({ length: 5000 }, () => layer)];
    const started = cpuTime();
    paint(records(boxes, { width: 1280, height: 12_000 }), [halfBlack]);
    expect(cpuTime() - started).toBeLessThan(3000);
  });
});

test('font names are unquoted, and those that a build tool made are themselves again', () => {
  expect(fontStack('"Helvetica Neue", Arial, "a \\"b\\", c", serif')).toEqual([
    'Helvetica Neue',
    'Arial',
    'a "b", c',
    'serif',
  ]);
  expect(familyOf('__Open_Sans_Fallback_d65c78')).toBe('Open Sans');
  expect(familyOf('')).toBeUndefined();
});

describe('JSON-LD', () => {
  const block = (thing: unknown): string[] => [JSON.stringify(thing)];

  test('logos are read in all their shapes', () => {
    const logo = (value: unknown): string | undefined =>
      readOrganization(block({ '@type': ['Thing', 'OnlineStore'], name: 'A', logo: value })).logo;
    expect(logo('/a.png')).toBe('/a.png');
    expect(logo({ '@type': 'ImageObject', url: '/b.png' })).toBe('/b.png');
    expect(logo([{ contentUrl: '/c.png' }, '/d.png'])).toBe('/c.png');
    expect(logo(7)).toBeUndefined();
  });

  test('a sponsor and the brand of a product are somebody else', () => {
    const other = { '@type': 'Organization', name: 'Other', logo: '/other.png' };
    expect(readOrganization(block({ '@type': 'Event', sponsor: other }))).toEqual({});
    expect(readOrganization(block({ '@type': 'Product', brand: other }))).toEqual({});
    expect(readOrganization(block({ '@type': 'Article', publisher: other })).logo).toBe(
      '/other.png',
    );
  });

  test('broken and endless blocks end', () => {
    const nested = `${'['.repeat(3000)}${']'.repeat(3000)}`;
    const wide = JSON.stringify({ '@graph': Array.from({ length: 9000 }, () => ({})) });
    expect(readOrganization(['{', nested, wide, 'null'])).toEqual({});
  });
});

test('home is the start page of the same site, in any language', () => {
  const page = 'https://www.example.com/shop/tea';
  expect(isHome('https://www.example.com/', page)).toBe(true);
  expect(isHome('https://example.com/en-gb/', page)).toBe(true);
  expect(isHome('https://example.com/index.html', page)).toBe(true);
  expect(isHome('https://example.com/shop/', page)).toBe(false);
  expect(isHome('https://example.org/', page)).toBe(false);
  expect(isHome('javascript:alert(1)', page)).toBe(false);
});

test('the brand name is what the page says, or what title and host name agree on', () => {
  const identity = {
    url: 'https://www.fernhill-tools.com/x',
    title: '',
    siteName: '',
    applicationName: '',
    themeColor: '',
    ogImage: '',
    icons: [],
    jsonLd: [],
    pictures: [],
  };
  const named = (own: Partial<typeof identity>, organization?: string): string | undefined =>
    chooseBrandName({ ...identity, ...own }, organization);
  expect(named({ siteName: 'Fernhill' }, 'Fernhill Ltd')).toBe('Fernhill');
  expect(named({}, 'Fernhill Ltd')).toBe('Fernhill Ltd');
  expect(named({ title: 'Rakes and hoes | Fernhill Tools' })).toBe('Fernhill Tools');
  expect(named({ title: 'Rakes and hoes | Everything' })).toBeUndefined();
});

test('an answer of another shape is refused, with the place in the message', () => {
  const sample = { name: '', sizes: [0], pair: [['', 0]] };
  const good = { name: 'a', sizes: [1, 2], pair: [['x', 1]] };
  expect(checkAnswer(good, sample, 'answer')).toBe(good);
  const bad = { ...good, sizes: [1, 'two'] };
  expect(() => checkAnswer(bad, sample, 'answer')).toThrow('answer.sizes[1]');
  expect(() => checkAnswer({ ...good, sizes: [Number.NaN] }, sample, 'answer')).toThrow('sizes[0]');
  expect(() => checkAnswer(null, sample, 'answer')).toThrow('answer');
});
