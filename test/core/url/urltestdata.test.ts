/** The URL cases of web-platform-tests: what we fetch and list is what browsers would. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PagewrightError } from '../../../src/core/runtime/errors.ts';
import { fingerprint } from '../../../src/core/url/fingerprint.ts';
import { normalizeUrl, parseUrl, resolveLink } from '../../../src/core/url/normalize-url.ts';

interface Case {
  readonly input: string;
  readonly base: string | null;
  readonly href?: string;
  readonly failure?: boolean;
}

const file = new URL('../../../fixtures/urls/urltestdata.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
const isWeb = (href: string | undefined): href is string => /^https?:/.test(href ?? '');
const web = cases.filter(({ href }) => isWeb(href));

/** The platform's own answer, where its version of the standard is another one. */
function platformHref({ input, base }: Case): string | undefined {
  try {
    return new URL(input, base === 'about:blank' ? undefined : (base ?? undefined)).href;
  } catch {
    return undefined;
  }
}

function withoutCredentials(href: string): string {
  const url = new URL(href);
  url.username = '';
  url.password = '';
  return url.href;
}

test('there are as many cases as ever, and the platform agrees with nearly all', () => {
  expect(cases.length).toBeGreaterThan(650);
  expect(web.length).toBeGreaterThan(200);
  const others = cases.filter(
    (one) => platformHref(one) !== one.href && one.base !== 'about:blank',
  );
  expect(others.length).toBeLessThan(20);
});

describe('a link', () => {
  test('to the web is what the standard says, without credentials', () => {
    for (const one of web) {
      const href = platformHref(one);
      // An empty link leads nowhere new: it is no link.
      const isEmpty = one.input.trim() === '';
      const expected = isEmpty || !isWeb(href) ? undefined : withoutCredentials(href);
      expect([one.input, resolveLink(one.input, one.base ?? 'about:blank')?.href]).toEqual([
        one.input,
        expected,
      ]);
    }
  });

  test('that is malformed, or of another scheme, is none', () => {
    for (const one of cases) {
      if (isWeb(one.href) || isWeb(platformHref(one))) continue;
      expect([one.input, resolveLink(one.input, one.base ?? 'about:blank')]).toEqual([
        one.input,
        undefined,
      ]);
    }
  });
});

describe('a normalised URL', () => {
  const hrefs = web.map(platformHref).filter(isWeb);

  test('is a URL that stays as it is, of the same host, without credentials', () => {
    for (const href of hrefs) {
      const normalized = normalizeUrl(new URL(href), {});
      const again = new URL(normalized);
      expect([href, again.host, again.username + again.password]).toEqual([
        href,
        new URL(href).host,
        '',
      ]);
      expect(again.href).toBe(normalized);
      expect(normalizeUrl(again, {})).toBe(normalized);
    }
  });

  test('has the fingerprint that the URL itself has', () => {
    for (const href of hrefs) {
      for (const deduplicateSimilarURLs of [true, false]) {
        const options = { ignoreQueryParameters: false, deduplicateSimilarURLs };
        const normalized = normalizeUrl(new URL(href), {});
        expect([href, fingerprint(normalized, options)]).toEqual([
          href,
          fingerprint(href, options),
        ]);
      }
    }
  });
});

test('what a caller types is read as the standard has it, or refused with a code', () => {
  for (const one of cases.filter(({ base }) => base === 'about:blank' || base === null)) {
    let href: string | undefined;
    try {
      href = parseUrl(one.input).href;
    } catch (error) {
      expect(error).toBeInstanceOf(PagewrightError);
    }
    // Text without a scheme is a host for us; with one of the web's, the standard decides.
    if (!/^\s*https?:/i.test(one.input)) continue;
    const expected = platformHref(one);
    const hasEmptyLabel = /^\.|\.\./.test(expected === undefined ? '' : new URL(expected).hostname);
    expect([one.input, href]).toEqual([one.input, hasEmptyLabel ? undefined : expected]);
  }
});
