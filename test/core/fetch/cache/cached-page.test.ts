import { expect, it } from 'vitest';
import {
  type CachedPage,
  packPage,
  unpackPage,
} from '../../../../src/core/fetch/cache/cached-page.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const page: CachedPage = {
  url: 'https://site.test/ä',
  snapshot: {
    url: 'https://site.test/b',
    statusCode: 200,
    headers: { 'x-a': 'ü' },
    body: bytes('<p>body</p>'),
    engine: 'http',
    redirects: ['https://site.test/'],
    warnings: [],
    requests: 0,
    bytes: 0,
    timezone: 'Europe/Berlin',
  },
  reason: 'static',
  proxyUsed: 'basic',
  isRendered: false,
  askedAt: 1,
  cachedAt: 2,
};

it('gives the page back as it was', () => {
  expect(unpackPage(packPage(page))).toEqual(page);
});

it('gives pictures and colours back', () => {
  const captures = {
    screenshot: { bytes: bytes('picture'), mediaType: 'image/png' },
    branding: { colorScheme: 'dark' },
  } as unknown as NonNullable<CachedPage['snapshot']['captures']>;
  const captured = { ...page, snapshot: { ...page.snapshot, captures } };
  expect(unpackPage(packPage(captured))).toEqual(captured);
});

it('takes a page with one damaged bit, or cut anywhere, for none', () => {
  const packed = packPage(page);
  for (let at = 0; at < packed.length; at += 1) {
    const damaged = new Uint8Array(packed);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    expect(unpackPage(damaged)).toBeUndefined();
    expect(unpackPage(packed.subarray(0, at))).toBeUndefined();
  }
  expect(unpackPage(new Uint8Array([...packed, 0]))).toBeUndefined();
});

it('reads a page that stands in the middle of other bytes', () => {
  const packed = packPage(page);
  const within = new Uint8Array(packed.length + 20);
  within.set(packed, 7);
  expect(unpackPage(within.subarray(7, 7 + packed.length))).toEqual(page);
});
