import { describe, expect, test } from 'vitest';
import { chooseEngine } from '../../../src/core/fetch/choose-engine.ts';
import type { Engine } from '../../../src/core/model/engine.ts';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import type { Capability } from '../../../src/core/model/request.ts';

function engine(name: string, cost: number, can: Capability[], scheme?: string): Engine {
  return {
    name,
    cost,
    can: new Set(can),
    fetch: () => Promise.reject(new Error('not here')),
    ...(scheme === undefined ? {} : { handles: (url: string) => url.startsWith(scheme) }),
  };
}

const http = engine('http', 10, []);
const light = engine('light', 50, ['render', 'wait']);
const browser = engine('browser', 100, ['render', 'wait', 'actions', 'mobile']);
const files = engine('files', 1, [], 'file:');
const all = [browser, http, files, light];
const url = 'https://site.test/';

function choose(
  engines: Engine[],
  target: string,
  requires: [Capability, string][] = [],
  mayRender = true,
): string[] {
  try {
    const choice = chooseEngine(engines, { url: target, requires: new Map(requires), mayRender });
    return [choice.engine.name, choice.reason];
  } catch (error) {
    if (!(error instanceof PagewrightError)) throw error;
    return [error.code, error.message];
  }
}

describe('the engine', () => {
  test('does not render where that is not wanted, cheap as it may be', () => {
    const cheapBrowser = engine('cheap', 1, ['render']);
    expect(choose([cheapBrowser, http], url)[0]).toBe('cheap');
    expect(choose([cheapBrowser, http], url, [], false)[0]).toBe('http');
  });

  test('is the cheapest when nothing is asked', () => {
    expect(choose(all, url)).toEqual(['http', 'static: nothing asked for a browser']);
  });

  test('is the cheapest that can do all that is asked', () => {
    expect(choose(all, url, [['wait', 'waitFor']])).toEqual(['light', 'waitFor needs wait']);
    expect(
      choose(all, url, [
        ['wait', 'waitFor'],
        ['actions', 'actions'],
      ]),
    ).toEqual(['browser', 'waitFor needs wait, actions needs actions']);
  });

  test('is the first of equals', () => {
    expect(choose([engine('a', 10, []), engine('b', 10, [])], url)[0]).toBe('a');
  });

  test('is one that serves the URL', () => {
    expect(choose(all, 'file:///a')[0]).toBe('files');
    expect(choose([files], url)[0]).toBe('UNSUPPORTED_PROTOCOL');
  });

  test('is missing for a scheme that none serves', () => {
    expect(choose(all, 'ftp://site.test/')).toEqual([
      'UNSUPPORTED_PROTOCOL',
      'No engine of this client serves ftp://site.test/ (engines: browser, http, files, light). Use an http: or https: URL, or add one that does: createClient({ engines: [...] }).',
    ]);
    expect(choose([], url)[0]).toBe('UNSUPPORTED_PROTOCOL');
  });

  test('is missing when none can do what an option asks, which is named', () => {
    expect(
      choose([http, light], url, [
        ['render', "engine: 'browser'"],
        ['mobile', 'mobile'],
      ]),
    ).toEqual([
      'BROWSER_UNAVAILABLE',
      'No engine of this client (http, light) can do what mobile needs: mobile. Leave that out, or give the client a browser, createClient({ browser }), or an engine that can, createClient({ engines }).',
    ]);
  });

  test('is missing when the abilities are spread over several', () => {
    const stealthy = engine('stealthy', 60, ['stealth']);
    const [code, message] = choose([light, stealthy], url, [
      ['wait', 'waitFor'],
      ['stealth', "proxy: 'stealth'"],
    ]);
    expect(code).toBe('BROWSER_UNAVAILABLE');
    expect(message).toContain("what waitFor, proxy: 'stealth' needs: wait, stealth.");
  });
});
