/** What scrape options ask of an engine that renders. */
import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../../src/core/runtime/errors.ts';
import { defaultLimits } from '../../../src/core/model/limits.ts';
import { parseFormats } from '../../../src/core/options/parse-formats.ts';
import {
  parseRendering,
  type RenderingRequest,
  type RenderingSettings,
} from '../../../src/core/options/rendering-options.ts';
import { parseScrapeOptions } from '../../../src/core/options/scrape-options.ts';

const defaults = { formats: [], actions: [], limits: defaultLimits, userAgent: 'Lamp/1.0' };

const parse = (
  given: RenderingRequest['given'],
  formats: readonly unknown[] = [],
): RenderingSettings =>
  parseRendering('scrape', {
    given,
    formats: parseFormats('scrape', formats, []),
    customActions: [],
  });

describe('what is asked of an engine', () => {
  test('is nothing where no option asks', () => {
    expect(parse({ engine: 'auto', proxy: 'auto', blockAds: true })).toEqual({
      requires: new Map(),
      rendering: { blockAds: true },
    });
    expect(parse({ blockAds: false, waitFor: 0, actions: [] }).rendering).toEqual({});
  });

  test('is the requests of a page, as plain data that a cache key can tell apart', () => {
    const response = { shown: '/late$/i', source: 'late$', flags: 'i' };
    const { requires, rendering } = parse(
      { waitFor: { response: /late$/i }, actions: [{ type: 'wait', response: '/api/' }] },
      [{ type: 'requests', bodies: '/api/', types: ['json'] }],
    );
    expect([...requires.keys()]).toEqual(['requests', 'actions']);
    expect(rendering.waitForResponse).toEqual({ response, timeout: 30_000 });
    expect(rendering.actions?.[0]?.readsResponses).toBe(true);
    expect(rendering.requests).toEqual({
      bodies: [{ shown: '/api/', source: '\\/api\\/', flags: '' }],
      types: ['json'],
      maxBodyBytes: 1_000_000,
      maskSecrets: true,
    });
    const keyOf = (bodies: RegExp): string =>
      JSON.stringify(parse({}, [{ type: 'requests', bodies }]).rendering);
    expect(keyOf(/a/)).not.toBe(keyOf(/b/));
    const stepKey = (pattern: RegExp): string | undefined =>
      parse({ actions: [{ type: 'wait', response: pattern }] }).rendering.actions?.[0]?.key;
    expect(stepKey(/a/)).not.toBe(stepKey(/b/));
  });

  test('is named by the option that asks', () => {
    const { requires } = parse(
      {
        engine: 'browser',
        waitFor: 1,
        mobile: true,
        proxy: 'stealth',
        colorScheme: 'dark',
        actions: [{ type: 'scrape' }],
        profile: { name: 'me' },
      },
      ['markdown', 'branding', { type: 'screenshot', fullPage: true }],
    );
    expect([...requires]).toEqual([
      ['render', "engine: 'browser'"],
      ['wait', 'waitFor'],
      ['actions', 'actions'],
      ['mobile', 'mobile'],
      ['emulation', 'colorScheme'],
      ['stealth', "proxy: 'stealth'"],
      ['profile', 'profile'],
      ['branding', 'the format branding'],
      ['screenshot', 'the format screenshot'],
    ]);
  });

  test('has the settings of the picture, complete', () => {
    expect(parse({}, ['screenshot']).rendering.screenshot).toEqual({ fullPage: false });
    const asked = { quality: 5, selector: 'p', viewport: { width: 10, height: 20 } };
    expect(parse({}, [{ type: 'screenshot', ...asked }]).rendering.screenshot).toEqual({
      fullPage: false,
      ...asked,
    });
  });

  test('the country is in capitals, and that of the contract where only languages are given', () => {
    const place = (location: object): unknown =>
      parseScrapeOptions({ location }, defaults).rendering.location;
    expect(place({ country: 'de' })).toEqual({
      country: 'DE',
      languages: [],
    });
    expect(place({ languages: ['fr'] })).toEqual({
      country: 'US',
      languages: ['fr'],
    });
  });

  test('zeroDataRetention keeps a profile from being saved, whatever else was said', () => {
    const profile = { name: 'me', saveChanges: true };
    expect(parse({ profile }).rendering.profile).toEqual(profile);
    expect(parse({ profile, zeroDataRetention: true }).rendering.profile).toEqual({
      name: 'me',
      saveChanges: false,
    });
  });
});

describe("engine: 'http'", () => {
  test('refuses what needs a browser, and names all of it', () => {
    const call = (): unknown => parse({ engine: 'http', mobile: true }, ['screenshot']);
    expect(call).toThrow(ValidationError);
    expect(call).toThrow(
      "engine: 'http' opens no browser, which mobile, the format screenshot needs",
    );
  });

  test('does with what plain HTTP can: a place, stealth', () => {
    const given = {
      engine: 'http',
      proxy: 'stealth',
      location: { country: 'DE', languages: [] },
    } as const;
    expect([...parse(given).requires.keys()]).toEqual(['stealth']);
  });
});

test('waitFor may be longer than the timeout: the deadline decides', () => {
  const { rendering, timeout } = parseScrapeOptions({ waitFor: 60_000, timeout: 1 }, defaults);
  expect([rendering.waitFor, timeout]).toEqual([60_000, 1]);
});

describe('location.country', () => {
  const none = ['ZZ', 'EU', 'UN', 'AA', 'XA', 'QO', 'IC', '', 'USA', 'constructor', '__proto__'];

  test.each([
    ['UK', '; did you mean "GB"?'],
    ['uk', '; did you mean "GB"?'],
    ['DD', '; did you mean "DE"?'],
    ['826', '; did you mean "GB"?'],
    ['Germany', '; did you mean "DE"?'],
    ...none.map((code) => [code, '']),
  ])('%j is refused with a hint', (country = '', hint = '') => {
    const message = `expected an ISO 3166-1 alpha-2 code, such as "DE", got "${country}"${hint}`;
    let error: unknown;
    try {
      parseScrapeOptions({ location: { country } }, defaults);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'BAD_REQUEST',
      issues: [{ path: ['location', 'country'], message: `location.country: ${message}` }],
    });
  });

  test.each(['GB', 'gb', 'XK', 'AQ'])('%s is taken', (country) => {
    expect(parseScrapeOptions({ location: { country } }, defaults).location?.country).toBe(
      country.toUpperCase(),
    );
  });
});
