/** What scrape options ask of an engine that renders. */
import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../src/errors.ts';
import { parseFormats } from '../../src/options/parse-formats.ts';
import {
  parseRendering,
  type RenderingQuestion,
  type RenderingSettings,
} from '../../src/options/rendering.ts';

const parse = (
  given: RenderingQuestion['given'],
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

  test('is named by the option that asks', () => {
    const { requires } = parse(
      {
        ...{ engine: 'browser', waitFor: 1, mobile: true, proxy: 'stealth', colorScheme: 'dark' },
        ...{ actions: [{ type: 'scrape' }], profile: { name: 'me' } },
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
    expect(parse({ location: { country: 'de' } }).rendering.location).toEqual({
      country: 'DE',
      languages: [],
    });
    expect(parse({ location: { languages: ['fr'] } }).rendering.location).toEqual({
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
    const given = { engine: 'http', proxy: 'stealth', location: { country: 'DE' } } as const;
    expect([...parse(given).requires.keys()]).toEqual(['stealth']);
  });
});
